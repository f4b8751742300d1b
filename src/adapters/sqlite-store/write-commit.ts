// Writes one commit inside a transaction that somebody else opens and ends. Throws to have all of it undone.
import { digestBytes } from '../../core/digest/digest.ts'
import { emptyHead, type StreamHead, writeEvent } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Append, Clock, Commit, Committed } from '../../ports.ts'
import type { HeadRow, Statements } from './statements.ts'

export function writeCommit(statements: Statements, { tenant, objects = [], appends = [], idempotency }: Commit, clock: Clock): Committed {
  if (idempotency !== undefined) {
    const known = statements.answer.get(tenant, idempotency.key) as { answer: string } | undefined
    if (known !== undefined) return { heads: [], replayed: JSON.parse(known.answer) }
    statements.addAnswer.run(tenant, idempotency.key, JSON.stringify(idempotency.answer))
  }
  for (const bytes of objects) statements.addObject.run(tenant, digestBytes(bytes), bytes, clock())
  return { heads: appends.map(append => writeAppend(statements, tenant, append, clock)), replayed: null }
}

function writeAppend(statements: Statements, tenant: string, { stream, expected, entries }: Append, clock: Clock): StreamHead {
  const row = statements.head.get(tenant, stream) as HeadRow | undefined
  const found = row?.seq ?? -1
  if (found !== expected) throw new Fault('stream_moved', { stream, expected, found })
  let head: StreamHead =
    row === undefined ? emptyHead(tenant, stream) : { tenant, stream, seq: row.seq, digest: row.digest as StreamHead['digest'] }
  if (entries.length === 0) return head
  const id = row?.id ?? (statements.addStream.get(tenant, stream, -1, '') as { id: number }).id
  for (const { refs = [], ...draft } of entries) {
    const next = writeEvent(head, draft, clock())
    statements.addEvent.run(id, next.event.seq, next.bytes)
    for (const digest of refs) {
      if (statements.hasObject.get(tenant, digest) === undefined) throw new Fault('object_missing', { digest })
      statements.addRef.run(tenant, digest, id, next.event.seq)
    }
    head = next.head
  }
  statements.moveStream.run(head.seq, head.digest, id)
  return head
}
