// Checks whether a parsed value has a canonical spelling, before its digest is used.
import type { Json } from './digest.ts'

/**
 * False for half a surrogate pair or an overflowing number: JSON can express both, canonical JSON neither. Only for values
 * of bounded depth.
 */
export function hasSpelling(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && hasSpelling(inner))
}
