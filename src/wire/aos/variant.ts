// Writes and reads variants in AgentOS's format: `{"$tag": name}`, with `$value` only where the variant has one.
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'

export interface Variant {
  readonly $tag: string
  readonly $value?: Json
}

export const unit = (tag: string): Variant => ({ $tag: tag })
export const variant = (tag: string, value: JsonObject): Variant => ({ $tag: tag, $value: value })

export function readVariant(value: Json | undefined): { readonly tag: string; readonly value: JsonObject } | null {
  if (!isObject(value) || typeof value.$tag !== 'string') return null
  const { $value = {} } = value
  return isObject($value) ? { tag: value.$tag, value: $value } : null
}

/** Translates our names to variants without a value, and back. */
export function unitPair<T extends string>(names: Readonly<Record<T, string>>) {
  const back = new Map(Object.entries<string>(names).map(([ours, theirs]) => [theirs, ours as T]))
  return {
    to: (ours: T): Variant => unit(names[ours]),
    from: (value: Json | undefined): T | null => back.get(readVariant(value)?.tag ?? '') ?? null,
  }
}
