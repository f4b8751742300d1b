// Folder: Who wrote each byte of a prompt: spans, authors, places in files. It does not search files and does not guess.
// The text of a prompt, span by span, with the author and the place of each. Uses only the given facts and guesses nothing.
import type { Trust } from '../compose/bind.ts'
import type { Block, BlockSegment, PartName } from '../compose/parts.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { FilePlace, PlaceAt } from './places.ts'
import type { WordSource } from './word-source.ts'

export interface BlameSpan {
  /** In bytes of UTF-8, of the whole text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Null for a separator between blocks, and outside the prompt. */
  readonly block: Block | null
  readonly part: PartName | null
  readonly template: string | null
  readonly layer: Layer | null
  readonly kind: PromptKind | null
  /** The variable, or the field of the task; null for literal text. */
  readonly variable: string | null
  readonly source: WordSource | null
  readonly trust: Trust
  readonly secret: string | null
  /** For a variable, the place of its tag. Null when unknown. */
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
}

/** The known facts about a segment. */
export interface SegmentFacts {
  readonly variable: string | null
  readonly kind: PromptKind | null
  readonly source: WordSource | null
  /** Where in a file each of its characters is written. */
  readonly placeAt: PlaceAt | null
}

/** Contiguous spans that cover the whole text. A segment whose lines come from several places becomes a span for each. */
export function spansOf(
  segments: readonly BlockSegment[],
  factsOf: (segment: BlockSegment, index: number) => SegmentFacts,
): readonly BlameSpan[] {
  const spans: BlameSpan[] = []
  let start = 0
  for (const [index, segment] of segments.entries()) {
    const { text: _, from: __, at: ___, ...attributes } = segment
    const { placeAt, ...facts } = factsOf(segment, index)
    for (const { text, place } of piecesOf(segment, placeAt)) {
      const end = start + bytesIn(text)
      spans.push({ start, end, text, ...attributes, ...facts, ...(place ?? NOWHERE) })
      start = end
    }
  }
  return spans
}

const NOWHERE = { file: null, line: null, column: null }
const encoder = new TextEncoder()
export const bytesIn = (text: string): number => encoder.encode(text).length

interface Piece {
  readonly text: string
  readonly place: FilePlace | null
}

/** A value is one piece, even over several lines: its place is that of its tag. */
function piecesOf({ text, from }: BlockSegment, placeAt: PlaceAt | null): readonly Piece[] {
  if (text === '') return []
  if (placeAt === null || from !== null) return [{ text, place: placeAt?.(0) ?? null }]
  const pieces: Piece[] = []
  let at = 0
  for (const line of text.split(/(?<=\n)/)) {
    const place = placeAt(at)
    const before = pieces.at(-1)
    if (before !== undefined && isSame(before.place, place)) pieces[pieces.length - 1] = { text: before.text + line, place }
    else pieces.push({ text: line, place })
    at += line.length
  }
  return pieces
}

const isSame = (one: FilePlace | null, other: FilePlace | null): boolean =>
  one?.file === other?.file && one?.line === other?.line && one?.column === other?.column
