// Folder: Where a repeated run differs from its record, byte by byte within blocks. It decides nothing and loads nothing.
// Names the places where a replay differs from the record. Compares nothing but two texts.
import type { Block } from '../compose/parts.ts'
import type { Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { RunEvent } from '../run/events.ts'

/**
 * `event`: its bytes do not have the digest in the next event. `object`: a referenced object is missing, or has other bytes. All others:
 * the event that the replay would write differently, with OpenWOP's names where it has one.
 */
export type Point = 'event' | 'object' | 'agent.promptResolved' | RunEvent['type']

/** In bytes of UTF-8. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

export interface Divergence {
  /** In the stream of the run, unless another is named. */
  readonly sequence: number
  readonly point: Point
  readonly stream?: string
  readonly nodeId?: string
  readonly step?: number
  readonly kind?: PromptKind
  readonly layer?: Layer
  readonly block?: Block
  readonly template?: string
  readonly variable?: string
  /** The field that differs. */
  readonly field?: string
  /** The span of the block, or of the template's text, on the record. */
  readonly span?: ByteSpan
  /** On record. */
  readonly expected: Json
  /** From the replay. Null without a result. */
  readonly found: Json
}

/** The place of a divergence without its texts: a span contains text, and a prompt that cannot be composed may quote some. */
export const withoutWords = (divergence: Divergence): Divergence =>
  divergence.span === undefined && divergence.field !== 'promptHash' ? divergence : { ...divergence, expected: null, found: null }

/** A host setting that changed after the start of the run. The run is not affected. */
export interface Rotation {
  readonly kind: string
  readonly expected: Json
  readonly found: Json
}

export interface TextDifference {
  /** Where it begins, in code units. */
  readonly at: number
  readonly span: ByteSpan
  readonly expected: string
  readonly found: string
}

const MOST_SHOWN = 200
const bytesIn = (text: string): number => new TextEncoder().encode(text).length
const shown = (text: string): string => (text.length <= MOST_SHOWN ? text : `${whole(text.slice(0, MOST_SHOWN))}…`)
/** Without half a character at its end. */
const whole = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

/** The middle parts of both texts, without their common beginning and end. */
export function textDifference(expected: string, found: string): TextDifference {
  let at = 0
  while (at < expected.length && expected[at] === found[at]) at += 1
  if (/[\uD800-\uDBFF]/.test(expected[at - 1] ?? '')) at -= 1
  let tail = 0
  const most = Math.min(expected.length, found.length) - at
  while (tail < most && expected.at(-1 - tail) === found.at(-1 - tail)) tail += 1
  if (tail > 0 && /[\uDC00-\uDFFF]/.test(expected.at(-tail)!)) tail -= 1
  const [was, is] = [expected.slice(at, expected.length - tail), found.slice(at, found.length - tail)]
  const start = bytesIn(expected.slice(0, at))
  return { at, span: { start, end: start + bytesIn(was) }, expected: shown(was), found: shown(is) }
}
