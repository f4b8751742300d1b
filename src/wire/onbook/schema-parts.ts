// Folder: One schema for each document of our own HTTP interface; host and client import it.
// Schema parts that several routes share. Knows no route.
import { Type } from 'typebox'
import { DIGEST } from '../../core/digest/digest.ts'

/** A request with a field that the schema does not name is refused, and an answer never has one. */
export const CLOSED = { additionalProperties: false }

/** The greatest number of keys in a map whose keys the caller chooses. */
export const MOST_KEYS = 1_000
/** The greatest length of a text that only the body size limits. */
export const MOST_TEXT = 1024 * 1024
/** The description of a value that only the size and depth of the body limit. A test refuses every other schema without limits. */
export const ANY_JSON = 'Any JSON, within the size and depth of a body.'
export const anyJson = Type.Unknown({ description: ANY_JSON })
export const jsonMap = Type.Record(Type.String(), anyJson, { maxProperties: MOST_KEYS })

export const digest = Type.String({ pattern: DIGEST })
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A page size in a query, from 1 to 1000. */
export const limit = Type.String({ pattern: '^(?:[1-9][0-9]{0,2}|1000)$' })
