// A run file holds only the state of its surroundings at the end of the run, and only events: so the file stays the same, and small.
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import { readRunFileHeader } from '../../core/record/run-file.ts'
import type { Store } from '../../ports.ts'
import { withReads } from '../../testing/mutations/changed-store.ts'
import { exportRun } from './export-run.ts'

let minute = 0
const store: Store = memoryStore(() => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString())
const body = (text: string) => new TextEncoder().encode(text)
const snapshot = { workspace: 'desk', version: 1, root: digestBytes(body('root')) }
const found = (libraryId: string) => ({ status: 'found', template: { libraryId, templateId: 'x', version: '1.0.0' } })
const lookup = body(
  JSON.stringify({
    found: { '[null,"writer",null,"live"]': found('house'), '[null,"critic","1.0.0",null]': found('other') },
    defaults: {},
  }),
)
const workflow = body('{}')
const frozen = body(
  JSON.stringify({ $node: 'frozen', workflow: digestBytes(workflow), lookup: [digestBytes(lookup)], agents: {}, roles: {} }),
)
const OBJECTS = ['root', 'secret of the home'].map(body)

async function add(stream: string, type: string, payload: Json, tenant = 'acme') {
  const { seq } = await store.head(tenant, stream)
  const objects = [lookup, workflow, frozen, ...OBJECTS]
  await store.commit({ tenant, objects, appends: [{ stream, expected: seq, entries: [{ type, actor: 'ada', payload }] }] })
}

const exported = async (withPolicy = true): Promise<string> => {
  const lines: string[] = []
  for await (const line of exportRun(store, { tenant: 'acme', runId: 'r1', withPolicy })) lines.push(line)
  return lines.join('')
}
const streamsIn = (text: string) =>
  readRunFileHeader(text.split('\n')[0]!)!.streams.map(one => `${one.tenant} ${one.stream} ${one.events} ${one.objects}`)

it('takes along what was there when the run ended, and says what it leaves out', async () => {
  const beside = async () => {
    await add('session/home', 'workspace.applied', { snapshot, note: digestBytes(OBJECTS[1]!) } as unknown as Json)
    for (const stream of ['session/stranger', 'workspace/desk', 'workspace/elsewhere', 'library/house', 'library/other'])
      await add(stream, 'thing.happened', {})
    await add('host/policy', 'policy.changed', {}, 'onbook')
  }
  await beside()
  await add('run/r1', 'run.created', { frozen: digestBytes(frozen) })
  await add('run/r1', 'node.started', { nodeId: 'a', session: null, home: 'home', snapshot } as unknown as Json)
  await add('run/r1', 'run.completed', {})
  minute++
  const text = await exported()
  expect(streamsIn(text)).toEqual([
    'acme library/house 1 false',
    'acme run/r1 3 true',
    'acme session/home 1 false',
    'acme workspace/desk 1 false',
    'onbook host/policy 1 false',
  ])
  expect(text).not.toContain(Buffer.from(OBJECTS[1]!).toString('base64'))

  await beside()
  expect(await exported()).toBe(text)

  const less = await exported(false)
  expect(less).not.toContain('policy.changed')
  expect(readRunFileHeader(less.split('\n')[0]!)!.leftOut).toMatchObject([{ tenant: 'onbook', stream: 'host/policy' }])
})

it('says which session is too long for the file', async () => {
  const [session, most] = ['session/shared', 100_000]
  await add(session, 'session.created', {})
  await add('run/r2', 'run.created', { frozen: digestBytes(frozen) })
  await add('run/r2', 'node.started', { nodeId: 'a', session: 'shared', home: 'shared' })
  const long = withReads(store, async function* (tenant, stream, after) {
    for await (const stored of store.read(tenant, stream, after))
      for (let left = stream === session ? 2 * most : 1; left > 0; left--) yield stored
  })
  const lines = exportRun(long, { tenant: 'acme', runId: 'r2', withPolicy: true })[Symbol.asyncIterator]()
  const { value: header } = await lines.next()
  expect(readRunFileHeader(String(header).trimEnd())!.leftOut).toEqual([
    { tenant: 'acme', stream: session, reason: `it has more than ${most} events` },
  ])
})

it('refuses to leave out what the run does not speak of, before anything is written', async () => {
  const without = new Set([digestBytes(body('nothing of it'))])
  const lines = exportRun(store, { tenant: 'acme', runId: 'r1', withPolicy: true, without })[Symbol.asyncIterator]()
  await expect(lines.next()).rejects.toMatchObject({ code: 'usage_invalid' })
})
