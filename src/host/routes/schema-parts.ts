// What the schemas of several routes are made of. Knows no route.
import { Type } from 'typebox'
import { DIGEST } from '../../core/digest/digest.ts'

/** What a schema does not name is refused, and never answered. */
export const CLOSED = { additionalProperties: false }

export const digest = Type.String({ pattern: DIGEST })
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** How many at the most, in a query: up to a thousand. */
export const limit = Type.String({ pattern: '^(?:[1-9][0-9]{0,2}|1000)$' })
