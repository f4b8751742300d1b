// The events of a stream as they were when it was opened, each held against what the next one says of it. Reports what is broken, and reads on.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import type { Store, StoredEvent } from '../../ports.ts'

export type Diverged = (divergence: Divergence) => void

/** @param named whether a divergence says which stream it is in: not in that of the run itself */
export async function* readChained(
  store: Store,
  tenant: string,
  stream: string,
  diverged: Diverged,
  named: boolean,
): AsyncGenerator<StoredEvent, void, void> {
  const head = await store.head(tenant, stream)
  const where = { point: 'event', ...(named ? { stream } : {}) } as const
  let last = -1
  let digest: Digest | null = null
  for await (const stored of store.read(tenant, stream, -1)) {
    const { seq, prev } = stored.event
    if (seq > head.seq) return
    if (seq !== last + 1) diverged({ ...where, sequence: last + 1, field: 'seq', expected: last + 1, found: seq })
    else if (prev !== digest) diverged({ ...where, sequence: Math.max(last, 0), expected: prev, found: digest })
    last = seq
    digest = digestBytes(stored.bytes)
    if (seq === head.seq && digest !== head.digest) diverged({ ...where, sequence: seq, expected: head.digest, found: digest })
    yield stored
  }
  if (last < head.seq) diverged({ ...where, sequence: last + 1, field: 'seq', expected: head.seq, found: last })
}
