// Tool servers as real processes. Misbehaving servers: mcp-tool-server.deep.test.ts.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
const tempFile = () => join(mkdtempSync(join(tmpdir(), 'onbook-mcp-')), 'tools.json')

describe('a server that behaves', () => {
  it('lists all its pages, and answers calls', async () => {
    const server = serverThat('well')
    const { tools, leftOut } = await server.list()
    expect([tools.map(({ name }) => name), leftOut]).toEqual([['say', 'environment'], []])
    expect(tools[0]).toMatchObject({ description: 'Says it again.', annotations: { readOnlyHint: true } })
    expect(await tell(server)).toEqual({ text: 'hello' })
  })

  it('is told apart from one that only talks beside its answers', async () => {
    expect(await tell(serverThat('chats'))).toEqual({ text: 'hello' })
  })

  it('says structure once, and names what is no text', async () => {
    const server = serverThat('well')
    expect(await tell(server, 'structure')).toEqual({ structured: { a: [2], b: 1 } })
    expect(await tell(server, 'picture')).toEqual({ text: 'picture', others: [{ type: 'image', mimeType: 'image/png', bytes: 3 }] })
  })

  it('that says itself that a call failed makes it fail, with what it said', async () => {
    expect(await messageOf(tell(serverThat('well'), 'fail'))).toBe('say failed: it cannot be said')
    expect(await codeOf(tell(serverThat('refuses')))).toBe('tool_error')
  })

  it('is lent no variable but those that are named, and what it was lent is not told on', async () => {
    vi.stubEnv('LENT_TOKEN', 'very-secret-token')
    vi.stubEnv('NOT_LENT', 'nobody else’s business')
    const { structured } = (await tell(serverThat('well', { env: ['LENT_TOKEN'] }), '', 'environment')) as {
      readonly structured: Record<string, string>
    }
    expect(structured.LENT_TOKEN).toBe('[REDACTED]')
    expect(Object.keys(structured).filter(name => !/^(?:PATH|HOME|LANG|LC_\w+|TERM|TMPDIR|LENT_TOKEN)$/.test(name))).toEqual([])
  })

  it('is listed as it is now, each time', async () => {
    const file = tempFile()
    const server = serverThat('well', {}, file)
    expect((await server.list()).tools).toHaveLength(2)
    writeFileSync(file, JSON.stringify([{ name: 'say', description: 'Else.', inputSchema: { type: 'object' } }]))
    expect((await server.list()).tools).toEqual([{ name: 'say', description: 'Else.', inputSchema: { type: 'object' } }])
  })
})

describe('a list that is too long', () => {
  it('is cut where its limit is, and says so', async () => {
    const { tools, leftOut } = await serverThat('lists too many', { maxTools: 50 }).list()
    expect([tools.length, leftOut]).toEqual([50, ['all after the first 50']])
  })

  it('is not followed for ever', async () => {
    expect(await serverThat('lists for ever').list()).toEqual({ tools: [], leftOut: ['all after page 100'] })
  })

  it('tells no secret in what it says of tools, and keeps what they and their arguments are called', async () => {
    vi.stubEnv('LENT_TOKEN', 'very-secret-token')
    const file = tempFile()
    const schema = (text: string, example: string) => ({
      type: 'object',
      properties: { 'very-secret-token': { type: 'string', description: text, default: example }, description: { type: 'string' } },
      required: ['very-secret-token'],
    })
    const tool = (text: string, example: string) => ({ name: 'say', description: text, inputSchema: schema(text, example) })
    writeFileSync(file, JSON.stringify([tool('Give very-secret-token.', 'very-secret-token')]))
    const { tools } = await serverThat('well', { env: ['LENT_TOKEN'] }, file).list()
    expect(tools).toEqual([tool('Give [REDACTED].', '[REDACTED]')])
  })

  it('leaves out what no provider could be told, what is there twice, and what says too much', async () => {
    const file = tempFile()
    const named = (name: string, description = '') => ({ name, description, inputSchema: { type: 'object' } })
    writeFileSync(
      file,
      JSON.stringify([named('a.b'), named('x'.repeat(70)), named('good'), named('good'), named('wordy', 'y'.repeat(3_000))]),
    )
    const { tools, leftOut } = await serverThat('well', { maxDescriptorBytes: 1_000 }, file).list()
    expect(tools.map(({ name }) => name)).toEqual(['good'])
    expect(leftOut).toHaveLength(4)
  })
})
