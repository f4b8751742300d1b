// The tables of the record about itself: which objects were erased, and how far each stream is sealed.
import { CHECKPOINT_SIGNED, CHECKPOINTS } from './checkpoint.ts'
import { OBJECT_ERASED } from './erasure.ts'
import type { Projection } from './projection.ts'

export const erasedObjects: Projection = {
  table: 'erased',
  columns: { digest: 'text', at: 'text', actor: 'text', why: 'text' },
  key: ['digest'],
  from: { [OBJECT_ERASED]: [{ put: { digest: 'payload.erasedHash', at: 'at', actor: 'actor', why: 'payload.why' } }] },
}

export const sealedStreams: Projection = {
  table: 'seals',
  columns: { sealed: 'text', last: 'integer', headHash: 'text' },
  key: ['sealed'],
  from: { [CHECKPOINT_SIGNED]: [{ each: 'payload.heads', put: { sealed: 'item.stream', last: 'item.seq', headHash: 'item.headHash' } }] },
}

/** Every head that any checkpoint signed, not only the last of each stream. Made beside a store when it is verified; no store has this table. */
export const signedHeads: Projection = {
  table: 'signed',
  under: CHECKPOINTS,
  columns: { sealed: 'text', last: 'integer', headHash: 'text' },
  key: ['sealed', 'last', 'headHash'],
  indexes: [['sealed']],
  // A declaration of its own: stores prepare one statement for each.
  from: { [CHECKPOINT_SIGNED]: [{ each: 'payload.heads', put: { sealed: 'item.stream', last: 'item.seq', headHash: 'item.headHash' } }] },
}

export const RECORD_PROJECTIONS: readonly Projection[] = [erasedObjects, sealedStreams]
