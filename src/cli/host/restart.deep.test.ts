// Tests a host that restarts without something its runs need: it leaves them as they are, reports it, and continues them when the thing is back.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { loopbackChat } from '../../testing/models/loopback-chat.ts'

const BIN = resolve('bin/onbook.mjs')
const CHAT = 'OPENAI_COMPATIBLE_BASE_URL'
const slow = 'replies:\n  - match: {}\n    ticks: 1000000000\n    text: Never.\n'
const folder = temporaryFolder(null, {
  'workflows/scripted.yaml': 'id: scripted\nobjective: Say hello.\nnodes: [{ id: greeter, provider: scripted, model: small }]\n',
  'workflows/asked.yaml': 'id: asked\nobjective: Say hello.\nnodes: [{ id: greeter, provider: openai-compatible, model: tiny }]\n',
  // With a prompts/ folder, only the files in it are packs, so the scripts do not count.
  'prompts/packs/a.json': '[{"role":"system","content":"Hi."}]',
  'slow.yaml': slow,
  'quick.yaml': 'replies:\n  - match: {}\n    text: Hello.\n',
})

interface Host {
  readonly log: () => string
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Record<string, never> }>
  kill(): Promise<void>
}

const pids: (() => void)[] = []
afterAll(() => {
  for (const end of pids) end()
})

async function serve(env: Record<string, string>, ...args: readonly string[]): Promise<Host> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  pids.push(() => child.kill('SIGKILL'))
  const ended = new Promise<void>(done => child.once('close', () => done()))
  let said = ''
  let log = ''
  child.stderr.on('data', data => {
    log += data
  })
  const url = await new Promise<string>((found, failed) => {
    child.stdout.on('data', data => {
      said += data
      log += data
      const line = said.split('\n').find(one => one.includes('"loginUrl"'))
      if (line !== undefined) found((JSON.parse(line) as { url: string }).url)
    })
    void ended.then(() => failed(new Error(`the host ended: ${log}`)))
  })
  const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  return {
    log: () => log,
    async ask(method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, never> }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise(resume => setTimeout(resume, 100))
}

it('newcomer §6: a run in flight survives a restart without its script, or without the address of its provider', {
  timeout: 180_000,
}, async () => {
  // The provider does not answer at first.
  let answers = false
  const chat = await loopbackChat('openai', () => (answers ? { pieces: ['Hello.'] } : undefined))
  expect((await runCli(['publish'], { cwd: folder })).code).toBe(0)
  const first = await serve({ [CHAT]: chat.url }, '--script', 'slow.yaml')
  const [scripted, asked] = await Promise.all(
    ['scripted', 'asked'].map(async workflowId => String((await first.ask('POST', '/v1/runs', { workflowId })).body.runId)),
  )
  await until(async () => chat.heard.length > 0)
  await until(async () => (await first.ask('GET', `/v1/runs/${scripted}`)).body.steps! > 0)
  // A direct run of a session is open as well.
  await first.ask('POST', '/v1/sessions', { session: 'desk', config: { provider: 'scripted', model: 'small' } })
  await first.ask('POST', '/v1/sessions/desk/runs', { input: 'Say hello.' })
  await until(async () => {
    const { run } = (await first.ask('GET', '/v1/sessions/desk')).body as { readonly run?: { readonly steps: number } | null }
    return run?.steps === 1
  })
  await first.kill()

  const second = await serve({ [CHAT]: '' })
  await until(async () => (await second.ask('GET', '/readyz')).status === 503)
  await until(async () => (await second.ask('GET', `/v1/runs/${asked}`)).body.waiting !== undefined)
  for (const [run, provider] of [
    [scripted, 'scripted'],
    [asked, 'openai-compatible'],
  ])
    expect((await second.ask('GET', `/v1/runs/${run}`)).body).toMatchObject({
      status: 'running',
      waiting: { code: 'provider_unready', provider },
    })
  await until(async () => (await second.ask('GET', '/v1/sessions/desk')).body.unready !== undefined)
  const desk = (await second.ask('GET', '/v1/sessions/desk')).body
  expect(desk).toMatchObject({ lifecycle: 'running', unready: { code: 'provider_unready', provider: 'scripted' } })

  const shown = await runCli(['show', scripted!], { cwd: folder })
  expect(shown.out).toMatch(/ is waiting\n/)
  expect(shown.out).toMatch(/\nwaits for provider scripted since \d{4}-\d\d-\d\dT\S+Z: .*--script FILE/)
  expect(shown.out).toContain('Start the host with the missing provider')
  const { status, waiting } = JSON.parse((await runCli(['show', asked!, '--json'], { cwd: folder })).out)
  expect([status, waiting]).toEqual(['waiting', (await second.ask('GET', `/v1/runs/${asked}`)).body.waiting])
  const session = await runCli(['sessions', 'show', 'desk'], { cwd: folder })
  expect(session.out).toMatch(/run waits for provider scripted since \d{4}-\S+Z: .*--script FILE/)
  const { body } = await second.ask('GET', '/readyz')
  expect(JSON.stringify(body)).toContain(CHAT)
  expect(JSON.stringify(body)).toContain('--script FILE')
  expect(second.log()).toContain('waits for its provider')
  // A new run that could not be answered is refused, and leaves nothing on record.
  expect(await second.ask('POST', '/v1/runs', { workflowId: 'asked' })).toMatchObject({
    status: 400,
    body: { error: 'model_address_missing' },
  })
  await second.kill()

  answers = true
  const third = await serve({ [CHAT]: chat.url }, '--script', 'quick.yaml')
  for (const run of [scripted, asked]) await until(async () => (await third.ask('GET', `/v1/runs/${run}`)).body.status === 'completed')
  await until(async () => (await third.ask('GET', '/v1/sessions/desk')).body.lifecycle === 'completed')
  expect((await runCli(['show', scripted!, '--json'], { cwd: folder })).out).toContain('"waiting": null')
  expect((await third.ask('GET', '/readyz')).status).toBe(200)
  await third.kill()
  await chat.close()
})
