// Folder: Runs made from the record of another run. A replay walks the conductor's decisions with recorded outcomes and calls no model, tool or person; a branch is handed to the conductor.
// Creates a fork: its first event names its source, and the same commit takes over the source's events up to the fork point.
import type { Kept } from '../../core/fork/align.ts'
import { cutAt, cutUnasked } from '../../core/fork/cut.ts'
import { divergedEvent } from '../../core/fork/diverged.ts'
import { draftRun, emitRun, type RunDraft } from '../../core/run/draft.ts'
import { type RunEvent, runDraft, runStream } from '../../core/run/events.ts'
import type { ForkMode, ForkOf } from '../../core/run/fork.ts'
import { beginRun } from '../../core/run/graph/walk.ts'
import { emptyRun, isEnded } from '../../core/run/state.ts'
import type { History } from '../../core/session/history.ts'
import { Fault } from '../../errors.ts'
import type { Append, Commit, Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import { loadFrozen } from '../runs/start/frozen.ts'
import { readSource, type Source } from './source.ts'

export interface ForkRequest {
  readonly runId: string
  readonly forkId: string
  readonly mode: ForkMode
  readonly fromSeq: number
  readonly actor: string
  /** Adds the changes of a branch to the events that it takes over. */
  readonly overlay?: (draft: RunDraft) => Promise<Overlaid>
  readonly idempotency?: () => Commit['idempotency'] | undefined
}

export interface Overlaid {
  readonly draft: RunDraft
  readonly objects: readonly Uint8Array[]
}

type Created = Extract<RunEvent, { readonly type: 'run.created' }>

/** `run_missing`, `fork_sequence_missing`, `fork_refused`. @param from where the source is, if that is elsewhere */
export async function createFork(
  store: Store,
  tenant: string,
  request: ForkRequest,
  from: Store = store,
): Promise<{ readonly replayed: boolean }> {
  const { runId, forkId, mode, fromSeq, actor } = request
  const source = await readSource(from, tenant, { runId, forkId })
  const { seq } = await from.head(tenant, runStream(runId))
  if (fromSeq > seq) throw new Fault('fork_sequence_missing', { runId, fromSeq, last: seq })
  const cut = mode === 'branch' ? cutUnasked(source.run, fromSeq) : cutAt(source.run, fromSeq)
  const loaded = await loadRun(from, tenant, runId)
  const names = loaded.state.forkOf?.names ?? { runId, createdAt: loaded.createdAt, createdBy: loaded.createdBy }
  const began = { ...loaded.state.forkOf?.began, ...beganIn(source, cut) }
  const forkOf: ForkOf = { runId, fromSeq, mode, copied: cut, names, ...(Object.keys(began).length === 0 ? {} : { began }) }
  const created = { ...(source.run[0]!.event as Created), forkOf }
  const copied = emitRun(draftRun(emptyRun), created, ...source.run.slice(1, cut).map(({ event }) => event))
  const begun =
    cut === 0 ? beginRun(emitRun(copied, ...firstOf(source)), (await loadFrozen(from, tenant, created.frozen)).workflow) : copied
  if (isEnded(begun.state)) throw new Fault('fork_refused', { runId, problem: 'it was over by then; fork it from an earlier event' })
  const { draft: overlaid, objects } = request.overlay === undefined ? { draft: begun, objects: [] } : await request.overlay(begun)
  // A tampered source is replayed all the same, and the fork records a divergence.
  const broken = (mode === 'replay' ? source.broken : []).map(one =>
    divergedEvent(runId, { at: one.sequence, kind: 'output', nodeId: null, divergences: [one] }),
  )
  const draftWithDivergences = emitRun(overlaid, ...broken.map(({ event }) => event))
  const draft = { ...draftWithDivergences, objects: [...draftWithDivergences.objects, ...broken.map(({ text }) => text)] }
  const storedAnswer = request.idempotency?.()
  const actorOf = (index: number): string => (index === 0 ? actor : (source.run[index]?.actor ?? actor))
  const appends: Append[] = [
    {
      stream: runStream(forkId),
      expected: -1,
      entries: draft.events.map((event, index) => runDraft(event, index < cut ? actorOf(index) : actor)),
    },
  ]
  const texts = draft.objects.map(({ text }) => new TextEncoder().encode(text))
  const { replayed } = await store.commit({
    tenant,
    objects: [...objects, ...texts],
    appends,
    ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
  })
  return { replayed: replayed !== null }
}

/** A fork works in no lasting session, but its nodes still know the session's earlier messages. */
const beganIn = ({ run }: Source, cut: number): Readonly<Record<string, History>> =>
  Object.fromEntries(
    run
      .slice(cut)
      .flatMap(({ event }) =>
        event.type === 'node.started' && event.history !== undefined ? [[event.nodeId, event.history] as const] : [],
      )
      .reverse(),
  )

/** The events of the request that created the run. */
function firstOf({ run }: Source): readonly RunEvent[] {
  const [first, second] = run as readonly (Kept<RunEvent> | undefined)[]
  return second?.event.type === 'override.given' && second.event.nodeId === null && second.at === first?.at ? [second.event] : []
}
