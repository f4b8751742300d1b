// Erases an object's bytes and records that in the audit stream; also drops unreferenced objects.
import type { Digest } from '../../core/digest/digest.ts'
import { AUDIT, erasureDraft } from '../../core/record/erasure.ts'
import type { Clock, Store } from '../../ports.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'

export interface Erasure {
  readonly tenant: string
  readonly digest: Digest
  readonly actor: string
  readonly why: string
}

export async function eraseObject(store: Store, { tenant, digest, actor, why }: Erasure): Promise<void> {
  await optimisticRetry(async () => {
    const { seq } = await store.head(tenant, AUDIT)
    const appends = [{ stream: AUDIT, expected: seq, entries: [erasureDraft(digest, actor, why)] }]
    return store.commit({ tenant, erase: [digest], appends })
  })
}

/** Gives a writer that has stored an object enough time to write the event that references it. */
const KEPT_MS = 24 * 3_600_000

/** How many objects were dropped. */
export const collectObjects = (store: Store, clock: Clock): Promise<number> =>
  store.collect(new Date(Date.parse(clock()) - KEPT_MS).toISOString())
