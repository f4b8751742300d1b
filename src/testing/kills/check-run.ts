// Checks a run whose host was killed again and again: it ended as it would have, and nothing was lost, done twice, or sent without a record.
import assert from 'node:assert/strict'
import { memoryScratch } from '../../adapters/memory-store/memory-tables.ts'
import type { ProjectedRow } from '../../core/record/projection.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { wireName } from '../../core/tools/wire-names.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import { loadRun } from '../../engine/runs/load.ts'
import { openRuns } from '../../engine/runs/runs.ts'
import { loadSession } from '../../engine/sessions/load.ts'
import { syncingSessions } from '../../engine/sessions/sessions.ts'
import { buildCall } from '../../engine/turns/model-call.ts'
import { verifyRecord } from '../../engine/verify/verify.ts'
import { runDocument } from '../../host/routes/runs/run-documents.ts'
import type { Store } from '../../ports.ts'
import { HOME, MARKING, textOf, type WireMessage } from './twenty-nodes.ts'

export const TENANT = 'acme'

/** A request as it came in. */
export interface HeardRequest {
  readonly host: string
  readonly run: string
  readonly node: string
  /** Its messages, as `spelled` has them. */
  readonly key: string
}

/** The compared parts of messages: the role, the text, and which calls are made and answered. */
export const spelled = (messages: readonly WireMessage[]): string =>
  JSON.stringify(
    messages.map(message => [
      message.role,
      message.role === 'tool' ? JSON.parse(textOf(message)) : textOf(message),
      message.tool_call_id ??
        (message.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => [id, name, JSON.parse(given)]),
    ]),
  )

/** The same of a step that is on record. */
async function recorded(store: Store, request: StepRequest): Promise<string> {
  const built = await buildCall(store, TENANT, request)
  assert(built.ok)
  return JSON.stringify(
    built.call.messages.map(({ role, content }) => {
      const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
      const [result] = content.flatMap(part => (part.type === 'tool_result' ? [part] : []))
      if (result !== undefined) return [role, result.output, result.callId]
      return [
        role,
        text,
        content.flatMap(part => (part.type === 'tool_call' ? [[part.callId, wireName(part.toolName), part.arguments]] : [])),
      ]
    }),
  )
}

async function eventsOf(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const { event } of store.read(TENANT, runStream(runId), -1)) events.push(runEvent(event))
  return events
}

/** At this moment, with its prompt whole. */
export async function isOnRecord(store: Store, { run, node, key }: HeardRequest): Promise<boolean> {
  for (const event of await eventsOf(store, run)) {
    if (event.type !== 'step.started' || event.nodeId !== node || (await recorded(store, event.request)) !== key) continue
    const { full, segments, blocks } = event.prompt
    for (const digest of [full, segments, ...Object.values(blocks)]) await store.object(TENANT, digest)
    return true
  }
  return false
}

/** The result of a run: the same for every run of the workflow. */
export type Gist = object

export async function gistOf(store: Store, runId: string): Promise<Gist> {
  const { phase, outputs, nodes, steps, followed } = (await loadRun(store, TENANT, runId)).state
  const ends = Object.entries(nodes).map(([id, node]) => [id, [node.status, node.visits, node.steps, node.output, node.edges]])
  return { phase, outputs, steps, followed, nodes: Object.fromEntries(ends) }
}

export interface Witness {
  readonly runId: string
  /** The events that the client received. */
  readonly told: ReadonlyMap<number, string>
  readonly heard: readonly HeardRequest[]
  /** The lines that the tool wrote, one for each call. */
  readonly lines: readonly string[]
}

export async function checkRun(store: Store, { runId, told, heard, lines }: Witness): Promise<void> {
  const events = await eventsOf(store, runId)
  await checkTold(store, runId, told, events.length)
  const claims = events.flatMap(event => (event.type === 'run.claimed' ? [event] : []))
  assert.deepEqual(
    claims.map(({ epoch }) => epoch),
    claims.map((_, index) => index + 1),
  )
  assert.equal(new Set(claims.map(({ owner }) => owner)).size, claims.length)
  await checkRequests(store, events, heard)
  await checkCalls(store, events, lines)
}

/** Everything that was acknowledged is there, as it was sent; and nothing was left out in between. */
async function checkTold(store: Store, runId: string, told: Witness['told'], count: number): Promise<void> {
  let found = 0
  for await (const stored of store.read(TENANT, runStream(runId), -1)) {
    const sent = told.get(stored.event.seq)
    assert.equal(sent, JSON.stringify(await runDocument(store, TENANT, {}, stored, 'full')), `event ${stored.event.seq}`)
    found++
  }
  assert.deepEqual([found, told.size], [count, count])
}

/** No step was asked for more often than is on record, and none by a host that had lost the run before the step began. */
async function checkRequests(store: Store, events: readonly RunEvent[], heard: readonly HeardRequest[]): Promise<void> {
  const steps: { readonly seq: number; readonly nodeId: string; readonly key: string; attempts: number }[] = []
  const lost = new Map<string, number>()
  let owner = ''
  for (const [seq, event] of events.entries()) {
    if (event.type === 'run.claimed') lost.set(owner, seq)
    if (event.type === 'run.claimed' || event.type === 'run.created') owner = event.owner
    if (event.type === 'step.started') steps.push({ seq, nodeId: event.nodeId, key: await recorded(store, event.request), attempts: 1 })
    if (event.type === 'step.retried') steps.findLast(({ nodeId }) => nodeId === event.nodeId)!.attempts++
  }
  for (const { host, node, key } of heard) {
    const step = steps.find(one => one.nodeId === node && one.key === key && one.attempts > 0)
    assert(step !== undefined, `${node} was asked more often than is on record`)
    assert(step.seq < (lost.get(host) ?? Number.POSITIVE_INFINITY), `${host} began a step of ${node} when it had lost the run`)
    step.attempts--
  }
}

async function checkCalls(store: Store, events: readonly RunEvent[], lines: readonly string[]): Promise<void> {
  const settled = events.flatMap(event => (event.type === 'call.settled' ? [event] : []))
  const judged = new Set(events.flatMap(event => (event.type === 'call.judged' ? [`${event.nodeId} ${event.call}`] : [])))
  assert.deepEqual(settled.map(({ nodeId, call }) => `${nodeId} ${call}`).sort(), [...judged].sort())
  const known = new Set<string>()
  for (const { tool, status, arguments: given } of settled) {
    if (!MARKING.includes(tool)) {
      assert.equal(status, 'succeeded')
      continue
    }
    const { mark } = JSON.parse(new TextDecoder().decode(await store.object(TENANT, given))) as { readonly mark: string }
    known.add(mark)
    const times = lines.filter(line => line === mark).length
    if (status === 'succeeded') assert.equal(times, 1, `${mark} is settled`)
    else assert(status === 'interrupted' && times <= 1, `${mark} is ${status}, and was done ${times} times`)
  }
  for (const line of lines) assert(known.has(line), `${line} was done, and is nowhere on record`)
  checkApprovals(events)
}

/** Each call of a gated tool asked for approval once, and every request has an answer. */
function checkApprovals(events: readonly RunEvent[]): void {
  const asked = events.flatMap(event => (event.type === 'approval.requested' ? [event.approval] : []))
  const answered = events.flatMap(event => (event.type === 'approval.resolved' ? [event.approval] : []))
  const signed = events.filter(event => event.type === 'call.settled' && event.tool === 'sign')
  assert.deepEqual([asked.length, new Set(asked).size], [signed.length, signed.length])
  assert.deepEqual([...answered].sort(), [...asked].sort())
}

/** Nothing is open, the record is whole, and its tables are what they would be if they were made again. */
export async function checkRecord(store: Store): Promise<void> {
  assert.deepEqual(await openRuns(store, TENANT), [])
  assert.deepEqual(await syncingSessions(store, TENANT), [])
  assert.equal((await loadSession(store, TENANT, HOME)).state.open, null)
  const { projections } = store
  const inspection = await store.inspect()
  const { breaks } = await verifyRecord(inspection, { projections, scratch: memoryScratch(projections), check: null })
  await inspection.close()
  assert.deepEqual(breaks, [])
  const before = await rowsOf(store)
  await store.rebuild()
  assert.deepEqual(await rowsOf(store), before)
}

async function rowsOf(store: Store): Promise<readonly ProjectedRow[]> {
  const inspection = await store.inspect()
  const rows: ProjectedRow[] = []
  for (const { table } of store.projections) for await (const row of inspection.rows(table)) rows.push(row)
  await inspection.close()
  return rows
}
