// The stored form of a prompt's segments: the source and the length of each. The text itself is in the prompt.
import type { BlockSegment } from '../../compose/parts.ts'

/** The default of every field. Most segments differ in few fields, so only these are stored. */
const USUAL: Omit<BlockSegment, 'text'> = {
  block: null,
  part: null,
  template: null,
  layer: null,
  from: null,
  at: null,
  trust: 'trusted',
  secret: null,
}
const KEYS = Object.keys(USUAL) as (keyof typeof USUAL)[]

type StoredSegment = Partial<Omit<BlockSegment, 'text'>> & { readonly length: number }

/** @param segments all of a prompt, in order */
export function segmentsText(segments: readonly BlockSegment[]): string {
  return JSON.stringify(
    segments.map(segment => {
      const stored: Record<string, unknown> = { length: segment.text.length }
      for (const key of KEYS) if (segment[key] !== USUAL[key]) stored[key] = segment[key]
      return stored
    }),
  )
}

/** @param full the text of the prompt */
export function readSegments(stored: string, full: string): readonly BlockSegment[] {
  let end = 0
  return (JSON.parse(stored) as readonly StoredSegment[]).map(({ length, ...fields }) => {
    const start = end
    end += length
    return { text: full.slice(start, end), ...USUAL, ...fields }
  })
}
