// Folder: One schema for each document of our own HTTP interface; host and client import it.
// What the schemas of several routes are made of. Knows no route.
import { Type } from 'typebox'
import { DIGEST } from '../../core/digest/digest.ts'

/** What a schema does not name is refused, and never answered. */
export const CLOSED = { additionalProperties: false }

/** Keys of a map whose keys the caller chooses. */
export const MOST_KEYS = 1_000
/** Characters of a text that is limited by the size of its body alone. */
export const MOST_TEXT = 1024 * 1024
/** The description of a value that is limited by the size and depth of its body alone. A test refuses every other schema without limits. */
export const ANY_JSON = 'Any JSON, within the size and depth of a body.'
export const anyJson = Type.Unknown({ description: ANY_JSON })
export const jsonMap = Type.Record(Type.String(), anyJson, { maxProperties: MOST_KEYS })

export const digest = Type.String({ pattern: DIGEST })
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** How many at the most, in a query: up to a thousand. */
export const limit = Type.String({ pattern: '^(?:[1-9][0-9]{0,2}|1000)$' })
