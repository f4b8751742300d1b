// Deletes stored answers for an Idempotency-Key once no client retries any more.
import type { Clock, Store } from '../../ports.ts'

/** A client that retries later than this makes a new request. */
const KEPT_MS = 7 * 24 * 3_600_000

/** How many were forgotten. */
export const pruneAnswers = async (store: Store, clock: Clock): Promise<number> =>
  (await store.pruneAnswers?.(new Date(Date.parse(clock()) - KEPT_MS).toISOString())) ?? 0
