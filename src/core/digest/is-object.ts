// The first check of every value from outside: does it have fields?
import type { Json } from './digest.ts'

export type JsonObject = { readonly [key: string]: Json }

/** A list has none. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
