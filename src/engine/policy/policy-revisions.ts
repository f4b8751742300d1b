// Reads the history of the host's policy, as far as the store has it. A run file may come without it. Judges nothing.
import type { Json } from '../../core/digest/digest.ts'
import { type EventPlace, placeOf } from '../../core/why/active-since.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { HOST_POLICY } from './record-config.ts'

export interface PolicyRevision {
  readonly revision: number
  readonly since: EventPlace
  /** May name other tenants: a question about a run reveals only when the policy changed, not its content. */
  readonly config: Json
}

/** Oldest first. */
export async function policyRevisions(store: Store): Promise<readonly PolicyRevision[]> {
  const found: PolicyRevision[] = []
  for await (const { event } of store.read(HOST_TENANT, HOST_POLICY.stream, -1)) {
    const { config = null } = event.payload as { readonly config?: Json }
    found.push({ revision: event.seq + 1, since: placeOf(event), config })
  }
  return found
}

/** The newest that was on record then. */
export const policyAt = (revisions: readonly PolicyRevision[], at: string): PolicyRevision | null =>
  revisions.findLast(({ since }) => since.at <= at) ?? null
