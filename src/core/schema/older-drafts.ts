// Converts schemas of an older draft to ours when they mean the same in both, and otherwise says why not. Tools of other
// servers use them.
import type { JsonObject } from '../digest/is-object.ts'
import { type Pointer, pointerText } from './pointer.ts'
import { subschemasOf } from './schema-fault.ts'

/** Keywords beside a `$ref` that assert nothing. */
const SILENT = new Set(['$ref', '$id', '$schema', '$comment', 'title', 'description', 'default', 'examples', 'definitions', '$defs'])

interface Draft {
  readonly name: string
  /** Keywords that mean something else there than they do here, or nothing at all. */
  readonly differing: readonly string[]
  /** Beside a `$ref` nothing else counted. */
  readonly refAlone: boolean
}

const DRAFT_2019: Draft = {
  name: '2019-09',
  differing: ['additionalItems', 'dependencies', '$recursiveRef', '$recursiveAnchor', 'prefixItems', '$dynamicRef', 'unevaluatedItems'],
  refAlone: false,
}
const DRAFT_07: Draft = {
  name: 'draft-07',
  differing: [
    ...DRAFT_2019.differing,
    ...['$anchor', 'unevaluatedProperties', 'dependentRequired', 'dependentSchemas', 'minContains', 'maxContains'],
  ],
  refAlone: true,
}

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft/2019-09/schema', DRAFT_2019],
  ['json-schema.org/draft-07/schema', DRAFT_07],
])

export type InOurDraft = { readonly ok: true; readonly schema: JsonObject } | { readonly ok: false; readonly message: string }

/** Every schema is validated as draft 2020-12. A schema that names neither it nor a draft known here stays unchanged. */
export function inOurDraft(schema: JsonObject): InOurDraft {
  const { $schema, ...rest } = schema
  const draft = typeof $schema === 'string' ? DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
  if (draft === undefined) return { ok: true, schema }
  const place = differenceIn(rest, draft, [])
  if (place === null) return { ok: true, schema: rest }
  const message = `it names ${draft.name}, where ${pointerText(place)} means something else than in 2020-12: write it for 2020-12`
  return { ok: false, message }
}

function differenceIn(schema: JsonObject, draft: Draft, at: Pointer): Pointer | null {
  const { $ref, items } = schema
  const keyword = Object.keys(schema).find(
    key => draft.differing.includes(key) || (draft.refAlone && $ref !== undefined && !SILENT.has(key)),
  )
  if (keyword !== undefined) return [...at, keyword]
  if (Array.isArray(items)) return [...at, 'items']
  for (const [pointer, inner] of subschemasOf(schema)) {
    const difference = differenceIn(inner, draft, [...at, ...pointer])
    if (difference !== null) return difference
  }
  return null
}
