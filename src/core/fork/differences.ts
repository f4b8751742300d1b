// Compares a recorded event with its replay, and names each place where they differ.
import { canonicalJson, type Json } from '../digest/digest.ts'
import { compareFields, comparePrompts, compareRequests } from '../replay/compare-step.ts'
import { compareTold, isTold, type TextOf } from '../replay/compare-told.ts'
import type { Divergence, Point } from '../replay/divergence.ts'
import type { RunEvent } from '../run/events.ts'
import type { DivergenceKind } from '../run/fork.ts'
import type { Kept, Pair } from './align.ts'

export interface Difference {
  /** The sequence in the source's run where the difference is, or would be, recorded. */
  readonly at: number
  readonly kind: DivergenceKind
  readonly nodeId: string | null
  readonly divergences: readonly Divergence[]
  /** The event that could not be reproduced, when the first divergence names an object. */
  readonly point?: Point
}

/** Null when both are equal. */
export function differenceIn({ sequence: at, kept, made }: Pair<RunEvent>, text: TextOf): Difference | null {
  if (kept === null) return { at, kind: 'extra', nodeId: nodeIn(made!), divergences: [whole(made!, at, null, made!.type)] }
  const { event } = kept
  if (made === null) return { at, kind: 'missing', nodeId: nodeIn(event), divergences: [whole(event, at, event.type, null)] }
  if (canonicalJson(said(event)) === canonicalJson(said(made))) return null
  return { at, kind: 'output', nodeId: nodeIn(event), divergences: fieldsOf(event, made, at, text) }
}

/** Nothing of it happened again: the run was over before. */
export function restDifference(rest: readonly Pair<RunEvent>[]): Difference | null {
  const divergences = rest.map(({ sequence, kept }) => whole(kept!.event, sequence, kept!.event.type, null))
  return divergences.length === 0 ? null : { at: rest[0]!.sequence, kind: 'missing', nodeId: null, divergences }
}

export interface UnusableObject {
  readonly code: string
  readonly digest: string
  /** The digest of the stored bytes; null when they are missing, or not the reason. */
  readonly found: string | null
}

/** An event cannot be reproduced, because an object that it needs is missing or has other bytes. */
export const objectDifference = (
  { sequence, event }: Pick<Kept<RunEvent>, 'sequence' | 'event'>,
  { code, digest, found }: UnusableObject,
): Difference => ({
  at: sequence,
  kind: 'output',
  nodeId: nodeIn(event),
  divergences: [{ ...placeOf(event, sequence), point: 'object', field: code, expected: digest, found }],
  point: pointOf(event),
})

const nodeIn = (event: RunEvent): string | null => ('nodeId' in event ? event.nodeId : null)

/** As OpenWOP names it, where it does. */
const pointOf = ({ type }: RunEvent): Point => (type === 'prompt.traced' ? 'agent.promptResolved' : type)

const placeOf = (event: RunEvent, sequence: number): Pick<Divergence, 'sequence' | 'nodeId' | 'step'> => {
  const nodeId = nodeIn(event)
  return { sequence, ...(nodeId === null ? {} : { nodeId }), ...('step' in event ? { step: event.step } : {}) }
}

const whole = (event: RunEvent, sequence: number, expected: Json, found: Json): Divergence => ({
  ...placeOf(event, sequence),
  point: pointOf(event),
  expected,
  found,
})

/** The event without the names that differ between forks, and without timestamps. */
function said(event: RunEvent): Json {
  switch (event.type) {
    case 'run.created': {
      const { forkOf: _, owner: __, ...rest } = event
      return rest as unknown as Json
    }
    case 'handoff.sent': {
      const { awaits, ...rest } = event
      return { ...rest, awaits: awaits?.call ?? null } as unknown as Json
    }
    default:
      return event as unknown as Json
  }
}

function fieldsOf(event: RunEvent, made: RunEvent, sequence: number, text: TextOf): readonly Divergence[] {
  const at = placeOf(event, sequence)
  if (isTold(event) && isTold(made)) return compareTold(at, { hashes: [], since: 0, events: [{ sequence, event }] }, [made], [], text)
  if (event.type === 'step.started' && made.type === 'step.started') {
    const prompted = comparePrompts(at, event.prompt, made.prompt, text)
    const differences = [...prompted, ...compareRequests(at, event, made, prompted.length > 0)]
    if (differences.length > 0) return differences
  }
  return compareFields({ ...at, point: pointOf(event) }, said(event) as object, said(made) as object)
}
