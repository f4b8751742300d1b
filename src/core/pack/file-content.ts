// Reads the bytes of a workspace file as text or JSON. Content is untrusted: each problem has its place, and nothing here throws.
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { hasSpelling } from '../digest/has-spelling.ts'
import { readJson } from '../schema/json-text.ts'
import type { Mismatch } from '../schema/verdict.ts'
import { type Position, positionOf } from './place.ts'

/** A problem at a place in a JSON file. For a file that is not JSON, the position locates it. */
export interface FileProblem extends Mismatch {
  readonly position?: Position
}

/** In a file of the workspace. */
export interface ContentProblem extends FileProblem {
  readonly path: string
}

const MOST_DEPTH = 100
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Null when they are no UTF-8. */
export function readText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export type JsonContent = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problems: readonly FileProblem[] }

export function readJsonContent(bytes: Uint8Array): JsonContent {
  const text = readText(bytes)
  if (text === null) return wrong('it is not UTF-8')
  const read = readJson(text)
  if (!read.ok) return wrong(`it is not JSON: ${read.message}`, positionOf(text, read.offset))
  if (isDeeperThan(read.value, MOST_DEPTH)) return wrong(`it is nested deeper than ${MOST_DEPTH} levels`)
  return hasSpelling(read.value) ? { ok: true, value: read.value } : wrong('it holds half a surrogate pair, or a number that is too large')
}

const wrong = (message: string, position?: Position): JsonContent => ({
  ok: false,
  problems: [{ pointer: [], message, ...(position === undefined ? {} : { position }) }],
})
