// Verifies a stream event by event. Continues after a break, so that each break is reported once.
import { type Digest, digestBytes } from '../digest/digest.ts'
import { decodeEvent, type RecordedEvent, type StreamHead } from './event.ts'

export type BreakCode =
  | 'event_unreadable'
  | 'event_misplaced'
  | 'sequence_broken'
  | 'chain_broken'
  | 'stream_missing'
  | 'object_missing'
  | 'object_corrupt'
  | 'reference_missing'
  | 'reference_unknown'
  | 'row_missing'
  | 'row_unknown'
  | 'row_differs'
  | 'checkpoint_forged'
  | 'checkpoint_key_unknown'
  | 'checkpoint_differs'
  | 'checkpoint_ahead'
  | 'anchor_forged'
  | 'anchor_differs'
  | 'anchor_ahead'
  | 'schema_unknown'
  | 'schema_missing'
  | 'schema_differs'
  | 'store_corrupt'

export interface Flaw {
  readonly seq: number
  readonly code: BreakCode
}

/** How far a walk has come. */
export interface Walked {
  readonly head: StreamHead
  /** Sequence of the last event that is out of place: the events after it cannot fit, and are not reported for it. */
  readonly flawed: number
  /** Sequence of the last gap, so that it is named once. */
  readonly gap: number
  /** How many links in a row, up to the head, do not hold. */
  readonly broken: number
}

export interface Step {
  readonly walked: Walked
  /** Null when it cannot be read, or belongs to another stream. */
  readonly event: RecordedEvent | null
  readonly flaws: readonly Flaw[]
}

export const startWalk = (tenant: string, stream: string): Walked => ({
  head: { tenant, stream, seq: -1, digest: null },
  flawed: -1,
  gap: -1,
  broken: 0,
})

/** One event, as it lies at `seq`. */
export function step(walked: Walked, seq: number, bytes: Uint8Array): Step {
  const { head, flawed, broken } = walked
  const due = head.seq + 1
  const gap: readonly Flaw[] = seq === due || walked.gap === due ? [] : [{ seq: due, code: 'sequence_broken' }]
  if (!Number.isSafeInteger(seq) || seq < due) return { walked: { ...walked, gap: due }, event: null, flaws: gap }
  const event = decodeEvent(bytes)
  const next: StreamHead = { tenant: head.tenant, stream: head.stream, seq, digest: digestBytes(bytes) }
  const code = placeFlaw(head, seq, event)
  const own = code === 'event_misplaced' ? null : event
  if (code !== null || seq > due) {
    const flaws = [...settled(walked), ...gap, ...(code === null ? [] : [{ seq, code }])]
    return { walked: { head: next, flawed: code === null ? flawed : seq, gap: seq > due ? due : walked.gap, broken: 0 }, event: own, flaws }
  }
  const holds = event?.prev === head.digest || head.seq === flawed
  const flaws = holds ? settled(walked) : newlyBroken(walked)
  return { walked: { head: next, flawed, gap: walked.gap, broken: holds ? 0 : broken + 1 }, event: own, flaws }
}

function placeFlaw({ tenant, stream, seq: last }: StreamHead, seq: number, event: RecordedEvent | null): BreakCode | null {
  if (event === null) return 'event_unreadable'
  if (event.tenant !== tenant || event.stream !== stream) return 'event_misplaced'
  if (event.seq !== seq) return 'sequence_broken'
  return last === -1 && seq === 0 && event.prev !== null ? 'chain_broken' : null
}

const changed = (seq: number): Flaw => ({ seq, code: 'chain_broken' })

/**
 * A broken link: either the event before it was changed, or the link in the event after it. One changed event breaks the link behind
 * it, or both its links; so the changed event is known only with the next link.
 */
const settled = ({ head, broken }: Walked): readonly Flaw[] => (broken === 1 || broken === 2 ? [changed(head.seq - 1)] : [])

/** Three in a row are more than one change: all of them are named. */
const newlyBroken = ({ head: { seq }, broken }: Walked): readonly Flaw[] =>
  broken === 2 ? [changed(seq - 2), changed(seq - 1), changed(seq)] : broken > 2 ? [changed(seq)] : []

/** Whether the stream ends where its head says. */
export function endWalk(walked: Walked, claim: { readonly seq: number; readonly digest: Digest | string | null }): readonly Flaw[] {
  const { head, flawed, gap, broken } = walked
  // A stream has events: one without any has lost them.
  if (claim.seq !== head.seq || head.seq < 0) {
    const end = head.seq < 0 ? 0 : Math.min(claim.seq, head.seq) + 1
    return [...settled(walked), ...(end === flawed || end === gap ? [] : [{ seq: end, code: 'sequence_broken' as const }])]
  }
  if (claim.digest === head.digest || head.seq === flawed) return settled(walked)
  return broken < 2 ? [changed(head.seq)] : newlyBroken(walked)
}
