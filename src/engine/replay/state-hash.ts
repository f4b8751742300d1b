// Hashes the state that events left. A state that only malformed events can leave gets a hash as well, and a divergence.
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { isMalformed } from '../reading/malformed.ts'
import { type GapPlace, unfitEvent } from './gaps.ts'
import type { Diverged } from './read-chained.ts'

/** @param last where the events end: which of them left something out is not known any more */
export function stateHash(state: object, last: GapPlace, diverged: Diverged): Digest {
  try {
    return digestJson(state as unknown as Json)
  } catch (error) {
    if (!isMalformed(error)) throw error
    unfitEvent(last, 'state', diverged)
    return digestJson(JSON.parse(JSON.stringify(state)) as Json)
  }
}
