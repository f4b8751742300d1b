// Measures the depth of JSON, before recursive code processes values from outside.
import type { Json } from './digest.ts'

/** Stops looking at `limit`, so it is safe on any value. */
export function isDeeperThan(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return limit === 0 || Object.values(value).some(inner => isDeeperThan(inner, limit - 1))
}
