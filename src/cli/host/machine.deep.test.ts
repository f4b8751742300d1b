// Tests a host on a failing machine: no file descriptors, a full disk, reused process ids, a backlog at shutdown.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { noDiskBecause, smallDisk } from '../../testing/stores/tmpfs.ts'

const BIN = resolve('bin/onbook.mjs')
const PATIENT = { timeout: 120_000, interval: 300 }
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into by the test that asked
  readonly body: any
}

async function serve(cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ends.push(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.on('data', data => {
    log += data
  })
  const ended = new Promise<number | null>(done => child.once('close', done))
  const line = await Promise.race([
    new Promise<string>(said => child.stdout.once('data', data => said(String(data)))),
    ended.then(() => Promise.reject(new Error(log))),
  ])
  const { url } = JSON.parse(line) as { readonly url: string }
  const key = readFileSync(join(cwd, '.onbook', 'local.key'), 'utf8').trim()
  // One connection for all requests: a host without descriptors accepts no other.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  ends.push(() => agent.destroy())
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    new Promise((settle, fail) => {
      const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const asked = request(`${url}${path}`, { method, agent, headers }, answer => {
        let text = ''
        answer.on('data', piece => {
          text += piece
        })
        answer.on('end', () => settle({ status: answer.statusCode!, body: JSON.parse(text) }))
      })
      asked.on('error', fail).end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { child, ended, ask, log: () => log }
}
type Served = Awaited<ReturnType<typeof serve>>

const MODEL = JSON.stringify({ model: { provider: 'scripted', model: 'small' } })
const NEVER = 'replies: [{ match: {}, ticks: 1000000000, text: Never. }]'
const QUICK = 'replies: [{ match: {}, text: Hello. }]'
const WORKFLOW = { id: 'w', objective: 'Say hello.', nodes: [{ id: 'n' }] }

async function startRuns(host: Served, count: number): Promise<readonly string[]> {
  expect((await host.ask('PUT', '/v1/workflows/w', WORKFLOW)).status).toBeLessThan(300)
  const runs: string[] = []
  for (let n = 0; n < count; n += 1) {
    const { status, body } = await host.ask('POST', '/v1/runs', { workflowId: 'w' })
    expect(status).toBe(201)
    runs.push(body.runId)
  }
  return runs
}
const statusOf = async (host: Served, runId: string): Promise<string> => (await host.ask('GET', `/v1/runs/${runId}`)).body.status
const allAre = (host: Served, runs: readonly string[], status: string) =>
  vi.waitFor(async () => expect(new Set(await Promise.all(runs.map(run => statusOf(host, run))))).toEqual(new Set([status])), PATIENT)

const canLimit = spawnSync('prlimit', ['--version']).status === 0

it.skipIf(!canLimit)(
  'reliability D7: EMFILE while spawning git does not end the host',
  async () => {
    const tools = ['command', 'write_file']
    const toolCalls = [
      { toolName: 'write_file', arguments: { path: 'b.txt', content: 'b' } },
      { toolName: 'command', arguments: { cmd: 'echo hello' } },
    ]
    const folder = temporaryFolder(null, {
      'onbook.host.yaml': JSON.stringify({ model: { provider: 'scripted', model: 'small' }, tools: { bind: tools } }),
      'onbook.policy.yaml': JSON.stringify({ offer: tools, grants: [{ tools }] }),
      'script.yaml': JSON.stringify({
        replies: [
          { match: { step: 1 }, toolCalls },
          { match: {}, text: 'Done.' },
        ],
      }),
      'a.txt': 'a',
    })
    const host = await serve(folder, ['--repo', '.', '--script', 'script.yaml'])
    const { pid } = host.child
    expect((await host.ask('PUT', '/v1/workflows/w', WORKFLOW)).status).toBeLessThan(300)
    const limit = (most: number) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`])
    limit(readdirSync(`/proc/${pid}/fd`).length + 3)
    const { body } = await host.ask('POST', '/v1/runs', { workflowId: 'w' })
    await vi.waitFor(async () => expect(await statusOf(host, body.runId)).not.toBe('running'), PATIENT)
    expect(host.child.exitCode).toBeNull()
    limit(4_096)
    const again = await host.ask('POST', '/v1/runs', { workflowId: 'w' })
    await allAre(host, [again.body.runId], 'completed')
  },
  300_000,
)

const noDisk = noDiskBecause()

it.skipIf(noDisk !== null)(
  'reliability D5: runs that met a full disk go on by themselves when there is room, and /readyz tells',
  async () => {
    const disk = smallDisk()
    ends.push(() => disk.unmount())
    writeFileSync(join(disk.folder, 'onbook.host.yaml'), MODEL)
    writeFileSync(join(disk.folder, 'script.yaml'), 'replies: [{ match: {}, ticks: 400, text: Hello. }]')
    const host = await serve(disk.folder, ['--script', 'script.yaml'])
    const runs = await startRuns(host, 5)
    // The write-ahead log is reset into the store now and then: it must not have room of its own.
    // The host writes meanwhile, and a disk smaller than its files is refused.
    await vi.waitFor(() => disk.leave(0), { timeout: 20_000, interval: 20 })
    await vi.waitFor(async () => expect((await host.ask('GET', '/readyz')).body.reasons?.[0]?.code).toBe('store_full'), PATIENT)
    // Longer than the retries of an earlier release.
    await new Promise(resume => setTimeout(resume, 12_000))
    disk.roomy()
    await allAre(host, runs, 'completed')
    expect((await host.ask('GET', '/readyz')).status).toBe(200)
    host.child.kill('SIGTERM')
    expect(await host.ended).toBe(0)
  },
  300_000,
)

it('reliability D4: the runs of a killed host are taken up though another process has its number', async () => {
  const folder = temporaryFolder(null, { 'onbook.host.yaml': MODEL, 'never.yaml': NEVER, 'quick.yaml': QUICK })
  const first = await serve(folder, ['--script', 'never.yaml'])
  const runs = await startRuns(first, 2)
  first.child.kill('SIGKILL')
  await first.ended
  const note = join(folder, '.onbook', 'host.json')
  writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), pid: process.pid }))
  chmodSync(note, 0o600)
  await allAre(await serve(folder, ['--script', 'quick.yaml']), runs, 'completed')
}, 300_000)

it('reliability D16: a host with a backlog, and with work that does not end, stops in time; the next host takes the runs up', async () => {
  const stubborn = ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 1; done']
  const config = (command: readonly string[]) =>
    JSON.stringify({ model: { provider: 'stubborn', model: 'default' }, cliAgents: { stubborn: { command, graceMs: 600_000 } } })
  const folder = temporaryFolder(null, { 'onbook.host.yaml': config(stubborn), 'never.yaml': NEVER })
  const first = await serve(folder, ['--script', 'never.yaml'])
  const held = await startRuns(first, 2)
  const slow = { ...WORKFLOW, id: 'slow', nodes: [{ id: 'n', provider: 'scripted', model: 'small' }] }
  expect((await first.ask('PUT', '/v1/workflows/slow', slow)).status).toBeLessThan(300)
  for (let n = 0; n < 200; n += 1) expect((await first.ask('POST', '/v1/runs', { workflowId: 'slow' })).status).toBe(201)
  const told = performance.now()
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  // The promise is 10 s. The grace period of the command is ten minutes.
  expect(performance.now() - told).toBeLessThan(30_000)
  writeFileSync(join(folder, 'onbook.host.yaml'), config(['/bin/echo', 'Hello.']))
  await allAre(await serve(folder, ['--script', 'never.yaml']), held, 'completed')
}, 300_000)

it('reliability D22: the next host removes the homes that killed hosts left, and no other', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'onbook-homes-'))
  const started = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]
  const homes = [`onbook-home-${process.pid}-1-left`, `onbook-home-${process.pid}-${started}-used`, 'onbook-home-other']
  for (const home of homes) mkdirSync(join(temporary, home))
  await serve(temporaryFolder(null), [], { TMPDIR: temporary })
  expect(homes.map(home => existsSync(join(temporary, home)))).toEqual([false, true, true])
}, 120_000)
