// Exports one stream with everything that it references, as lines of text that anybody can check (spec/record).
import type { Digest } from '../../core/digest/digest.ts'
import { referencesIn } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { checkpointsOf } from '../run-files/checkpoints-of.ts'
import { exportObjects, line } from '../run-files/export-objects.ts'

export async function* exportStream(store: Store, tenant: string, stream: string): AsyncIterable<string> {
  const head = await store.head(tenant, stream)
  if (head.seq < 0) throw new Fault('stream_missing', { stream })
  const events = head.seq + 1
  const checkpoints = await checkpointsOf(store, [{ tenant, stream, events }])
  yield line(JSON.stringify({ onbook: 'stream', v: 1, tenant, stream, events, head: head.digest, checkpoints: checkpoints.length }))

  const spoken = new Set<Digest>()
  for await (const { event, bytes } of store.read(tenant, stream, -1)) {
    if (event.seq > head.seq) break // written since
    for (const digest of referencesIn(event.payload)) spoken.add(digest)
    yield line(new TextDecoder().decode(bytes))
  }
  for (const { bytes } of checkpoints) yield line(new TextDecoder().decode(bytes))
  yield* exportObjects(store, tenant, spoken)
}
