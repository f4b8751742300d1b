// Remembers schemas that were stopped because a validation took too long: per tenant, and for a while, however often they are loaded again.
import { digestsOf, type Schemas } from '../../core/schema/schemas.ts'

export interface StoppedSchemas {
  /** Counts a stop. */
  add(tenant: string, schemas: Schemas, uri: string): void
  /** Whether it was stopped so often that it is not tried again. */
  isSpent(tenant: string, schemas: Schemas, uri: string): boolean
}

/** The next question about the schema would cost as much. */
const MOST_STOPS = 2
/** A machine under load stops schemas that are fine: they get another chance after so long. */
const FORGET_MS = 10 * 60_000
const MOST_SCHEMAS = 1_000

export function stoppedSchemas(): StoppedSchemas {
  const counts = new Map<string, { stops: number; readonly since: number }>()
  /** By content: the same schema in another set is the same, and another under the same name is not. */
  const keyOf = (tenant: string, schemas: Schemas, uri: string): string => JSON.stringify([tenant, uri, digestsOf(uri, schemas)])
  const countOf = (key: string) => {
    const count = counts.get(key)
    if (count === undefined || performance.now() - count.since < FORGET_MS) return count
    counts.delete(key)
    return undefined
  }
  return {
    add(tenant, schemas, uri) {
      const key = keyOf(tenant, schemas, uri)
      const count = countOf(key) ?? { stops: 0, since: performance.now() }
      count.stops += 1
      counts.set(key, count)
      if (counts.size > MOST_SCHEMAS) counts.delete(counts.keys().next().value!)
    },
    // Almost always nothing was stopped, and nothing needs to be named.
    isSpent: (tenant, schemas, uri) => counts.size > 0 && (countOf(keyOf(tenant, schemas, uri))?.stops ?? 0) >= MOST_STOPS,
  }
}
