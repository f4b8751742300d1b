// Settles a call that waits for a reply: with the reply, at its deadline, or when the run ends.
import type { Json } from '../../../core/digest/digest.ts'
import { decideRun } from '../../../core/run/decide.ts'
import { draftRun, emitRun } from '../../../core/run/draft.ts'
import type { RunEvent } from '../../../core/run/events.ts'
import type { AwaitedReply, Reply } from '../../../core/run/graph/handoffs.ts'
import { nodeOf } from '../../../core/run/state.ts'
import { callNamed, type OpenCall } from '../../../core/turn/state.ts'
import type { Store } from '../../../ports.ts'
import { settlement } from '../../turns/call-tool.ts'
import { CANCELLED, type Done, failed, told } from '../../turns/done.ts'
import { type NodeOutput, readStored } from '../../turns/node-values.ts'
import type { TurnParts } from '../../turns/performing.ts'
import type { LoadedRun } from '../load.ts'
import type { LoadedFrozen } from '../start/frozen.ts'
import type { RunChange, RunPlace } from '../write-run.ts'
import { readHandoff } from './mail.ts'

/** Null when there is nothing to settle it with yet, or nothing to settle any more. */
export async function settleReply(
  parts: TurnParts,
  place: RunPlace,
  handoff: string,
  { state }: LoadedRun,
  { workflow }: LoadedFrozen,
): Promise<RunChange<null> | null> {
  const awaited = state.awaited.find(one => one.handoff === handoff)
  const turn = awaited === undefined ? null : nodeOf(state, awaited.nodeId).turn
  const call = awaited === undefined || turn === null ? null : callNamed(turn, awaited.call)
  if (awaited === undefined || turn === null || call === null || call.settled !== null) return null
  const { nodeId } = awaited
  const came = turn.phase === 'cancelling' ? CANCELLED : await doneBy(parts, place.tenant, awaited)
  if (came === null) return null
  const done = await toldAs(parts.store, place.tenant, came, call)
  const { command, objects } = await settlement({ parts, place: { ...place, nodeId } }, turn.step, call, done)
  const settled = decideRun(draftRun(state), workflow, { type: 'turn', nodeId, command })
  if (!('events' in settled)) return null
  return { draft: emitRun(settled, ...eventsOf(awaited, done)), objects, answer: null }
}

async function toldAs(store: Store, tenant: string, done: Done, { approval }: OpenCall): Promise<Done> {
  const changed = approval?.changed ?? null
  return changed === null ? done : told(done, await readStored<Json>(store, tenant, changed), approval)
}

function eventsOf({ handoff, nodeId, reply }: AwaitedReply, { outcome }: Done): readonly RunEvent[] {
  if (reply?.kind === 'handoff') return [{ type: 'handoff.delivered', handoff: reply.handoff, nodeId }]
  return outcome.status === 'failed' && outcome.code === LATE ? [{ type: 'handoff.expired', handoff, nodeId }] : []
}

const LATE = 'reply_timeout'

async function doneBy({ store, now }: TurnParts, tenant: string, { handoff, to, until, reply }: AwaitedReply): Promise<Done | null> {
  if (reply !== null) return doneWith(store, tenant, handoff, to, reply)
  return now() < until ? null : failed(LATE, `node ${to} did not reply in time; it has the handoff, and may still answer with one`)
}

async function doneWith(store: Store, tenant: string, handoff: string, from: string, reply: Reply): Promise<Done> {
  if (reply.kind === 'failed') return failed('reply_failed', `node ${from} failed (${reply.code}): ${reply.detail}`)
  if (reply.kind === 'output') {
    const { output } = await readStored<NodeOutput>(store, tenant, reply.output)
    return { outcome: { status: 'succeeded' }, output: { handoff, from, reply: 'output', output } }
  }
  const { from: _, ...body } = await readHandoff(store, tenant, reply.body)
  return { outcome: { status: 'succeeded' }, output: { handoff, from, reply: 'handoff', ...body } as unknown as Json }
}
