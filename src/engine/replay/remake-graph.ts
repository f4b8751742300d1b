// Remakes the nodes, edges and handoffs that agents added, from the recorded arguments of their calls and the recorded progress of the run.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { type GraphPlace, planEdge, planHandoff, planSpawn } from '../../core/run/graph/graph-plans.ts'
import type { RunState } from '../../core/run/state.ts'
import { callNamed, type Turn } from '../../core/turn/state.ts'
import type { Store } from '../../ports.ts'
import { roleFrom } from '../roles/load-role.ts'
import { spawnOf } from '../runs/graph/spawn.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { toolsIn } from '../turns/model-call.ts'
import { readStored } from '../turns/node-values.ts'
import type { Walked } from './remake-walk.ts'

/** A call that was let through, and all that was there at that moment: it is done in the same commit. */
export interface LetThrough {
  readonly state: RunState
  readonly nodeId: string
  readonly call: string
  readonly turn: Turn
}

type Made = Extract<RunEvent, { readonly type: 'node.spawned' | 'edge.created' | 'handoff.sent' }>

export const isMade = (event: RunEvent): event is Made =>
  event.type === 'node.spawned' || event.type === 'edge.created' || event.type === 'handoff.sent'

/** @param through the last call of the run that was let through; null where none was: then nothing comes of it */
export async function remakeGraph(store: Store, tenant: string, event: Made, through: LetThrough | null): Promise<Walked> {
  const { type: _, ...recorded } = timeless(event)
  const call = through === null ? null : callNamed(through.turn, through.call)
  if (through === null || call === null) return { recorded, found: {} }
  const { state, nodeId } = through
  const frozen = await worldOf(store, tenant, state)
  const place = { state, workflow: frozen.workflow, nodeId }
  const given = await readStored<Json>(store, tenant, call.approval?.changed ?? call.arguments)
  if (event.type === 'node.spawned') return { recorded, found: await spawned(store, tenant, event, frozen, place, given, through) }
  return { recorded, found: event.type === 'edge.created' ? made(place, given) : sent(place, given, call) }
}

/** The deadline of a reply follows from the clock, which a replay does not have. */
const timeless = (event: Made): Made | (Omit<Made, 'awaits'> & { readonly awaits: string | null }) =>
  event.type === 'handoff.sent' ? { ...event, awaits: event.awaits?.call ?? null } : event

function made(place: GraphPlace, given: Json): object {
  const planned = planEdge(place, given)
  return planned.ok ? { nodeId: place.nodeId, ...planned.plan.edge } : {}
}

/** By a call of its own, or with the node that a call spawned. */
function sent(place: GraphPlace, given: Json, { id, name }: { readonly id: string; readonly name: string }): object {
  const handoff = { handoff: `handoff-${place.state.handoffs + 1}`, nodeId: place.nodeId }
  if (name === 'spawn_node') {
    const planned = planSpawn(place, given)
    if (!planned.ok || planned.plan.handoff === null) return {}
    const { nodeId: to, handoff: body } = planned.plan
    return { ...handoff, to, body: stored({ handoff: body }), expectation: 'none', answers: null, awaits: null }
  }
  const planned = planHandoff(place, given)
  if (!planned.ok) return {}
  const { to, body, expectation, answers, waitMs } = planned.plan
  return { ...handoff, to, body: stored({ handoff: body }), expectation, answers, awaits: waitMs === null ? null : id }
}

const stored = (value: object) => digestText(canonicalJson(value as Json))

async function spawned(
  store: Store,
  tenant: string,
  { role }: Extract<Made, { readonly type: 'node.spawned' }>,
  frozen: LoadedFrozen,
  place: GraphPlace,
  given: Json,
  { nodeId, turn }: LetThrough,
): Promise<object> {
  const planned = planSpawn(place, given)
  if (!planned.ok) return {}
  const read = (digest: typeof role.file) => store.object(tenant, digest)
  const made = await spawnOf(
    {
      frozen,
      nodeId,
      config: turn.config,
      // The repo files of that time and the abilities of providers are recorded nowhere else.
      roleNamed: async name => roleFrom(new TextDecoder().decode(await read(role.file)), name, role.source),
      calls: async () => 'native',
    },
    planned.plan,
  )
  if (!made.ok) return {}
  const { tools } = await toolsIn(read, turn.step?.request.tools ?? [])
  return { ...made.node, tools: tools.map(({ name }) => name) }
}
