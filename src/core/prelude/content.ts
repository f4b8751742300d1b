// Bytes of a workspace file as text or JSON. Content is untrusted: what is wrong with it is said with its place, and nothing here throws.
import { isDeeperThan } from '../digest/depth.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { readJson } from '../schema/json-text.ts'
import type { Mismatch } from '../schema/verdict.ts'

/** A place in a file of the workspace. */
export interface ContentProblem extends Mismatch {
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

export type JsonContent = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problems: readonly Mismatch[] }

export function readJsonContent(bytes: Uint8Array): JsonContent {
  const text = readText(bytes)
  if (text === null) return wrong('it is not UTF-8')
  const read = readJson(text)
  if (!read.ok) return wrong(`it is not JSON: ${read.message}, line ${text.slice(0, read.offset).split('\n').length}`)
  if (isDeeperThan(read.value, MOST_DEPTH)) return wrong(`it is nested deeper than ${MOST_DEPTH} levels`)
  return isNameable(read.value) ? { ok: true, value: read.value } : wrong('it holds half a surrogate pair')
}

/** JSON can spell half a surrogate pair as an escape; no text can hold it, so nothing made of it could be sent or named. */
function isNameable(value: Json): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

const wrong = (message: string): JsonContent => ({ ok: false, problems: [{ pointer: [], message }] })
