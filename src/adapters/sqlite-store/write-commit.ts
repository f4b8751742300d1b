// Writes one commit inside the caller's transaction. Checks before it writes: a refused commit has changed nothing.
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import { CHECKPOINT_SIGNED, readCheckpoint } from '../../core/record/checkpoint.ts'
import { emptyHead, type StreamHead, type WrittenEvent, writeEvents } from '../../core/record/event.ts'
import { beginsAsNode, linksIn, NO_NODE } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import type { Append, Commit, Committed } from '../../ports.ts'
import type { Heads } from './heads.ts'
import type { Objects } from './objects.ts'
import type { Projecting } from './projection-tables.ts'
import type { Statements } from './statements.ts'

export interface Writing {
  readonly statements: Statements
  readonly heads: Heads
  readonly objects: Objects
  readonly projections: Projecting
}

interface PlannedAppend {
  readonly stream: string
  readonly events: readonly WrittenEvent[]
  readonly head: StreamHead
}

/** @param at one moment for all that is written together */
export function writeCommit(writing: Writing, commit: Commit, at: string): Committed {
  const { statements, objects } = writing
  const { tenant, erase = [], idempotency } = commit
  const replayed = idempotency === undefined ? null : answerOf(statements, tenant, idempotency.key)
  if (replayed !== null) return { heads: [], replayed, at }

  const bodies = new Map((commit.objects ?? []).map(bytes => [digestBytes(bytes), bytes]))
  const appends = planAppends(writing, tenant, commit.appends ?? [], at)
  const links = planLinks(writing, tenant, bodies)
  const ids = new Map<Digest, number>()
  const idOf = (digest: Digest): number => {
    const id = objects.idOf(tenant, digest)
    if (id === null) throw new Fault('object_missing', { digest })
    return id
  }
  const need = (references: readonly Digest[]): void => {
    for (const digest of references) if (!bodies.has(digest) && !ids.has(digest)) ids.set(digest, idOf(digest))
  }
  for (const { events } of appends) for (const { references } of events) need(references)
  for (const { references } of links) need(references)
  const erased = erase.map(idOf)

  // From here on only the disk can refuse.
  for (const [digest, bytes] of bodies) ids.set(digest, objects.write(tenant, digest, bytes, at))
  for (const { node, references } of links) for (const digest of references) statements.addLink.run(ids.get(node)!, ids.get(digest)!)
  for (const append of appends) writeAppend(writing, tenant, append, ids)
  for (const id of erased) objects.erase(id)
  if (idempotency !== undefined) statements.addAnswer.run(tenant, idempotency.key, JSON.stringify(idempotency.answer))
  return { heads: appends.map(({ head }) => head), replayed: null, at }
}

interface PlannedLinks {
  readonly node: Digest
  readonly references: readonly Digest[]
}

/** The links of new nodes among the objects: a node that exists already has its links. */
function planLinks({ objects }: Writing, tenant: string, bodies: ReadonlyMap<Digest, Uint8Array>): readonly PlannedLinks[] {
  const links: PlannedLinks[] = []
  for (const [node, bytes] of bodies) {
    if (!beginsAsNode(bytes) || objects.idOf(tenant, node) !== null) continue
    const references = linksIn(bytes)
    if (references === null) throw new Fault('object_invalid', { problem: NO_NODE })
    links.push({ node, references })
  }
  return links
}

export function answerOf(statements: Statements, tenant: string, key: string): Json | null {
  const known = statements.answer.get(tenant, key) as { answer: string } | undefined
  return known === undefined ? null : (JSON.parse(known.answer) as Json)
}

function planAppends({ heads }: Writing, tenant: string, appends: readonly Append[], at: string): readonly PlannedAppend[] {
  const moved = new Map<string, StreamHead>()
  return appends.map(({ stream, expected, entries }) => {
    const from = moved.get(stream) ?? heads.get(tenant, stream)?.head ?? emptyHead(tenant, stream)
    if (from.seq !== expected) throw new Fault('stream_moved', { stream, expected, found: from.seq })
    const events = writeEvents(from, entries, at)
    if (typeof events === 'string') throw new Fault('entry_invalid', { stream, problem: events })
    const head = events.at(-1)?.head ?? from
    moved.set(stream, head)
    return { stream, head, events }
  })
}

function writeAppend(writing: Writing, tenant: string, { stream, events, head }: PlannedAppend, ids: ReadonlyMap<Digest, number>): void {
  if (events.length === 0) return
  const { statements, heads, projections } = writing
  const known = heads.get(tenant, stream)
  const id = known?.id ?? (statements.addStream.get(tenant, stream, head.seq, head.digest) as { id: number }).id
  if (known !== null) statements.moveStream.run(head.seq, head.digest, id)
  heads.set(id, head)
  statements.addEvents(events.flatMap(({ event, bytes }) => [id, event.seq, bytes]))
  statements.addRefs(events.flatMap(({ event, references }) => references.flatMap(digest => [id, event.seq, ids.get(digest)!])))
  for (const { event } of events) {
    projections.apply(event, id)
    if (event.type === CHECKPOINT_SIGNED)
      for (const sealed of readCheckpoint(event)?.statement.heads ?? []) statements.sealStream.run(sealed.seq, tenant, sealed.stream)
  }
}
