// Free text in an event: what looks like a digest there would name an object. Nobody chooses such words but somebody who wants to do harm.
import { isDigest, type Json } from '../digest/digest.ts'

/** Keys under which people, models and providers speak. */
const WORDS: readonly string[] = ['detail', 'reason', 'note']

/** The same event, with quotation marks around words that are exactly a digest. */
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
