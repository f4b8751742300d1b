// The event by which a fork records a difference from its source. The places of the difference are in an object of their own.
import { canonicalJson, digestText, type Json } from '../digest/digest.ts'
import type { RunEvent } from '../run/events.ts'
import type { StoredText } from '../session/history.ts'
import type { Difference } from './differences.ts'

export interface ToldDifference {
  readonly event: Extract<RunEvent, { readonly type: 'replay.diverged' }>
  readonly text: StoredText
}

export function divergedEvent(sourceRunId: string, { at, kind, nodeId, divergences, point: place }: Difference): ToldDifference {
  const { point, stream } = divergences[0]!
  const text = canonicalJson({ divergences } as unknown as Json)
  const details = digestText(text)
  const original = kind === 'extra' || stream !== undefined ? {} : { originalEventId: `${sourceRunId}:${at}` }
  const where = { sourceRunId, atSequence: at, ...original, divergenceKind: kind, divergencePoint: place ?? point }
  return { event: { type: 'replay.diverged', nodeId, ...where, details }, text: { digest: details, text } }
}
