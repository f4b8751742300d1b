// One interface, three ways to open it: what an application does with a book is the same in memory, in a folder and through a host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FunctionTool } from './book/function-tools.ts'
import { type Book, connect, createTestBook, onbook } from './book.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-book-'))
const script = join(folder, 'script.yaml')
writeFileSync(
  script,
  JSON.stringify({
    replies: [
      { match: { last: 'order' }, toolCalls: [{ toolName: 'order_status', arguments: { id: '7' } }], times: 1 },
      { match: { last: 'refund' }, toolCalls: [{ toolName: 'refund', arguments: { id: '7' } }], times: 1 },
      { match: {}, text: 'It is on its way.' },
    ],
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

const calls: unknown[] = []
const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const tools: readonly FunctionTool[] = [
  {
    name: 'order_status',
    description: 'Looks up an order.',
    inputSchema,
    run(input) {
      calls.push(input)
      return { status: 'shipped' }
    },
  },
  { name: 'refund', description: 'Refunds an order.', inputSchema, approval: true, run: () => ({ refunded: true }) },
]
const options = { model: 'scripted/small', script, tools, actor: 'shop' }

const ways: Readonly<Record<string, () => Promise<Book>>> = {
  'in memory': () => createTestBook(options),
  'in a folder': () => onbook({ ...options, data: join(folder, 'record') }),
}

describe.each(Object.entries(ways))('a book %s', (_, open) => {
  let book: Book
  beforeAll(async () => {
    calls.length = 0
    book = await open()
  })
  afterAll(() => book.close())

  it('publishes a prompt, and renders it', async () => {
    await book.prompts.create({
      templateId: 'greeting',
      version: '1.0.0',
      kind: 'user',
      text: 'Hello {{name}}.',
      variables: [{ name: 'name', type: 'string', required: true }],
    } as never)
    const { composed } = await book.render({ ref: 'prompt:greeting', variables: { name: 'Ada' } })
    expect(composed).toBe('Hello Ada.')
  })

  it('sends a message to a session, whose model calls a function of the application', async () => {
    const reply = await book.say('support', 'Where is my order?')
    expect(reply).toMatchObject({ status: 'completed', text: 'It is on its way.' })
    expect(calls).toEqual([{ id: '7' }])
  })

  it('waits for a person where a tool needs one, and goes on with the answer', async () => {
    const reply = await book.say('support', 'A refund, please.')
    expect(reply).toMatchObject({ status: 'waiting-approval', text: null })
    await book.approvals.resolve(reply.approvals[0]!.approval, { decision: 'approved' })
    expect(await book.runs.waitFor(reply.runId)).toMatchObject({ status: 'completed' })
  })

  it('answers questions about a run', async () => {
    const { runId } = await book.say('support', 'Thank you.')
    expect(await book.why(runId)).toMatchObject([{ nodeId: 'session', kind: 'system' }])
    const [blamed] = await book.blame(runId)
    expect(blamed).toMatchObject({ runId, nodeId: 'session', step: 1 })
    expect(await book.replay(runId)).toMatchObject({ identical: true, divergences: [] })
    expect(await book.prefix(runId)).toHaveLength(1)
    expect(await book.diff(runId, { with: (await book.say('support', 'Bye.')).runId })).toMatchObject({ a: runId })
    expect(new TextDecoder().decode(await book.exportRun(runId))).toContain(runId)
  })

  it('answers no request without the key of the application: a server that mounts it opens nothing', async () => {
    const ask = (headers: Readonly<Record<string, string>>) => book.fetch('http://onbook.embedded/v1/prompts', { headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer embedded_guessed' })).status).toBe(401)
  })

  it('records the application as the actor', async () => {
    for await (const { runId } of book.runs.list()) {
      const first = book.events(`/v1/streams/${encodeURIComponent(`run/${runId}`)}/events`)
      for await (const { data } of first) {
        expect(JSON.parse(data).actor).toBe('shop')
        break
      }
    }
  })
})

it('a book of a host asks that host', async () => {
  const local = await createTestBook(options)
  const remote = connect({ url: 'http://127.0.0.1:1', key: 'none', retries: 0 })
  await expect(remote.say('support', 'Hello')).rejects.toMatchObject({ code: 'host_unreachable' })
  await remote.close()
  await local.close()
})
