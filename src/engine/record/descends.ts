// Checks that a stream still continues its signed head. Another head must never be signed: the signature would hide a rewritten history.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { readEvent, type StreamHead } from '../../core/record/event.ts'
import type { BreakCode } from '../../core/record/walk.ts'
import { Fault } from '../../errors.ts'
import type { SignedHead, Store } from '../../ports.ts'

/** Null when the events from the signed one up to `head` are one chain. */
export async function flawSince(store: Store, head: StreamHead, signed: SignedHead): Promise<BreakCode | null> {
  if (head.seq < signed.seq) return 'checkpoint_ahead'
  try {
    return await walkFrom(store, head, signed)
  } catch (error) {
    if (error instanceof Fault && error.code === 'event_corrupt') return 'event_unreadable'
    throw error
  }
}

async function walkFrom(store: Store, { tenant, stream, seq: end, digest }: StreamHead, signed: SignedHead): Promise<BreakCode | null> {
  let at: StreamHead | null = null
  for await (const { event, bytes } of store.read(tenant, stream, signed.seq - 1)) {
    if (at === null) {
      if (event.seq !== signed.seq || digestBytes(bytes) !== signed.digest) return 'checkpoint_differs'
      at = { tenant, stream, seq: signed.seq, digest: signed.digest as Digest }
    } else {
      const read = readEvent(at, bytes)
      if (!read.ok) return read.fault
      at = read.head
    }
    // Events after `end` were written meanwhile.
    if (at.seq === end) return at.digest === digest ? null : 'chain_broken'
  }
  return 'sequence_broken'
}
