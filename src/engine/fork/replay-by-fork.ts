// Level 3 of a replay: walks the run again as a fork, and reports the result in the format of the other levels.
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { linksIn, referencesIn } from '../../core/record/references.ts'
import type { Divergence, Rotation } from '../../core/replay/divergence.ts'
import type { KindRefs } from '../../core/resolve/layers.ts'
import { emitRun } from '../../core/run/draft.ts'
import { runStream } from '../../core/run/events.ts'
import { factsOf } from '../../core/run/reading/reading.ts'
import type { RunPhase } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { ReplayedPrompt } from '../replay/decisions.ts'
import { rotationsOf } from '../replay/replay.ts'
import { loadReading } from '../runs/read-run.ts'
import { readStored } from '../turns/node-values.ts'
import { createFork } from './create.ts'
import { pinnedIn } from './forks.ts'
import { giveUpFork, playFork } from './play.ts'

export interface ReplayByFork {
  readonly from: Store
  /** Where the fork is put on record; the same as its source, unless that cannot be written to. */
  readonly to: Store
  readonly tenant: string
  readonly runId: string
  readonly forkId: string
  readonly actor: string
  readonly hostDefaults: KindRefs | null
  readonly onPrompt?: (prompt: ReplayedPrompt) => void
}

export interface ReplayedByFork {
  readonly runId: string
  readonly forkId: string
  readonly level: 3
  readonly identical: boolean
  readonly events: number
  readonly prompts: number
  readonly verdicts: number
  readonly phase: RunPhase
  /** The hash of the fork's state. */
  readonly stateHash: Digest
  readonly divergences: readonly Divergence[]
  readonly left: number
  readonly rotations: readonly Rotation[]
  /** The last event of the source, and whether the source had ended by then: a replay does not go beyond it. */
  readonly last: number
  readonly over: boolean
}

const MOST_DIVERGENCES = 100

export async function replayByFork(asked: ReplayByFork): Promise<ReplayedByFork> {
  const { from, to, tenant, runId, forkId, actor, hostDefaults, onPrompt = () => {} } = asked
  if (from !== to) await seedObjects(from, to, tenant, runId)
  const pinned = async (frozen: Digest | null) => (hostDefaults === null ? [] : pinnedIn(to, tenant, frozen, hostDefaults))
  const overlay = async (draft: Parameters<typeof emitRun>[0]) => ({
    draft: emitRun(draft, ...(await pinned(draft.state.frozen))),
    objects: [],
  })
  await createFork(to, tenant, { runId, forkId, mode: 'replay', fromSeq: 0, actor, overlay }, from)
  let prompts = 0
  const counted = (prompt: ReplayedPrompt): void => {
    prompts += 1
    onPrompt(prompt)
  }
  const { run, last, over } = await playFork({ store: to, tenant, forkId, from, onPrompt: counted }).catch(async error => {
    await giveUpFork(to, tenant, forkId, error)
    throw error
  })
  const divergences: Divergence[] = []
  // From the fork's own record: another process may have written a part of it.
  const reading = await loadReading(to, tenant, forkId)
  for (const { event } of factsOf(reading, 'replay.diverged'))
    divergences.push(...(await readStored<{ readonly divergences: readonly Divergence[] }>(to, tenant, event.details)).divergences)
  return {
    runId,
    forkId,
    level: 3,
    identical: divergences.length === 0,
    events: run.seq + 1,
    prompts,
    verdicts: reading.steps.flatMap(({ calls }) => calls.flatMap(({ verdicts }) => verdicts)).length,
    phase: run.state.phase,
    stateHash: digestJson(run.state as unknown as Json),
    divergences: divergences.slice(0, MOST_DIVERGENCES),
    left: Math.max(0, divergences.length - MOST_DIVERGENCES),
    rotations: hostDefaults === null ? [] : await rotationsOf(to, tenant, run.state.frozen, hostDefaults),
    last,
    over,
  }
}

/** Erased objects are left out: an event that needs one fails there. */
async function seedObjects(from: Store, to: Store, tenant: string, runId: string): Promise<void> {
  const named = new Set<Digest>()
  for await (const { event } of from.read(tenant, runStream(runId), -1)) for (const digest of referencesIn(event.payload)) named.add(digest)
  const objects: Uint8Array[] = []
  for (const digest of named) {
    const bytes = await from.object(tenant, digest).catch(error => {
      if (!(error instanceof Fault && error.code === 'object_missing')) throw error
      return null
    })
    if (bytes === null) continue
    for (const link of linksIn(bytes) ?? []) named.add(link)
    objects.push(bytes)
  }
  await to.commit({ tenant, objects })
}
