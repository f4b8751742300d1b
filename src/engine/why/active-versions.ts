// Finds the active snapshot, role, mode and policy at the steps of a run's nodes, each with the events behind it. Reads streams, judges nothing.
import type { RecordedEvent } from '../../core/record/event.ts'
import { runStream } from '../../core/run/events.ts'
import type { ForkOf } from '../../core/run/fork.ts'
import type { RunFact, RunStep } from '../../core/run/reading/reading.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { type ActiveRole, type ActiveState, adoptionOf, type EventPlace, factPlace } from '../../core/why/active-since.ts'
import type { Store } from '../../ports.ts'
import { type PolicyRevision, policyAt, policyRevisions } from '../policy/policy-revisions.ts'
import { loadAdoptions } from '../runs/read-run.ts'
import { frozenRole, type LoadedFrozen } from '../runs/start/frozen.ts'
import { agentOf } from '../turns/task.ts'

interface ActiveRun {
  readonly runId: string
  /** `run.created`, and the events that changed its mode and its nodes. */
  readonly changes: readonly RunFact[]
  readonly forkOf: ForkOf | null
}

type StepsOf = (nodeId: string, steps: readonly RunStep[]) => Promise<readonly (ActiveState & { readonly step: number })[]>

export function activeStateOf(store: Store, tenant: string, world: LoadedFrozen, { runId, changes, forkOf }: ActiveRun): StepsOf {
  const placeOf = (change: RunFact): EventPlace => factPlace(runStream(runId), change)
  const adoptions = new Map<string, Promise<readonly RecordedEvent[]>>()
  let policies: Promise<readonly PolicyRevision[]> | undefined
  const adopted = async (session: string | null, snapshot: Snapshot | null, at: string): Promise<readonly EventPlace[]> => {
    if (session === null) return []
    if (snapshot === null) return []
    const found = adoptions.get(session) ?? loadAdoptions(store, tenant, session)
    adoptions.set(session, found)
    return adoptionOf(await found, snapshot, at)
  }
  const created = changes[0]!.event
  const direct = created.type === 'run.created' ? (created.direct ?? null) : null
  /** A run that names another workspace than its session brings the snapshot along. */
  const isOwn = (snapshot: Snapshot): boolean => direct?.snapshot?.root === snapshot.root && direct.snapshot.version === snapshot.version
  return async (nodeId, steps) => {
    policies ??= policyRevisions(store)
    const known = await policies
    const since = placeOf(changes.find(({ event }) => event.type === 'node.spawned' && event.nodeId === nodeId) ?? changes[0]!)
    const role = roleAt(world, nodeId, since)
    const held: (ActiveState & { readonly step: number })[] = []
    for (const { sequence, at, step, home, snapshot, prompt, source, request } of steps) {
      const moded = changes.findLast(change => change.sequence < sequence && change.event.type === 'run.modeChanged') ?? changes[0]!
      const isTaken = forkOf !== null && sequence < forkOf.copied
      const policy = isTaken ? null : policyAt(known, at)
      held.push({
        step,
        snapshot,
        adopted: snapshot !== null && isOwn(snapshot) ? [placeOf(changes[0]!)] : await adopted(home, snapshot, at),
        role,
        mode: { mode: prompt.mode, since: placeOf(moded) },
        policy: policy === null ? null : { revision: policy.revision, since: policy.since },
        ...(direct === null ? {} : { before: { source, messages: request.prelude } }),
        ...(isTaken ? { takenFrom: forkOf.runId } : {}),
      })
    }
    return held
  }
}

function roleAt(world: LoadedFrozen, nodeId: string, since: EventPlace): ActiveRole | null {
  const node = world.workflow.nodes.find(({ id }) => id === nodeId)
  const found = node === undefined ? null : frozenRole(world, node, agentOf(world, node))
  if (found === null) return null
  const { name, source, ref, digest } = found
  return { name, source, ref, digest, since }
}
