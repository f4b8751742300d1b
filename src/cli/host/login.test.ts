// Tests onbook host login: the key comes from standard input, only its owner can read it, and it is never printed.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { revokeKey } from '../../engine/access/access.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'

const home = mkdtempSync(join(tmpdir(), 'onbook-login-'))
let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

function run(args: readonly string[], stdin = ''): Promise<{ readonly code: number | null; readonly said: string }> {
  return new Promise(settle => {
    const env = { ...process.env, XDG_CONFIG_HOME: home, ONBOOK_URL: '', ONBOOK_KEY: '', NO_COLOR: '1' }
    const child = spawn(process.execPath, [resolve('bin/onbook.mjs'), ...args], { cwd: home, env })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        said += chunk
      })
    child.on('close', code => settle({ code, said }))
    child.stdin.end(stdin)
  })
}

it('keeps a key that the host accepts, uses it, says when it no longer works, and forgets it', async () => {
  const { id, key } = await host.makeKey('acme')
  const list = ['workspace', 'list', '--url', host.url]
  expect((await run(list)).said).toContain(`onbook host login ${host.url}`)
  expect(await run(['login', host.url], `onbook_${'0'.repeat(16)}_${'0'.repeat(43)}`)).toMatchObject({
    code: 2,
    said: expect.stringContaining('does not accept this key'),
  })
  const signedIn = await run(['host', 'login', `${host.url}/`], `${key}\n`)
  expect([signedIn.code, signedIn.said]).toEqual([0, expect.stringContaining(`key ${id} of tenant acme`)])
  expect(signedIn.said).not.toContain(key)
  const file = join(home, 'onbook', 'keys.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [host.url]: key })
  expect((await run(list)).code).toBe(0)
  await revokeKey(host.store, id, 'test')
  expect(await run(list)).toMatchObject({ code: 2, said: expect.stringContaining('no longer works') })
  expect((await run(['host', 'logout', host.url])).code).toBe(0)
  expect(readFileSync(file, 'utf8')).not.toContain(key)
})
