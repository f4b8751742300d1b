// The active content at the time of a step, and the events that activated it. The caller loads the events.
import type { Mode } from '../compose/mode.ts'
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { RecordedEvent } from '../record/event.ts'
import type { RunFact } from '../run/reading/reading.ts'
import type { PromptSource } from '../session/config.ts'
import { fromRecorded } from '../session/events.ts'
import type { Snapshot } from '../session/snapshot.ts'

/** The position of an event, its time and its actor. */
export interface EventPlace {
  readonly stream: string
  readonly sequence: number
  readonly type: string
  readonly at: string
  readonly actor: string
}

export interface ActiveRole {
  readonly name: string
  readonly source: 'repo' | 'shipped'
  readonly ref: string
  readonly digest: Digest
  readonly since: EventPlace
}

export interface ActiveState {
  readonly snapshot: Snapshot | null
  /** How the snapshot came to be used: synced, approved, applied. */
  readonly adopted: readonly EventPlace[]
  readonly role: ActiveRole | null
  readonly mode: { readonly mode: Mode; readonly since: EventPlace }
  /**
   * The newest that was on record then; a process may still have gone by the one before.
   * Null: no change of it is on record here, as in a run file; or the step was taken over, and when it was taken is not known.
   */
  readonly policy: { readonly revision: number; readonly since: EventPlace } | null
  /** The messages before the history, and where they come from: of a session run, which no layer offers a prompt. */
  readonly before?: { readonly source: PromptSource; readonly messages: readonly Digest[] }
  /** The run of which this step was taken over as it was, by a fork. */
  readonly takenFrom?: string
}

/** The first and the last step of a visit that it held for. */
export interface ActiveSteps extends ActiveState {
  readonly steps: readonly [first: number, last: number]
}

export const placeOf = ({ stream, seq, type, at, actor }: RecordedEvent): EventPlace => ({ stream, sequence: seq, type, at, actor })

export const factPlace = (stream: string, { sequence, at, actor, event }: RunFact): EventPlace => ({
  stream,
  sequence,
  type: event.type,
  at,
  actor,
})

const STAGED = 'workspace.snapshotReady'
const TAKEN = 'workspace.applied'
const TOLD: readonly string[] = [STAGED, TAKEN, 'workspace.approved', 'workspace.deferred']

/** Selects the events of a session that `adoptionOf` needs. */
export const isAdoption = ({ type }: RecordedEvent): boolean => TOLD.includes(type)

/** @param events of the session and of its home; @param at the time of the step */
export function adoptionOf(events: readonly RecordedEvent[], snapshot: Snapshot, at: string): readonly EventPlace[] {
  const wanted = spelled(snapshot)
  const about = events
    .filter(event => isAdoption(event) && event.at <= at && spelled(snapshotIn(event)) === wanted)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  // A later sync may be waiting: only the adoption counts.
  const taken = about.findLastIndex(({ type }) => type === TAKEN)
  const staged = about.findLastIndex(({ type }, index) => index <= taken && type === STAGED)
  return about.slice(Math.max(staged, 0), taken + 1).map(placeOf)
}

function snapshotIn(recorded: RecordedEvent): Snapshot | null {
  const event = fromRecorded(recorded)
  return 'snapshot' in event ? event.snapshot : null
}

const spelled = (snapshot: Snapshot | null): string => canonicalJson(snapshot as unknown as Json)

/** Consecutive steps with equal state are reported once. */
export function grouped(steps: readonly (ActiveState & { readonly step: number })[]): readonly ActiveSteps[] {
  const groups: ActiveSteps[] = []
  for (const { step, ...active } of steps) {
    const last = groups.at(-1)
    if (last !== undefined && isSame(last, active)) groups[groups.length - 1] = { ...last, steps: [last.steps[0], step] }
    else groups.push({ steps: [step, step], ...active })
  }
  return groups
}

const isSame = ({ steps: _, ...state }: ActiveSteps, active: ActiveState): boolean =>
  canonicalJson(state as unknown as Json) === canonicalJson(active as unknown as Json)
