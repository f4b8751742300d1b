// A reply that somebody waits for: the call that asked for it is settled with it, or because the time is over, or because its run is.
import { digestText, type Json } from '../../core/digest/digest.ts'
import { emitRun } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { AwaitedReply, Reply } from '../../core/run/handoffs.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { OpenCall } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import { resultText } from '../sessions/call-tool.ts'
import { CANCELLED, type Done, failed, scrubbed, told } from '../sessions/done.ts'
import type { SessionParts } from '../sessions/performing.ts'
import type { Submitted } from '../sessions/submit.ts'
import type { LoadedFrozen } from './frozen.ts'
import type { LoadedRun } from './load.ts'
import { readHandoff } from './mail.ts'
import { type NodeOutput, readStored } from './node-values.ts'
import { changeSession } from './session-graph.ts'
import type { NodeDesk } from './start-step.ts'
import type { LoadNode, RunChange, RunPlace } from './write-run.ts'

export interface Settled {
  readonly session: string
  readonly effects: Submitted['effects']
}

/** Null when there is nothing to settle it with yet, or nothing to settle any more. */
export async function settleReply(
  parts: SessionParts,
  { tenant, actor }: RunPlace,
  desk: Pick<NodeDesk, 'resumes' | 'calls'>,
  handoff: string,
  { run, frozen, load }: { readonly run: LoadedRun; readonly frozen: LoadedFrozen; readonly load: LoadNode },
): Promise<RunChange<Settled> | null> {
  const awaited = run.state.awaited.find(one => one.handoff === handoff)
  if (awaited === undefined) return null
  const { nodeId } = awaited
  const { session } = nodeOf(run.state, nodeId)
  const loaded = await load(session)
  const { run: open, epoch } = loaded.state
  const call = open?.batch?.calls.find(({ id, settled }) => id === awaited.call && settled === null)
  if (open == null || call === undefined) return null
  const came = open.phase === 'cancelling' ? CANCELLED : await doneBy(parts, tenant, awaited)
  if (came === null) return null
  const place = { tenant, session, actor }
  const done = await scrubbed({ parts, place }, await toldAs(parts.store, tenant, came, call))
  const text = await resultText({ parts, place }, call, done)
  const { batch, stepEpoch } = open.batch!
  const { outcome } = done
  const command = { type: 'settleCall', run: open.run, batch, epoch, stepEpoch, call: call.id, outcome, result: digestText(text) } as const
  const change = await changeSession({ store: parts.store, tenant, nodeId, session, run, frozen, ...desk }, loaded, command, {
    objects: [new TextEncoder().encode(text)],
  })
  if (change === null) return null
  const answer = { session, effects: change.answer.effects }
  return { ...change, run: emitRun(change.run, ...eventsOf(awaited, done)), answer }
}

async function toldAs(store: Store, tenant: string, done: Done, { approval }: OpenCall): Promise<Done> {
  const changed = approval?.arguments ?? null
  return changed === null ? done : told(done, await readStored<Json>(store, tenant, changed), approval)
}

function eventsOf({ handoff, nodeId, reply }: AwaitedReply, { outcome }: Done): readonly RunEvent[] {
  if (reply?.kind === 'handoff') return [{ type: 'handoff.delivered', handoff: reply.handoff, nodeId }]
  return outcome.status === 'failed' && outcome.code === LATE ? [{ type: 'handoff.expired', handoff, nodeId }] : []
}

const LATE = 'reply_timeout'

async function doneBy({ store, now }: SessionParts, tenant: string, { handoff, to, until, reply }: AwaitedReply): Promise<Done | null> {
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
