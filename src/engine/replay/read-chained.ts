// Reads the events of a stream, and checks each against the hash in the next. Reports broken links, and reads on.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import type { Store, StoredEvent } from '../../ports.ts'

export type Diverged = (divergence: Divergence) => void

/** @param named whether a divergence names its stream: not for the stream of the run itself */
export async function* chainedPages(
  store: Store,
  tenant: string,
  stream: string,
  diverged: Diverged,
  named: boolean,
): AsyncGenerator<IterableIterator<StoredEvent>, null> {
  const where = { point: 'event', ...(named ? { stream } : {}) } as const
  const head = await store.head(tenant, stream)
  let last = -1
  let digest: Digest | null = null
  function* tied(page: Iterable<StoredEvent>): IterableIterator<StoredEvent> {
    for (const stored of page) {
      const { seq, prev } = stored.event
      if (seq > head.seq) return
      if (seq !== last + 1) diverged({ ...where, sequence: last + 1, field: 'seq', expected: last + 1, found: seq })
      else if (prev !== digest) diverged({ ...where, sequence: Math.max(last, 0), expected: prev, found: digest })
      last = seq
      digest = digestBytes(stored.bytes)
      if (seq === head.seq && digest !== head.digest) diverged({ ...where, sequence: seq, expected: head.digest, found: digest })
      yield stored
    }
  }
  for await (const page of store.pages(tenant, stream, -1)) {
    yield tied(page)
    if (last >= head.seq) break
  }
  if (last < head.seq) diverged({ ...where, sequence: last + 1, field: 'seq', expected: head.seq, found: last })
  return null
}

/** The same, one at a time. @returns the next one, each time; null at the end */
export function readChained(...of: Parameters<typeof chainedPages>): () => Promise<StoredEvent | null> {
  const pages = chainedPages(...of)
  let page: IterableIterator<StoredEvent> | null = [][Symbol.iterator]()
  return async () => {
    for (; page !== null; page = (await pages.next()).value) {
      const next = page.next()
      if (next.done !== true) return next.value
    }
    return null
  }
}
