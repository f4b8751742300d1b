// Tests which host a command trusts, and for how long it waits: a stale or forged note is ignored, and a host that hangs is given up.
import { chmodSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

let server: Server
let url = ''
const requests: string[] = []
const keys: string[] = []

/** A server that accepts every request and answers none. */
beforeAll(async () => {
  server = createServer(({ method, url: path, headers }) => {
    requests.push(`${method} ${path}`)
    keys.push(String(headers.authorization))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const startedAt = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!

function folderWith(note: object, mode: number): string {
  const folder = temporaryFolder(null, { '.onbook/host.json': JSON.stringify({ url, ...note }), '.onbook/local.key': 'onbook_key\n' })
  chmodSync(join(folder, '.onbook', 'host.json'), mode)
  return folder
}

const onLinux = process.platform === 'linux' ? describe : describe.skip

onLinux('reliability D4: a note of a host that does not run is not believed', () => {
  it.each([
    ['whose number another process has by now', () => ({ pid: process.pid, started: '1' }), 0o600],
    ['without a start time', () => ({ pid: process.pid }), 0o600],
    [
      'that other users could read or write, as in a checked-out folder',
      () => ({ pid: process.pid, started: startedAt(process.pid) }),
      0o644,
    ],
    ['that names the first process', () => ({ pid: 1 }), 0o600],
  ])('reliability D4: %s', async (_, note, mode) => {
    const before = requests.length
    await runCli(['runs', '--json', '--host-timeout', '5'], { cwd: folderWith(note(), mode) })
    expect(requests.slice(before)).toEqual([])
  })
})

describe('the environment', () => {
  const asked = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const [before, keysBefore] = [requests.length, keys.length]
    await runCli(['runs', '--json', '--host-timeout', '0.5', ...args], { cwd: temporaryFolder(null), env })
    return { requests: requests.slice(before), keys: keys.slice(keysBefore) }
  }

  it('names the host and its key', async () => {
    const { keys: sent } = await asked([], { ONBOOK_URL: url, ONBOOK_KEY: 'from-environment' })
    expect(sent).toEqual(['Bearer from-environment'])
  })

  it('gives way to a folder that an option names', async () => {
    expect((await asked(['--data', 'here'], { ONBOOK_URL: url, ONBOOK_KEY: 'from-environment' })).requests).toEqual([])
  })

  it('does not send its key to a host that it does not name', async () => {
    const { requests: none } = await asked(['--url', url], { ONBOOK_URL: 'http://127.0.0.1:1', ONBOOK_KEY: 'from-environment' })
    expect(none).toEqual([])
  })
})

it('reliability D17: a command gives up on a host that does not answer, and says what to do', async () => {
  const folder = temporaryFolder(null)
  const { code, out } = await runCli(['runs', '--url', url, '--key', 'k', '--host-timeout', '0.5', '--json'], { cwd: folder })
  const { error, message } = JSON.parse(out)
  expect([code, error]).toEqual([2, 'host_silent'])
  expect(message).toContain('--host-timeout')
})

it('reliability D17: a long question gives up on a host without a sign of life', async () => {
  const folder = temporaryFolder(null)
  const { code, out } = await runCli(['export', 'r1', '--url', url, '--key', 'k', '--host-timeout', '0.5', '--json'], { cwd: folder })
  expect([code, JSON.parse(out).error]).toEqual([2, 'host_silent'])
})
