// One stream with everything it speaks of, as lines of text that anybody can check (spec/record).
import type { Digest } from '../core/digest/digest.ts'
import { CHECKPOINTS } from '../core/record/checkpoint.ts'
import { sealedStreams } from '../core/record/projections.ts'
import { linksIn, mayBecomeNode, referencesIn } from '../core/record/references.ts'
import { Fault } from '../errors.ts'
import type { Store } from '../ports.ts'

/** Raw bytes on one line; three bytes make four characters, so pieces join without padding between them. */
const PIECE = 3 * 64 * 1024

export async function* exportStream(store: Store, tenant: string, stream: string): AsyncIterable<string> {
  const head = await store.head(tenant, stream)
  if (head.seq < 0) throw new Fault('stream_missing', { stream })
  const checkpoint = await lastSeal(store, tenant, stream, head.seq)
  const checkpoints = checkpoint === null ? 0 : 1
  yield line(JSON.stringify({ onbook: 'stream', v: 1, tenant, stream, events: head.seq + 1, head: head.digest, checkpoints }))

  const spoken = new Set<Digest>()
  for await (const { event, bytes } of store.read(tenant, stream, -1)) {
    if (event.seq > head.seq) break // written since
    for (const digest of referencesIn(event.payload)) spoken.add(digest)
    yield line(new TextDecoder().decode(bytes))
  }
  if (checkpoint !== null) yield line(checkpoint)
  await addLinked(store, tenant, spoken)
  for (const digest of [...spoken].sort()) yield* exportObject(store, tenant, digest)
}

/** What nodes speak of, and the nodes among that: a set grows while it is walked. */
async function addLinked(store: Store, tenant: string, spoken: Set<Digest>): Promise<void> {
  for (const digest of spoken) for (const link of await linksOf(store, tenant, digest)) spoken.add(link)
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

const line = (text: string): string => `${text}\n`

/** The newest checkpoint that speaks of the stream, unless it speaks of events that came after the export began. */
async function lastSeal(store: Store, tenant: string, stream: string, last: number): Promise<string | null> {
  for await (const { seq, cells } of store.rows(sealedStreams.table, tenant, { sealed: stream })) {
    if (Number(cells.last) > last) return null
    for await (const { bytes } of store.read(tenant, CHECKPOINTS, seq - 1)) return new TextDecoder().decode(bytes)
  }
  return null
}

async function* exportObject(store: Store, tenant: string, digest: Digest): AsyncIterable<string> {
  let rest = Buffer.alloc(0)
  try {
    for await (const chunk of store.readObject(tenant, digest)) {
      rest = Buffer.concat([rest, chunk])
      for (; rest.length > PIECE; rest = rest.subarray(PIECE))
        yield line(JSON.stringify({ digest, base64: rest.subarray(0, PIECE).toString('base64'), more: true }))
    }
    yield line(JSON.stringify({ digest, base64: rest.toString('base64') }))
  } catch (error) {
    if (!isMissing(error)) throw error
    yield line(JSON.stringify({ digest, erased: true }))
  }
}
