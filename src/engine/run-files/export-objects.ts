// Writes objects as lines of text: the referenced ones, and all that the nodes among them reference in turn. Reads, and judges nothing.
import type { Digest } from '../../core/digest/digest.ts'
import { linksIn, mayBecomeNode } from '../../core/record/references.ts'
import { writeObjectLine } from '../../core/record/run-file.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Raw bytes on one line; three bytes make four characters, so pieces join without padding between them. */
const PIECE = 3 * 64 * 1024

/**
 * In order of digest, each once. @param without objects whose bytes are withheld: they are listed as erased, and objects that only they
 * reference are left out
 */
export async function* exportObjects(
  store: Store,
  tenant: string,
  spoken: Iterable<Digest>,
  without: ReadonlySet<Digest> = new Set(),
): AsyncIterable<string> {
  for (const digest of [...(await reachedFrom(store, tenant, spoken, without))].sort())
    if (without.has(digest)) yield line(writeObjectLine({ digest, erased: true }))
    else yield* exportObject(store, tenant, digest)
}

/** Adds all objects that the nodes among them reference. */
export async function reachedFrom(
  store: Store,
  tenant: string,
  spoken: Iterable<Digest>,
  without: ReadonlySet<Digest> = new Set(),
): Promise<ReadonlySet<Digest>> {
  const all = new Set(spoken)
  // A set grows while it is walked.
  for (const digest of all) if (!without.has(digest)) for (const link of await linksOf(store, tenant, digest)) all.add(link)
  return all
}

async function linksOf(store: Store, tenant: string, digest: Digest): Promise<readonly Digest[]> {
  let bytes = Buffer.alloc(0)
  try {
    for await (const piece of store.readObject(tenant, digest)) {
      bytes = Buffer.concat([bytes, piece])
      if (!mayBecomeNode(bytes)) return []
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return linksIn(bytes) ?? []
}

const isMissing = (error: unknown): boolean => error instanceof Fault && error.code === 'object_missing'

export const line = (text: string): string => `${text}\n`

async function* exportObject(store: Store, tenant: string, digest: Digest): AsyncIterable<string> {
  let rest = Buffer.alloc(0)
  try {
    for await (const chunk of store.readObject(tenant, digest)) {
      rest = Buffer.concat([rest, chunk])
      for (; rest.length > PIECE; rest = rest.subarray(PIECE)) yield pieceLine(digest, rest.subarray(0, PIECE), true)
    }
    yield pieceLine(digest, rest, false)
  } catch (error) {
    if (!isMissing(error)) throw error
    yield line(writeObjectLine({ digest, erased: true }))
  }
}

const pieceLine = (digest: Digest, bytes: Buffer, more: boolean): string =>
  line(writeObjectLine({ digest, base64: bytes.toString('base64'), more }))
