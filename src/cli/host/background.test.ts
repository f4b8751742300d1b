// Tests onbook host serve --background, host status and host stop from outside.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const cwd = temporaryFolder(null)
const onbook = (...args: string[]) => runCli(args, { cwd })
const start = (...args: string[]) => onbook('serve', '--background', '--port', '0', ...args)

afterAll(() => onbook('host', 'stop', '--kill'))

it('starts a host that answers when the command has ended; a second start names it; stop waits for its end', async () => {
  const started = await start('--json')
  expect([started.code, started.err]).toEqual([0, ''])
  const { url, pid, loginUrl } = JSON.parse(started.out)
  expect(loginUrl).toContain(`${url}/login#`)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  const status = await onbook('host', 'status', '--wait', '--json')
  expect(JSON.parse(status.out)).toEqual({ running: true, url, pid })

  const second = await start()
  expect([second.code, second.err]).toEqual([2, expect.stringContaining(`A host already runs on this folder: ${url}`)])

  const log = join(cwd, '.onbook', 'host.log')
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(readFileSync(log, 'utf8')).not.toContain('login#')

  expect(JSON.parse((await onbook('host', 'stop', '--json')).out)).toEqual({ stopped: true, url, pid })
  await expect(fetch(`${url}/readyz`)).rejects.toThrow()
  expect(JSON.parse((await onbook('host', '--json')).out)).toEqual({ running: false })
  expect(JSON.parse((await onbook('host', 'stop', '--json')).out)).toEqual({ stopped: false })
}, 30_000)

it('a host that cannot start shows its own error, and the command exits with 2', async () => {
  const plain = await start('--log-level', 'loud')
  expect([plain.code, plain.out, plain.err]).toEqual([2, '', expect.stringContaining('--log-level')])
  const json = await start('--log-level', 'loud', '--json')
  expect([json.code, JSON.parse(json.out).error, json.err]).toEqual([2, 'usage_invalid', ''])
})

it('status --wait ends with a fault when no host comes', async () => {
  const { code, out } = await onbook('host', 'status', '--wait', '--host-timeout', '0.1', '--json')
  expect([code, JSON.parse(out).error]).toEqual([2, 'host_silent'])
})
