// Formats JSON for people, one field a line.
import { canonicalJson, type Json } from './digest.ts'

/** The text of a file: keys as they come, and a line break at the end. */
export const jsonFile = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Keys in one order, so that equal values are equal texts. Throws where canonicalJson does. */
export const sortedJson = (value: Json): string => JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)
