// Runs one sync for a session, and checks its prelude against the policy. A defect is a result too, because a client waits for one.
import { schemaFault } from '../../core/schema/schema-fault.ts'
import type { Selection } from '../../core/session/config.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { type SyncResult, workspaceSync } from '../../core/session/sync.ts'
import { fail } from '../../core/session/sync-effects.ts'
import type { TurnParts } from '../turns/performing.ts'
import { checkedSync } from '../turns/prelude-secrets.ts'
import { loadSession } from './load.ts'
import { performSync } from './perform-sync.ts'
import type { SessionPlace } from './submit.ts'
import { syncPacks } from './sync-packs.ts'

/** @param known the snapshot to compare with; null for none */
export async function syncFor(parts: TurnParts, place: SessionPlace, selection: Selection, known: Snapshot | null): Promise<SyncResult> {
  const { tenant, session } = place
  const user = { tenant, policy: parts.policy(tenant, session) }
  try {
    const synced = await performSync(parts.store, user, workspaceSync, { selection, known, checkSchema: schemaFault })
    const checked = await checkedSync(parts, place, user, synced)
    const { active } = (await loadSession(parts.store, tenant, session)).state.workspace
    const proof = { active, ...(parts.packModel === undefined ? {} : { modelFor: parts.packModel }) }
    return await syncPacks({ store: parts.store, user, validator: parts.validator }, checked, proof)
  } catch (error) {
    parts.failed(error as Error, place)
    return fail('resolve', 'internal_error', 'something went wrong in the host; it has written down what')
  }
}
