// Which objects an event, or a node, speaks of. It follows from its bytes alone, so nobody can take a reference away unnoticed.
import { isDeeperThan } from '../digest/depth.ts'
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

/** What a node may weigh: it is read whole by whoever wants to know what it speaks of. */
export const MOST_NODE_BYTES = 1024 * 1024
const MOST_NODE_DEPTH = 100
const BEGINNING = '{"$node":'
const MARK = new TextEncoder().encode(BEGINNING)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether it must be a node: a store takes nothing else that begins so. The dollar settles it for nearly everything. */
export const beginsAsNode = (bytes: Uint8Array): boolean => bytes[2] === MARK[2] && MARK.every((byte, index) => bytes[index] === byte)

/** As long as not all of it is there. */
export const mayBecomeNode = (bytes: Uint8Array): boolean =>
  bytes.length <= MOST_NODE_BYTES && MARK.every((byte, index) => index >= bytes.length || bytes[index] === byte)

/** What a store says that was given something else. */
export const NO_NODE = `it begins with ${BEGINNING} and is no node, which is JSON of at most ${MOST_NODE_BYTES} bytes, nested at most ${MOST_NODE_DEPTH} deep`

/** The objects that a node speaks of, by the rule for payloads; null for an object that is no node. */
export function linksIn(bytes: Uint8Array): readonly Digest[] | null {
  if (!beginsAsNode(bytes) || bytes.length > MOST_NODE_BYTES) return null
  try {
    const node = JSON.parse(decoder.decode(bytes)) as Json
    return isDeeperThan(node, MOST_NODE_DEPTH) ? null : referencesIn(node)
  } catch {
    return null
  }
}
