// Tests the host as a process: the sign-in link that it prints, and its shutdown.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

async function serve(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [resolve('bin/onbook.mjs'), 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let written = ''
  child.stderr.on('data', data => {
    written += data
  })
  const ended = new Promise<number | null>(done => child.once('close', done))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url, loginUrl } = JSON.parse(String(line)) as { url: string; loginUrl: string }
  const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  return { child, url, loginUrl, key, ended, written: () => written }
}
const fresh = () => mkdtempSync(join(tmpdir(), 'onbook-stopping-'))

describe('signing in', () => {
  const signIn = (link: string) => {
    const { origin, hash } = new URL(link)
    return fetch(`${origin}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: hash.slice(1) }),
    })
  }

  it('works once with the link that serve prints, and with each that keys login prints', async () => {
    const folder = fresh()
    const { url, loginUrl, child, ended } = await serve(folder)
    expect(loginUrl).toMatch(new RegExp(`^${url}/login#[A-Za-z0-9_-]{43}$`))
    const signed = await signIn(loginUrl)
    expect(signed.status).toBe(200)
    const cookie = signed.headers.get('set-cookie')!.split(';')[0]!
    expect((await fetch(`${url}/v1/prompts`, { headers: { cookie } })).status).toBe(200)
    expect((await signIn(loginUrl)).status).toBe(401)

    expect(statSync(join(folder, '.onbook', 'host.json')).mode & 0o777).toBe(0o600)
    const another = JSON.parse((await runCli(['keys', 'login', '--json'], { cwd: folder })).out) as { loginUrl: string }
    expect((await signIn(another.loginUrl)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(join(folder, '.onbook', 'host.json'))).toBe(false)
    const { out } = await runCli(['events', 'access/audit', '--tenant', 'onbook'], { cwd: folder })
    expect(out.match(/access\.signedIn/g)).toHaveLength(2)
    expect(out).toContain('access.refused')
  })

  it('says so when no host runs', async () => {
    expect(await runCli(['keys', 'login'], { cwd: fresh() })).toMatchObject({ code: 2, err: expect.stringContaining('onbook host serve') })
  })
})

describe('SIGTERM', () => {
  it('ends fifty streams at once, answers what is under way, and leaves with 0', async () => {
    const folder = fresh()
    const { child, url, key, ended } = await serve(folder)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const template = { templateId: 'x', version: '1.0.0', kind: 'system', text: 'Say x.' }
    await fetch(`${url}/v1/prompts`, { method: 'POST', headers, body: JSON.stringify(template) })
    const streams = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const asked = request(`${url}/v1/streams/library%2Fonbook/events`, { headers: { ...headers, accept: 'text/event-stream' } }).end()
        const [answer] = (await once(asked, 'response')) as [IncomingMessage]
        return answer
      }),
    )
    const closed = Promise.all(streams.map(stream => once(stream.resume(), 'close')))

    const body = JSON.stringify({ ref: 'prompt:x', variables: {} })
    const slow = request(`${url}/v1/prompts:render`, { method: 'POST', headers: { ...headers, 'content-length': body.length } })
    slow.write(body.slice(0, 5))
    await new Promise(resume => setTimeout(resume, 300))

    const told = performance.now()
    child.kill('SIGTERM')
    await closed
    const afterStreams = performance.now() - told
    slow.end(body.slice(5))
    const [answer] = (await once(slow, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
    expect(await ended).toBe(0)
    expect(afterStreams).toBeLessThan(5_000)
    expect(performance.now() - told).toBeLessThan(10_000)
  })
})

describe('logs', () => {
  it('go to standard error as JSON, and never hold a key', async () => {
    const { child, url, key, ended, written } = await serve(fresh(), '--log-level', 'info', '--slow-ms', '0')
    await fetch(`${url}/v1/prompts?limit=2`, { headers: { authorization: `Bearer ${key}` } })
    child.kill('SIGTERM')
    await ended
    const lines = written().trim().split('\n')
    expect(lines.map(line => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: 'warn', route: '/v1/prompts', status: 200, requestId: expect.any(String) }),
    )
    expect(written()).not.toContain(key.slice(24))
    expect(written()).not.toContain('limit=2')
  })

  it('refuses a level that is none', async () => {
    expect(await runCli(['serve', '--log-level', 'loud'], { cwd: fresh() })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--log-level'),
    })
  })
})
