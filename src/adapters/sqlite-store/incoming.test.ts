import { describe, expect, it } from 'vitest'
import { CHUNK, incoming } from './incoming.ts'

/** No piece of it is like another. */
const content = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, index) => index ^ (index >> 8) ^ (index >> 16))

function* cut(bytes: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function piecesOf(given: Iterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const read = await incoming(given)
  const pieces: Uint8Array[] = []
  if ('pieces' in read) for await (const piece of read.pieces) pieces.push(piece)
  return pieces
}

describe('what comes in', () => {
  it.each([
    ['nothing', 0, 1, [0]],
    ['one byte at a time', 3000, 1, [3000]],
    ['exactly one piece', CHUNK, 1000, [CHUNK]],
    ['one byte more than a piece', CHUNK + 1, CHUNK - 1, [CHUNK, 1]],
    ['much at once', 2 * CHUNK + 5, 2 * CHUNK + 5, [CHUNK, CHUNK, 5]],
    ['two whole pieces', 2 * CHUNK, 70_000, [CHUNK, CHUNK]],
  ])('is cut into pieces of one size: %s', async (_, size, step, sizes) => {
    const bytes = content(size)
    const pieces = await piecesOf(cut(bytes, step))
    expect(pieces.map(({ length }) => length)).toEqual(sizes)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
  })
})
