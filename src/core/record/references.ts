// The objects that an event or a node references. Derived from its bytes alone, so a reference cannot be removed unnoticed.
import { isDeeperThan } from '../digest/depth.ts'
import { type Digest, isDigest, type Json } from '../digest/digest.ts'

/** A digest under such a key does not name a stored object, but an event, an erased object or a rendered text. */
const NOT_AN_OBJECT = /Hash(es)?$/

/** Every digest in a payload names an object of the same tenant, but for those under a key that ends in `Hash` or `Hashes`. In order, once each. */
export function referencesIn(payload: Json): readonly Digest[] {
  const digests = new Set<Digest>()
  collect(payload, digests)
  return digests.size === 0 ? NONE : [...digests]
}

const NONE: readonly Digest[] = []

function collect(value: Json, digests: Set<Digest>): void {
  if (typeof value === 'string') {
    if (isDigest(value)) digests.add(value)
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, digests)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) if (!NOT_AN_OBJECT.test(key)) collect(item, digests)
  }
}

/** The maximum size of a node: readers load it whole to find its references. */
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

/** The message of a store that refuses a malformed node. */
export const NO_NODE = `it begins with ${BEGINNING} and is no node, which is JSON of at most ${MOST_NODE_BYTES} bytes, nested at most ${MOST_NODE_DEPTH} deep`

/** The objects that a node references, by the rule for payloads; null for an object that is not a node. */
export function linksIn(bytes: Uint8Array): readonly Digest[] | null {
  if (!beginsAsNode(bytes) || bytes.length > MOST_NODE_BYTES) return null
  try {
    const node = JSON.parse(decoder.decode(bytes)) as Json
    return isDeeperThan(node, MOST_NODE_DEPTH) ? null : referencesIn(node)
  } catch {
    return null
  }
}
