// Escapes free text in an event that looks like a digest, since a digest would reference an object. Only an attacker writes such text.
import { isDigest, type Json } from '../digest/digest.ts'

/** Keys whose values people, models and providers write. */
const WORDS: readonly string[] = ['detail', 'reason', 'note']

/** The same event, with quotation marks around values that are exactly a digest. */
export const worded = <E extends object>(event: E): E => quoted(event as unknown as Json) as unknown as E

function quoted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(quoted)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  let changed: Record<string, Json> | null = null
  for (const [key, item] of Object.entries(value)) {
    const next = typeof item !== 'string' ? quoted(item) : WORDS.includes(key) && isDigest(item) ? `"${item}"` : item
    if (next !== item) changed = { ...(changed ?? (value as Record<string, Json>)), [key]: next }
  }
  return changed ?? value
}
