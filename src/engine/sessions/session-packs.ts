// Finds the packs of the snapshot that a session's next run would use: for callers that ask what a ref means for an agent, without a run.
import type { SnapshotPacks } from '../../core/library/pack-set.ts'
import { comingSnapshot } from '../../core/session/coming-snapshot.ts'
import type { Store } from '../../ports.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { loadSession } from './load.ts'
import { existingSession } from './views.ts'

/** Throws `session_missing`. Null where its snapshot carries no packs. */
export async function sessionPacks(store: Store, tenant: string, session: string): Promise<SnapshotPacks | null> {
  const { state } = await existingSession(store, tenant, session)
  return loadSnapshotPacks(store, tenant, comingSnapshot(state)?.snapshot ?? null)
}

/** The same for the home of a node; null for a node without one. */
export async function homePacks(store: Store, tenant: string, home: string | null): Promise<SnapshotPacks | null> {
  if (home === null) return null
  const { state } = await loadSession(store, tenant, home)
  return loadSnapshotPacks(store, tenant, comingSnapshot(state)?.snapshot ?? null)
}
