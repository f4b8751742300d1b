// Derives the TypeScript type of a document from its schema, so that host and client share one definition.
import type { Static, TSchema } from 'typebox'

type Deep<T> = T extends readonly (infer Item)[]
  ? readonly Deep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Deep<T[Key]> }
    : T

export type Document<Schema extends TSchema> = Deep<Static<Schema>>
