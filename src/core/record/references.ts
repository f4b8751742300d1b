// Which objects an event speaks of. It follows from the event's bytes alone, so nobody can take a reference away unnoticed.
import { type Digest, isDigest, type Json } from '../digest/digest.ts'

/** What stands under such a key is the name of something else than a stored object: an event, an erased object, a rendered text. */
const NOT_AN_OBJECT = /Hash(es)?$/

/** Every digest in a payload names an object of the same tenant, but for those under a key that ends in `Hash` or `Hashes`. In order, once each. */
export function referencesIn(payload: Json): readonly Digest[] {
  const found = new Set<Digest>()
  collect(payload, found)
  return found.size === 0 ? NONE : [...found]
}

const NONE: readonly Digest[] = []

function collect(value: Json, found: Set<Digest>): void {
  if (typeof value === 'string') {
    if (isDigest(value)) found.add(value)
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) if (!NOT_AN_OBJECT.test(key)) collect(item, found)
  }
}
