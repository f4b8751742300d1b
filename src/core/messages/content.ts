// Reads the bytes of an object as JSON, or as text. Content without a canonical spelling is refused here, before it is used.
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { hasSpelling } from '../digest/has-spelling.ts'
import { readText } from '../pack/file-content.ts'
import type { Pointer } from '../schema/pointer.ts'

export interface ContentProblem {
  readonly code: string
  /** Where in the JSON. */
  readonly pointer: Pointer
  readonly message: string
}

/** Only the first report counts: later ones may follow from it. */
export type Report = (code: string, pointer: Pointer, message: string) => void

export type Content =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }

const MOST_DEPTH = 64

export function readContent(bytes: Uint8Array, report: Report): Content {
  const text = readText(bytes)
  if (text === null) {
    report('content_not_text', [], 'the object is neither JSON nor UTF-8 text')
    return { kind: 'none' }
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'text', text }
  }
  if (isSound(value)) return { kind: 'json', value }
  report(
    'content_invalid',
    [],
    `it is nested deeper than ${MOST_DEPTH} levels, or holds half a surrogate pair or a number that is too large`,
  )
  return { kind: 'none' }
}

/** False for values that JSON can express and canonical JSON cannot, and for too deep nesting. */
export const isSound = (value: Json): boolean => !isDeeperThan(value, MOST_DEPTH) && hasSpelling(value)

/** Runs a reader, and returns its first report. */
export function firstProblem<T>(read: (report: Report) => T): { readonly value: T; readonly problem: ContentProblem | null } {
  let problem: ContentProblem | null = null
  const value = read((code, pointer, message) => {
    problem ??= { code, pointer, message }
  })
  return { value, problem }
}
