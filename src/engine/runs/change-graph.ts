// A call of a graph tool, done: judged, made and settled in one commit with the run. Whatever stops the host, it was done whole or not at all.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import { draftRun, emitRun } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { followSession } from '../../core/run/follow.ts'
import { type GraphPlace, planEdge, planHandoff, planSpawn } from '../../core/run/graph-plans.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import type { SessionState } from '../../core/session/state.ts'
import { callTooLate, resultText } from '../sessions/call-tool.ts'
import { type Done, failed, scrubbed, told } from '../sessions/done.ts'
import { type LoadedSession, loadSession } from '../sessions/load.ts'
import { buildCall } from '../sessions/model-call.ts'
import type { GraphChange, Performing } from '../sessions/performing.ts'
import { decideAll } from './decide-session.ts'
import type { LoadedFrozen } from './frozen.ts'
import type { WriteOwned } from './owned-runs.ts'
import { type Spawner, spawnOf } from './spawn.ts'
import type { RunChange } from './write-run.ts'

/** What a call comes to. */
interface Made {
  readonly events: readonly RunEvent[]
  readonly texts: readonly StoredText[]
  /** Null for a call that stays open: somebody has to reply first. */
  readonly done: Done | null
}

export interface GraphDesk extends Pick<Spawner, 'roleNamed' | 'calls'> {
  readonly write: WriteOwned
}

/** What the commit calls for in the session. */
export async function changeGraph(
  desk: GraphDesk,
  performing: Performing,
  node: NodeOfRun,
  change: GraphChange,
): Promise<readonly SessionEffect[]> {
  const { tenant, session, actor, cause = null } = performing.place
  const place = { tenant, runId: node.runId, actor, cause }
  const written = await desk.write(place, async ({ state }, frozen, load) => {
    const loaded = await load(session)
    const { run } = loaded.state
    if (run?.node?.runId !== node.runId || run.node.nodeId !== node.nodeId) return null
    const graph = { state, workflow: frozen.workflow, nodeId: node.nodeId }
    return decideChange(performing, graph, spawnerOf(desk, frozen, node, loaded.state), loaded, change)
  })
  if (written !== null) return written.answer
  await callTooLate(performing, change.effect)
  return []
}

/** Null when the call is not to be made any more. */
async function decideChange(
  performing: Performing,
  place: GraphPlace,
  spawner: Spawner,
  { state: before, seq }: LoadedSession,
  change: GraphChange,
): Promise<RunChange<readonly SessionEffect[]> | null> {
  const { session } = performing.place
  const { verdict, arguments: given } = change
  const { run, batch, call, again, epoch, stepEpoch } = change.effect
  const judged = decideAll(before, [{ type: 'judgeCall', run, batch, call: call.id, verdict, again }])
  if (judged.refusal !== null) return null
  const { state, workflow, nodeId } = place
  const started = followSession(draftRun(state), workflow, nodeId, judged.events, { before, after: judged.state }, {})
  // The graph may have changed since it was judged.
  const made = await makeOf(performing, place, spawner, change)
  const grown = emitRun(started, ...made.events)
  if (made.done === null) {
    const open = { session, seq, state: judged.state, events: judged.events }
    return { run: grown, session: open, texts: made.texts, objects: judged.objects, answer: judged.effects }
  }
  const { approval = null } = before.run?.batch?.calls.find(({ id }) => id === call.id) ?? {}
  const done = await scrubbed(performing, told(made.done, given, approval))
  const text = await resultText(performing, call, done)
  const result = digestText(text)
  const settled = decideAll(judged.state, [
    { type: 'settleCall', run, batch, epoch, stepEpoch, call: call.id, outcome: done.outcome, result },
  ])
  return {
    run: followSession(grown, workflow, nodeId, settled.events, { before: judged.state, after: settled.state }, {}),
    session: { session, seq, state: settled.state, events: [...judged.events, ...settled.events] },
    texts: [...made.texts, { digest: result, text }],
    objects: [...judged.objects, ...settled.objects],
    answer: settled.effects,
  }
}

export const spawnerOf = (
  { roleNamed, calls }: Omit<GraphDesk, 'write'>,
  frozen: LoadedFrozen,
  { nodeId }: NodeOfRun,
  { run }: SessionState,
): Spawner => ({ frozen, nodeId, config: run!.config, roleNamed, calls })

const refused = (problem: string): Made => ({ events: [], texts: [], done: failed('tool_refused', problem) })
const succeeded = (output: Json): Done => ({ outcome: { status: 'succeeded' }, output })

async function makeOf(performing: Performing, place: GraphPlace, spawner: Spawner, change: GraphChange): Promise<Made> {
  switch (change.effect.call.name) {
    case 'spawn_node':
      return makeNode(performing, place, spawner, change)
    case 'create_edge':
      return makeEdge(place, change)
    default:
      return makeHandoff(performing, place, change)
  }
}

async function makeNode(performing: Performing, place: GraphPlace, spawner: Spawner, { arguments: given }: GraphChange): Promise<Made> {
  const planned = planSpawn(place, given)
  if (!planned.ok) return refused(planned.problem)
  const spawned = await spawnOf(spawner, planned.plan)
  if (!spawned.ok) return refused(spawned.problem)
  const { node } = spawned
  const { handoff } = planned.plan
  const first = handoff === null ? null : sentOf(place, node.nodeId, stored(handoff), { expectation: 'none', answers: null, awaits: null })
  const { nodeId, label, alias, role, model } = node
  const output = { nodeId, label, ...(alias === null ? {} : { alias }), roleTemplate: role.name, provider: model.provider }
  return {
    events: [{ type: 'node.spawned', ...node, tools: await shownTo(performing) }, ...(first === null ? [] : [first.event])],
    texts: [...spawned.texts, ...(first === null ? [] : [first.text])],
    done: succeeded(output),
  }
}

/** What it is not shown itself it cannot show to another. */
async function shownTo({ parts, place }: Performing): Promise<readonly string[]> {
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const request = state.run?.step?.request
  const built = request === undefined ? null : await buildCall(parts.store, place.tenant, request)
  return built?.ok === true ? built.call.tools.map(({ name }) => name) : []
}

function makeEdge(place: GraphPlace, { arguments: given }: GraphChange): Made {
  const planned = planEdge(place, given)
  if (!planned.ok) return refused(planned.problem)
  const { edge } = planned.plan
  const { edgeType: type, ...rest } = edge
  return { events: [{ type: 'edge.created', nodeId: place.nodeId, ...edge }], texts: [], done: succeeded({ ...rest, type }) }
}

function makeHandoff({ parts }: Performing, place: GraphPlace, { arguments: given, effect }: GraphChange): Made {
  const planned = planHandoff(place, given)
  if (!planned.ok) return refused(planned.problem)
  const { to, body, expectation, answers, waitMs } = planned.plan
  const awaits = waitMs === null ? null : { call: effect.call.id, until: parts.now() + waitMs }
  const { event, text } = sentOf(place, to, stored(body), { expectation, answers, awaits })
  const done = awaits === null ? succeeded({ handoff: event.handoff, from: place.nodeId, to }) : null
  return { events: [event], texts: [text], done }
}

type Sent = Extract<RunEvent, { readonly type: 'handoff.sent' }>

/** In an object of ours, so that nothing of it is taken for a node. */
function stored(handoff: object): StoredText {
  const text = canonicalJson({ handoff } as unknown as Json)
  return { digest: digestText(text), text }
}

function sentOf(
  { state, nodeId }: GraphPlace,
  to: string,
  text: StoredText,
  more: Pick<Sent, 'expectation' | 'answers' | 'awaits'>,
): { readonly event: Sent; readonly text: StoredText } {
  return { event: { type: 'handoff.sent', handoff: `handoff-${state.handoffs + 1}`, nodeId, to, body: text.digest, ...more }, text }
}
