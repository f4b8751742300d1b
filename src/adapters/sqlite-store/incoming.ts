// Cuts incoming bytes into chunks of one size, or holds them together if they are a node. Stores nothing.
import { beginsAsNode, MOST_NODE_BYTES } from '../../core/record/references.ts'

/** Larger objects are stored in chunks of this size. */
export const CHUNK = 256 * 1024

export type Incoming = { readonly node: Uint8Array } | { readonly pieces: AsyncIterable<Uint8Array> }

/** An object that begins like a node is held whole, or up to the size that shows that it is too large to be one. */
export async function incoming(given: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Incoming> {
  const pieces = chunked(given)
  const { value: first } = (await pieces.next()) as { value: Uint8Array }
  if (!beginsAsNode(first)) return { pieces: following(first, pieces) }
  const held = [first]
  let size = first.length
  for await (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size > MOST_NODE_BYTES) break
  }
  return { node: new Uint8Array(Buffer.concat(held)) }
}

async function* following(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield first
  yield* rest
}

/** The same bytes in pieces of one size, but for the last. */
async function* chunked(given: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(CHUNK)
  let filled = 0
  for await (const piece of given) {
    // Filled in place: a caller that sends byte by byte must not cause a copy of the rest with each one.
    for (let at = 0; at < piece.length; ) {
      if (filled === CHUNK) {
        yield chunk
        chunk = new Uint8Array(CHUNK)
        filled = 0
      }
      const part = piece.subarray(at, at + CHUNK - filled)
      chunk.set(part, filled)
      filled += part.length
      at += part.length
    }
  }
  yield chunk.subarray(0, filled)
}
