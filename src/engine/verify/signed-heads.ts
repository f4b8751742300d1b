// The heads that checkpoints and anchors name, handed out stream by stream in the order in which streams are verified.
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import { compareCells, type ProjectedRow } from '../../core/record/projection.ts'
import { signedHeads } from '../../core/record/projections.ts'
import type { ProjectionTables } from '../../ports.ts'
import type { Anchor } from './anchors.ts'

/** One signed statement: the event at `seq` has this name. */
export interface NamedHead {
  readonly seq: number
  readonly digest: string
}

export interface Seal extends NamedHead {
  /** The sequence of the checkpoint that signs it. */
  readonly by: number
}

export interface SealsOfTenant {
  /** Ask in the order of streams. */
  of(stream: string): readonly Seal[]
  /** Streams that checkpoints name and that no caller has asked for. */
  lost(): Iterable<{ readonly stream: string; readonly seal: Seal }>
}

/** Call it when every checkpoint of the tenant has been applied to the scratch tables. */
export function sealsOf(scratch: ProjectionTables, tenant: string): SealsOfTenant {
  const rows = heads(scratch.rowsBy(signedHeads.table, tenant, 'sealed'))[Symbol.iterator]()
  const skipped: { stream: string; seal: Seal }[] = []
  let next = rows.next()
  const skip = (): void => {
    const { sealed, ...seal } = next.value!
    if (skipped.at(-1)?.stream === sealed) skipped.pop()
    skipped.push({ stream: sealed, seal })
    next = rows.next()
  }
  return {
    of(stream) {
      const found: Seal[] = []
      while (!next.done && compareCells([next.value.sealed], [stream]) < 0) skip()
      for (; !next.done && next.value.sealed === stream; next = rows.next()) found.push(next.value)
      return found
    },
    lost() {
      while (!next.done) skip()
      return skipped
    },
  }
}

/** Events in other streams may look like checkpoints, and sign nothing. */
function* heads(rows: Iterable<ProjectedRow>): Generator<Seal & { readonly sealed: string }, undefined> {
  for (const { stream, seq: by, cells } of rows)
    if (stream === CHECKPOINTS && typeof cells.last === 'number' && typeof cells.sealed === 'string')
      yield { sealed: cells.sealed, seq: cells.last, digest: String(cells.headHash), by }
  return undefined
}

/** From all anchors: the heads that they sign, and the anchors themselves as events of the stream of checkpoints. */
export interface AnchoredHeads {
  /** A stream is handed out once. */
  take(tenant: string, stream: string): readonly NamedHead[]
  rest(): Iterable<{ readonly tenant: string; readonly stream: string; readonly heads: readonly NamedHead[] }>
}

export function anchoredHeads(anchors: readonly Anchor[]): AnchoredHeads {
  const all = new Map<string, { readonly tenant: string; readonly stream: string; readonly heads: NamedHead[] }>()
  const add = (tenant: string, stream: string, head: NamedHead): void => {
    const key = JSON.stringify([tenant, stream])
    const entry = all.get(key) ?? { tenant, stream, heads: [] }
    entry.heads.push(head)
    all.set(key, entry)
  }
  for (const { tenant, seq, digest, heads: signed, genuine } of anchors) {
    add(tenant, CHECKPOINTS, { seq, digest })
    if (genuine === true) for (const { stream, seq: last, headHash } of signed) add(tenant, stream, { seq: last, digest: headHash })
  }
  return {
    take(tenant, stream) {
      const key = JSON.stringify([tenant, stream])
      const found = all.get(key)?.heads ?? []
      all.delete(key)
      return found
    },
    rest: () => all.values(),
  }
}

/** Compares the events of one stream, in order, with heads that were named for it. */
export interface HeadComparison {
  /** The first head so far that names another event than this one, when it is new. */
  differs(seq: number, digest: string | null): NamedHead | null
  /** The last head that names an event after the end. */
  ahead(end: number): NamedHead | null
}

export function compareHeads(heads: readonly NamedHead[]): HeadComparison {
  const bySeq = new Map<number, NamedHead[]>()
  for (const head of heads) bySeq.set(head.seq, [...(bySeq.get(head.seq) ?? []), head])
  let isFound = false
  return {
    differs(seq, digest) {
      // A stream that was rewritten differs everywhere from there on: it is named once.
      const found = isFound ? undefined : bySeq.get(seq)?.find(head => head.digest !== digest)
      isFound ||= found !== undefined
      return found ?? null
    },
    ahead: end => heads.reduce<NamedHead | null>((last, head) => (head.seq > end && head.seq >= (last?.seq ?? 0) ? head : last), null),
  }
}
