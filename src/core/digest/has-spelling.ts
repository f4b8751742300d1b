// Checks whether a parsed value has a canonical spelling, before its digest is used.
import type { Json } from './digest.ts'

/** False where a text is half a surrogate pair or a number is beyond all: JSON can say both, canonical JSON neither. Not for what may be too deep. */
export function hasSpelling(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && hasSpelling(inner))
}
