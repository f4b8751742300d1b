// What was in force at the steps of a run's nodes: snapshot, role, mode, policy, each with the events behind it. Reads streams, judges nothing.
import type { RecordedEvent } from '../../core/record/event.ts'
import { type RunEvent, runEvent } from '../../core/run/events.ts'
import type { ForkOf } from '../../core/run/fork.ts'
import { fromRecorded, sessionStream } from '../../core/session/events.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { adoptionOf, type EventPlace, type InForce, isAdoption, placeOf, type RoleInForce } from '../../core/why/in-force.ts'
import type { Store } from '../../ports.ts'
import { type PolicyRevision, policyAt, policyRevisions } from '../policy-revisions.ts'
import { frozenRole, type LoadedFrozen } from '../runs/frozen.ts'
import { agentOf } from '../turns/task.ts'

export interface TakenStep {
  readonly event: Extract<RunEvent, { readonly type: 'step.started' }>
  readonly sequence: number
  readonly at: string
}

type StepsOf = (nodeId: string, steps: readonly TakenStep[]) => Promise<readonly (InForce & { readonly step: number })[]>

/** @param changes of the run, from `run.created` on: its modes and spawned nodes */
export function inForceOf(
  store: Store,
  tenant: string,
  world: LoadedFrozen,
  changes: readonly RecordedEvent[],
  forkOf: ForkOf | null,
): StepsOf {
  const adoptions = new Map<string, Promise<readonly RecordedEvent[]>>()
  let policies: Promise<readonly PolicyRevision[]> | undefined
  const adopted = async (session: string, snapshot: Snapshot | null, at: string): Promise<readonly EventPlace[]> => {
    if (snapshot === null) return []
    const found = adoptions.get(session) ?? adoptionsIn(store, tenant, session)
    adoptions.set(session, found)
    return adoptionOf(await found, snapshot, at)
  }
  return async (nodeId, steps) => {
    policies ??= policyRevisions(store)
    const known = await policies
    const role = roleAt(world, nodeId, changes)
    const held: (InForce & { readonly step: number })[] = []
    for (const { event, sequence, at } of steps) {
      const { step, session, snapshot, prompt } = event
      const isTaken = forkOf !== null && sequence < forkOf.copied
      const policy = isTaken ? null : policyAt(known, at)
      held.push({
        step,
        snapshot,
        adopted: await adopted(session, snapshot, at),
        role,
        mode: { mode: prompt.mode, since: modeSince(changes, sequence) },
        policy: policy === null ? null : { revision: policy.revision, since: policy.since },
        ...(isTaken ? { takenFrom: forkOf.runId } : {}),
      })
    }
    return held
  }
}

/** Of a session, and of the one it got its snapshot from. @param asked those that are nobody's home any more: a record may say anything */
async function adoptionsIn(
  store: Store,
  tenant: string,
  session: string,
  asked: readonly string[] = [],
): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = []
  let home: string | null = null
  for await (const { event } of store.read(tenant, sessionStream(session), -1)) {
    const created = event.seq === 0 ? fromRecorded(event) : null
    if (created?.type === 'session.created') home = created.home?.session ?? null
    if (isAdoption(event)) found.push(event)
  }
  const known = [...asked, session]
  return home === null || known.includes(home) ? found : [...(await adoptionsIn(store, tenant, home, known)), ...found]
}

function roleAt(world: LoadedFrozen, nodeId: string, changes: readonly RecordedEvent[]): RoleInForce | null {
  const node = world.workflow.nodes.find(({ id }) => id === nodeId)
  const found = node === undefined ? null : frozenRole(world, node, agentOf(world, node))
  if (found === null) return null
  const { name, source, ref, digest } = found
  return { name, source, ref, digest, since: placeOf(changes.find(change => spawns(change, nodeId)) ?? changes[0]!) }
}

function spawns(recorded: RecordedEvent, nodeId: string): boolean {
  const event = runEvent(recorded)
  return event.type === 'node.spawned' && event.nodeId === nodeId
}

const modeSince = (changes: readonly RecordedEvent[], before: number): EventPlace =>
  placeOf(changes.findLast(({ seq, type }) => seq < before && type === 'run.modeChanged') ?? changes[0]!)
