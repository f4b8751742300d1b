// Executes a call of a graph tool: the verdict, the change and the result are one commit of the run. A crash leaves all of it or nothing.
import { canonicalJson, digestText, type Json } from '../../../core/digest/digest.ts'
import { decideRun } from '../../../core/run/decide.ts'
import { draftRun, emitRun } from '../../../core/run/draft.ts'
import type { RunEvent } from '../../../core/run/events.ts'
import { type GraphPlace, planEdge, planHandoff, planSpawn } from '../../../core/run/graph/graph-plans.ts'
import { nodeOf } from '../../../core/run/state.ts'
import type { StoredText } from '../../../core/session/history.ts'
import { callNamed } from '../../../core/turn/state.ts'
import { type Judged, judge, judgeAgain, refuseCall, settlement } from '../../turns/call-tool.ts'
import { type Done, failed, told } from '../../turns/done.ts'
import { buildCall } from '../../turns/model-call.ts'
import { nodeGate } from '../../turns/node-gate.ts'
import type { AtWork, NodeGate, Performing } from '../../turns/performing.ts'
import { validatorOf } from '../../work/fair-validator.ts'
import type { WriteOwned } from '../ownership/owned-runs.ts'
import type { RunChange } from '../write-run.ts'
import { graphGate } from './graph-gate.ts'
import { type Spawner, spawnOf } from './spawn.ts'

export interface GraphDesk extends Pick<Spawner, 'roleNamed' | 'calls'> {
  readonly write: WriteOwned
}

export async function callGraphTool(desk: GraphDesk, performing: Performing, id: string): Promise<void> {
  const judged = await judge(performing, id, (at, call) => gateOf(desk, performing, at, call))
  if (judged === null) return
  if (judged.command.verdict.decision !== 'allowed') return refuseCall(performing, judged)
  const refusal = await changeGraph(desk, performing, judged)
  if (refusal !== null) await judgeAgain(performing, id, refusal, () => callGraphTool(desk, performing, id))
}

/** A problem with the call surfaces before a person is asked. */
export async function gateOf(
  desk: Omit<GraphDesk, 'write'>,
  { parts, place }: Pick<Performing, 'parts' | 'place'>,
  at: AtWork,
  call: { readonly name: string; readonly arguments: Json },
): Promise<NodeGate> {
  const gate = nodeGate(at.frozen, at.state, place.nodeId)
  // A session that is asked directly has no graph to change.
  if (gate.node === null) return gate
  const graph = { state: at.state, workflow: at.frozen.workflow, nodeId: place.nodeId }
  const found = await graphGate(validatorOf(parts.validator, place.tenant), graph, spawnerOf(desk, at, place.nodeId), call)
  return { ...gate, ...found, mustAsk: gate.mustAsk || found.mustAsk }
}

/** Why nothing was written; null when the call is on record. */
export async function changeGraph(
  desk: GraphDesk,
  performing: Performing,
  { call, command, arguments: given }: Judged,
): Promise<string | null> {
  const { place } = performing
  const { nodeId } = place
  const written = await desk.write(place, async (run, frozen): Promise<RunChange<string | null> | null> => {
    const { state } = run
    const node = nodeOf(state, nodeId)
    const open = node.turn === null ? null : callNamed(node.turn, call.id)
    if (node.turn === null || open === null) return null
    const judged = decideRun(draftRun(state), frozen.workflow, { type: 'turn', nodeId, command })
    if (!('events' in judged)) return { draft: draftRun(state), answer: judged.code }
    // The graph may have changed since the call was judged.
    const at = { run, state, frozen, node, turn: node.turn }
    const graph = { state, workflow: frozen.workflow, nodeId }
    const made = await makeOf(performing, graph, spawnerOf(desk, at, nodeId), at, call.name, { id: call.id, arguments: given })
    const grown = emitRun(judged, ...made.events)
    if (made.done === null) return { draft: grown, texts: made.texts, answer: null }
    const settling = await settlement(performing, node.turn.step, open, told(made.done, given, open.approval))
    const settled = decideRun(grown, frozen.workflow, { type: 'turn', nodeId, command: settling.command })
    if (!('events' in settled)) return { draft: draftRun(state), answer: settled.code }
    return { draft: settled, texts: made.texts, objects: settling.objects, answer: null }
  })
  return written?.answer ?? null
}

const spawnerOf = ({ roleNamed, calls }: Omit<GraphDesk, 'write'>, { frozen, turn }: AtWork, nodeId: string): Spawner => ({
  frozen,
  nodeId,
  config: turn.config,
  roleNamed,
  calls,
})

/** The result of a call. */
interface Made {
  readonly events: readonly RunEvent[]
  readonly texts: readonly StoredText[]
  /** Null for a call that stays open until another node replies. */
  readonly done: Done | null
}

interface Call {
  readonly id: string
  readonly arguments: Json
}

const refused = (problem: string): Made => ({ events: [], texts: [], done: failed('tool_refused', problem) })
const succeeded = (output: Json): Done => ({ outcome: { status: 'succeeded' }, output })

async function makeOf(performing: Performing, place: GraphPlace, spawner: Spawner, at: AtWork, tool: string, call: Call): Promise<Made> {
  switch (tool) {
    case 'spawn_node':
      return makeNode(performing, place, spawner, at, call)
    case 'create_edge':
      return makeEdge(place, call)
    default:
      return makeHandoff(performing, place, call)
  }
}

async function makeNode(
  performing: Performing,
  place: GraphPlace,
  spawner: Spawner,
  at: AtWork,
  { arguments: given }: Call,
): Promise<Made> {
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
    events: [{ type: 'node.spawned', ...node, tools: await shownTo(performing, at) }, ...(first === null ? [] : [first.event])],
    texts: [...spawned.texts, ...(first === null ? [] : [first.text])],
    done: succeeded(output),
  }
}

/** A tool that it is not shown itself it cannot show to another. */
async function shownTo({ parts, place }: Performing, { turn }: AtWork): Promise<readonly string[]> {
  const built = turn.step === null ? null : await buildCall(parts.store, place.tenant, turn.step.request)
  return built?.ok === true ? built.call.tools.map(({ name }) => name) : []
}

function makeEdge(place: GraphPlace, { arguments: given }: Call): Made {
  const planned = planEdge(place, given)
  if (!planned.ok) return refused(planned.problem)
  const { edge } = planned.plan
  const { edgeType: type, ...rest } = edge
  return { events: [{ type: 'edge.created', nodeId: place.nodeId, ...edge }], texts: [], done: succeeded({ ...rest, type }) }
}

function makeHandoff({ parts }: Performing, place: GraphPlace, { id, arguments: given }: Call): Made {
  const planned = planHandoff(place, given)
  if (!planned.ok) return refused(planned.problem)
  const { to, body, expectation, answers, waitMs } = planned.plan
  const awaits = waitMs === null ? null : { call: id, until: parts.now() + waitMs }
  const { event, text } = sentOf(place, to, stored(body), { expectation, answers, awaits })
  const done = awaits === null ? succeeded({ handoff: event.handoff, from: place.nodeId, to }) : null
  return { events: [event], texts: [text], done }
}

type Sent = Extract<RunEvent, { readonly type: 'handoff.sent' }>

/** Wrapped in an object, so that its content cannot look like a node. */
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
