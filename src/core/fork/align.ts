// Folder: The events of a run under the names of its fork, the event where a fork begins, and its differences from the record. It writes nothing.
// Aligns the events of a fork with the record of its source. Finds which event belongs to which, and compares no content.

/** An event that is on record, with its place there. */
export interface Kept<E> {
  readonly sequence: number
  readonly at: string
  readonly actor: string
  readonly event: E
}

/** The progress of a replay in a stream of the source. */
export interface Track<E> {
  readonly kept: readonly Kept<E>[]
  readonly next: number
}

/** Without `kept`, the record has no such event; without `made`, the event did not happen again. */
export interface Pair<E> {
  /** Where it is on record, or would be. */
  readonly sequence: number
  readonly kept: Kept<E> | null
  readonly made: E | null
}

export interface Aligned<E> {
  readonly track: Track<E>
  readonly pairs: readonly Pair<E>[]
}

type Named = { readonly type: string }

/** The maximum distance on the record between two events that are matched. */
const FARTHEST = 16

const nameOf = (event: Named): string => {
  const { type, nodeId = '', call = '', edgeId = '', handoff = '', kind = '' } = event as Named & Readonly<Record<string, unknown>>
  return JSON.stringify([type, nodeId, call, edgeId, handoff, kind])
}

const lost = <E>(original: Kept<E>): Pair<E> => ({ sequence: original.sequence, kept: original, made: null })

/** @param made the new events, in order */
export function align<E extends Named>({ kept, next }: Track<E>, made: readonly E[]): Aligned<E> {
  const pairs: Pair<E>[] = []
  let at = next
  for (const event of made) {
    const name = nameOf(event)
    const offset = kept.slice(at, at + FARTHEST).findIndex(one => nameOf(one.event) === name)
    if (offset < 0) {
      pairs.push({ sequence: sequenceAt(kept, at), kept: null, made: event })
      continue
    }
    const same = kept[at + offset]!
    pairs.push(...kept.slice(at, at + offset).map(lost), { sequence: same.sequence, kept: same, made: event })
    at += offset + 1
  }
  return { track: { kept, next: at }, pairs }
}

/** The sequence of the recorded event there; after the end, the sequence of the next event. */
export const sequenceAt = (record: readonly Kept<unknown>[], at: number): number =>
  record[at]?.sequence ?? (record.at(-1)?.sequence ?? -1) + 1

/** All recorded events that did not happen again. */
export const restOf = <E>({ kept, next }: Track<E>): readonly Pair<E>[] => kept.slice(next).map(lost)
