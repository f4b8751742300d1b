// One stream with everything it speaks of, as lines of text that anybody can check (spec/record).
import type { Digest } from '../core/digest/digest.ts'
import { CHECKPOINTS } from '../core/record/checkpoint.ts'
import { sealedStreams } from '../core/record/projections.ts'
import { referencesIn } from '../core/record/references.ts'
import { Fault } from '../errors.ts'
import type { Store } from '../ports.ts'
import { exportObjects, line } from './run-files/export-objects.ts'

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
  yield* exportObjects(store, tenant, spoken)
}

/** The newest checkpoint that speaks of the stream, unless it speaks of events that came after the export began. */
async function lastSeal(store: Store, tenant: string, stream: string, last: number): Promise<string | null> {
  for await (const { seq, cells } of store.rows(sealedStreams.table, tenant, { sealed: stream })) {
    if (Number(cells.last) > last) return null
    for await (const { bytes } of store.read(tenant, CHECKPOINTS, seq - 1)) return new TextDecoder().decode(bytes)
  }
  return null
}
