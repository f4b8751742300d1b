// Misbehaving tool servers, as real processes: the caller gets a fault with a code, and no process is left behind.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../errors.ts'
import type { ToolServer } from '../../ports.ts'
import { environmentSecrets } from '../keys/secrets.ts'
import { mcpToolServer } from './mcp-tool-server.ts'
import type { McpServerSettings } from './settings.ts'

const SERVER = resolve('src/testing/tools/hostile-mcp-server.mjs')
const opened: ToolServer[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(one => one.close()))
})

function serverThat(how: string, settings: McpServerSettings = {}, file = ''): ToolServer {
  const server = mcpToolServer('desk', { command: process.execPath, args: [SERVER, how, file], ...settings }, environmentSecrets({}))
  opened.push(server)
  return server
}

const say = { name: 'say', description: '', inputSchema: {} }
const never = new AbortController().signal
const tell = (server: ToolServer, text = 'hello', name = 'say') => server.call({ ...say, name }, { text }, never)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Fault) => error.code,
  )
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Fault) => error.message,
  )
const QUICK = { callMs: 400 }
const tempFile = () => join(mkdtempSync(join(tmpdir(), 'onbook-mcp-')), 'tools.json')

describe('a server that cannot be used', () => {
  const cases: readonly [string, McpServerSettings, string, RegExp][] = [
    ['dies at once', {}, 'tool_server_failed', /ended by itself, with code 3\. It said: no such licence: none/],
    ['never connects', { connectMs: 300 }, 'tool_server_timeout', /within 300 ms/],
    ['hangs on list', { connectMs: 600 }, 'tool_server_timeout', /within 600 ms/],
    ['lists garbage', {}, 'tool_server_failed', /cannot be used/],
    ['lists at once', {}, 'tool_server_failed', /wrote more than \d+ bytes at once/],
    ['floods', { maxAnswerBytes: 90_000 }, 'tool_server_failed', /wrote more than/],
    ['well', { command: '/nowhere/server' }, 'tool_server_failed', /cannot be started: \/nowhere\/server: it does not exist/],
    ['well', { cwd: '/nowhere/at/all' }, 'tool_server_failed', /cannot be started: \/nowhere\/at\/all/],
  ]
  it.each(cases)('because it %s (%j) is told with a code', async (how, settings, code, problem) => {
    const server = serverThat(how, settings)
    const fault = await server.list().then(
      () => null,
      (error: Fault) => error,
    )
    expect([fault?.code, fault?.message]).toEqual([code, expect.stringMatching(problem)])
  })

  it('tells no secret that it was lent', async () => {
    vi.stubEnv('LENT_TOKEN', 'very-secret-token')
    expect(await messageOf(serverThat('dies at once', { env: ['LENT_TOKEN'] }).list())).toMatch(/licence: \[REDACTED\]/)
  })
})

describe('a call', () => {
  it.each([
    ['hangs on call', 'tool_server_timeout'],
    ['dies on call', 'tool_server_failed'],
    ['answers garbage', 'tool_server_failed'],
    ['answers hugely', 'tool_server_failed'],
    ['answers deeply', 'tool_server_failed'],
  ])('to one that %s fails with %s', async (how, code) => {
    expect(await codeOf(tell(serverThat(how, how === 'hangs on call' ? QUICK : {})))).toBe(code)
  })

  it('to one that has died starts it again', async () => {
    const server = serverThat('dies on call')
    expect(await codeOf(tell(server))).toBe('tool_server_failed')
    expect((await server.list()).tools).toHaveLength(2)
  })

  it('to one that could not be reached is not tried again at once', async () => {
    const file = tempFile()
    const server = serverThat('dies at once', {}, file)
    const [first, second] = [await messageOf(server.list()), await messageOf(tell(server))]
    expect(second).toBe(first)
    expect(readFileSync(file, 'utf8')).toBe('started\n')
  })

  it('that is broken off ends at once', async () => {
    const server = serverThat('hangs on call', { callMs: 60_000 })
    await server.list()
    const stop = new AbortController()
    const asked = server.call(say, {}, stop.signal).catch(() => 'ended')
    stop.abort()
    expect(await asked).toBe('ended')
  })
})

it('a list that takes too long ends no call that others made', async () => {
  const server = serverThat('hangs while it works', { connectMs: 2_000 })
  await server.list()
  const told = tell(server)
  expect(await codeOf(server.list())).toBe('tool_server_timeout')
  expect(await told).toEqual({ text: 'hello' })
})

it('whoever is broken off does not wait for one that never connects', async () => {
  const server = serverThat('never connects', { connectMs: 60_000 })
  const stop = new AbortController()
  const [listed, called] = [messageOf(server.list(stop.signal)), messageOf(server.call(say, {}, stop.signal))]
  stop.abort(new Error('the run was cancelled'))
  for (const one of [listed, called]) expect(await one).toMatch(/is no longer asked: the run was cancelled/)
})

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('nobody is left behind: not one who will not go, and not the child of one who went', async () => {
  const file = tempFile()
  const [deaf, parent] = [serverThat('deaf'), serverThat('has a child', {}, file)]
  await Promise.all([deaf.list(), tell(parent)])
  const child = Number(readFileSync(file, 'utf8'))
  expect(lives(child)).toBe(true)
  await Promise.all([deaf.close(), parent.close()])
  for (let waited = 0; lives(child) && waited < 100; waited += 1) await after(20)
  expect(lives(child)).toBe(false)
})

it('nor one that never connected', async () => {
  const file = tempFile()
  expect(await codeOf(serverThat('never connects', { connectMs: 2_000 }, file).list())).toBe('tool_server_timeout')
  const pid = Number(readFileSync(file, 'utf8'))
  for (let waited = 0; lives(pid) && waited < 100; waited += 1) await after(20)
  expect(lives(pid)).toBe(false)
})

it('a host that stops does not wait for one that never connects', async () => {
  const server = serverThat('never connects', { connectMs: 60_000 })
  const asked = messageOf(server.list())
  await after(300)
  await server.close()
  expect(await asked).toMatch(/is no longer asked: the host stops/)
  expect(await messageOf(server.list())).toMatch(/is no longer asked: the host stops/)
})
