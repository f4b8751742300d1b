// Parses a request body as JSON, strictly: valid UTF-8, no lone surrogates, no duplicate keys, no infinite numbers, limited depth, no prototype keys.
import { isDeeperThan } from '../../core/digest/depth.ts'
import type { Json } from '../../core/digest/digest.ts'
import { hasDuplicateKeys } from '../../core/digest/duplicate-keys.ts'
import { Fault } from '../../errors.ts'

const MOST_DEPTH = 64

/** An empty body is null: some clients declare JSON with every request. */
export function readJsonBody(bytes: Buffer): Json {
  if (bytes.length === 0) return null
  const text = decode(bytes)
  const value = parse(text)
  if (isDeeperThan(value, MOST_DEPTH))
    throw new Fault('validation_error', { problem: `the body is nested deeper than ${MOST_DEPTH} levels` })
  const problem = wrongIn(value) ?? (hasDuplicateKeys(text, value) ? 'a key occurs twice in one object of the body' : null)
  if (problem !== null) throw new Fault('validation_error', { problem })
  return value
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Fault('validation_error', { problem: 'the body is not valid UTF-8' })
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new Fault('validation_error', { problem: `the body is not JSON: ${(error as Error).message}` })
  }
}

function wrongIn(value: Json): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'a text in the body holds half a surrogate pair'
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number in the body is too large'
  if (typeof value !== 'object' || value === null) return null
  if (!Array.isArray(value)) {
    const keys = Object.keys(value)
    if (keys.includes('__proto__')) return 'a key in the body is "__proto__"'
    if (keys.some(key => !key.isWellFormed())) return 'a key in the body holds half a surrogate pair'
  }
  for (const inner of Object.values(value)) {
    const problem = wrongIn(inner)
    if (problem !== null) return problem
  }
  return null
}
