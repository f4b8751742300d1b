// Reports objects that a record names and does not hold, or holds with other bytes: once each, at the first use, and never filled in. Also
// reports events whose payload does not fit their type.
import type { Digest, Json } from '../../core/digest/digest.ts'
import { referencesIn } from '../../core/record/references.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { Fault, type FaultCode } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { isMalformed } from '../reading/malformed.ts'
import type { Diverged } from './read-chained.ts'

export type GapPlace = Pick<Divergence, 'sequence' | 'stream' | 'nodeId' | 'step'>

export interface Gaps {
  /** Looks at every object that an event names. */
  look(place: GapPlace, type: string, payload: Json): Promise<void>
  /** Runs the work; false when an object for it is missing or malformed. @param type of the event */
  around(place: GapPlace, type: string, work: () => Promise<void>): Promise<boolean>
}

const UNUSABLE: readonly FaultCode[] = ['object_missing', 'object_corrupt', 'object_malformed']
/** The newest names that were looked at: an event names much that the one before it did. */
const MOST_SEEN = 4_096

export function gapsIn(store: Store, tenant: string, diverged: Diverged): Gaps {
  const seen = new Set<Digest>()
  const named = new Set<string>()
  async function around(place: GapPlace, type: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (isMalformed(error)) return unfitEvent(place, type, diverged)
      if (!(error instanceof Fault) || !UNUSABLE.includes(error.code)) throw error
      const { digest } = error.details as { readonly digest: string }
      if (!named.has(digest)) diverged({ ...place, point: 'object', field: error.code, expected: digest, found: foundIn(error) })
      named.add(digest)
      return false
    }
  }
  return {
    around,
    async look(place, type, payload) {
      for (const digest of referencesIn(payload)) {
        if (seen.has(digest)) continue
        if (seen.size >= MOST_SEEN) seen.clear()
        seen.add(digest)
        await around(place, type, async () => void (await store.object(tenant, digest)))
      }
    },
  }
}

export function unfitEvent(place: GapPlace, type: string, diverged: Diverged): false {
  diverged({ ...place, point: 'event', field: 'event_malformed', expected: type, found: null })
  return false
}

const foundIn = ({ details }: Fault): string | null => (details as { readonly found?: string }).found ?? null
