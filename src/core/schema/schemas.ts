// Folder: JSON Schemas by $id: references, questions, verdicts. It reads only the given set.
// The workspace's JSON Schemas by $id. Follows every reference inside this set and never looks elsewhere.
import { isDeeperThan } from '../digest/depth.ts'
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { parsePointer } from './pointer.ts'
import { schemaFault } from './schema-fault.ts'

export interface SchemaFile {
  readonly path: string
  readonly schema: Json
  readonly digest: Digest
}

const MAX_DEPTH = 200

export type Schemas = ReadonlyMap<string, SchemaFile>

export interface SchemaProblem {
  readonly path: string
  readonly message: string
  readonly severity: 'error' | 'info'
}

export interface UnresolvedRef {
  /** The reference as it is written. */
  readonly ref: string
  /** The schema file that contains it. */
  readonly path: string
}

export interface Closure {
  /** Every schema that the requested one reaches, itself included. */
  readonly uris: readonly string[]
  readonly unresolved: readonly UnresolvedRef[]
  /** The faults of the schemas themselves. */
  readonly faults: readonly SchemaFileFault[]
}

export interface SchemaFileFault {
  readonly path: string
  readonly message: string
}

export function collectSchemas(files: readonly { path: string; schema: Json }[]): { schemas: Schemas; problems: readonly SchemaProblem[] } {
  const schemas = new Map<string, SchemaFile>()
  const problems: SchemaProblem[] = []
  for (const { path, schema } of files) {
    if (isDeeperThan(schema, MAX_DEPTH)) {
      problems.push({ path, severity: 'error', message: `The schema is nested more than ${MAX_DEPTH} deep` })
      continue
    }
    const id = isObject(schema) ? schema.$id : undefined
    if (typeof id !== 'string' || !URL.canParse(id)) {
      problems.push({ path, severity: 'info', message: 'This schema has no $id that is a URI, so no pack can name it' })
      continue
    }
    const uri = withoutFragment(id)
    const other = schemas.get(uri)
    if (other !== undefined) problems.push({ path, severity: 'error', message: `${uri} is also the $id of ${other.path}` })
    else schemas.set(uri, { path, schema, digest: digestJson(schema) })
  }
  return { schemas, problems }
}

const closures = new WeakMap<Schemas, Map<string, Closure>>()

/** Null when there is no such schema. */
export function closureOf(uri: string, schemas: Schemas): Closure | null {
  if (!schemas.has(uri)) return null
  const cache = closures.get(schemas) ?? new Map<string, Closure>()
  closures.set(schemas, cache)
  const closure = cache.get(uri) ?? walk(uri, schemas)
  cache.set(uri, closure)
  return closure
}

/** Whether there is such a schema, and nothing is wrong with it or with anything it reaches. */
export function isUsable(uri: string, schemas: Schemas): boolean {
  const closure = closureOf(uri, schemas)
  return closure !== null && closure.unresolved.length === 0 && closure.faults.length === 0
}

/** The digests of a closure, by URI. A registered version records them. */
export const digestsOf = (uri: string, schemas: Schemas): Readonly<Record<string, Digest>> =>
  Object.fromEntries((closureOf(uri, schemas)?.uris ?? []).map(reached => [reached, schemas.get(reached)!.digest]))

function walk(uri: string, schemas: Schemas): Closure {
  const reached = new Set([uri])
  const unresolved: UnresolvedRef[] = []
  const faults: SchemaFileFault[] = []
  const keys = keysOf(schemas)
  for (const current of reached) {
    const file = schemas.get(current)!
    const { resources, references, fault } = surveyOf(file, current)
    if (fault !== null) faults.push({ path: file.path, message: `${file.path} is not a valid JSON Schema: ${fault}` })
    for (const { ref, target, document } of references) {
      const key = resources.has(document) ? undefined : keys.get(document)
      const home = resources.get(document) ?? (key === undefined ? undefined : surveyOf(schemas.get(key)!, key).resources.get(document))
      if (home === undefined || !hasFragment(home, decodeFragment(target))) unresolved.push({ ref, path: file.path })
      else if (key !== undefined) reached.add(key)
    }
  }
  return { uris: [...reached], unresolved, faults }
}

/** The first `$ref` of a schema on its own that leads nowhere inside it; null when all lead somewhere. Nothing is fetched. */
export function danglingRef(schema: JsonObject): string | null {
  const uri = 'schema://alone/'
  const alone: Schemas = new Map([[uri, { path: '', schema, digest: digestJson(schema) }]])
  return closureOf(uri, alone)?.unresolved[0]?.ref ?? null
}

/** A schema with a URI of its own, and the anchors that count from it. */
interface Resource {
  readonly schema: Json
  readonly anchors: Set<string>
}

interface Reference {
  readonly ref: string
  /** The whole URI it means. */
  readonly target: string
  readonly document: string
}

/** The content of one file, independent of the schemas that reach it. */
interface Survey {
  readonly fault: string | null
  readonly resources: ReadonlyMap<string, Resource>
  readonly references: readonly Reference[]
}

const surveys = new WeakMap<SchemaFile, Survey>()

function surveyOf(file: SchemaFile, uri: string): Survey {
  const survey = surveys.get(file) ?? makeSurvey(file.schema, normal(uri))
  surveys.set(file, survey)
  return survey
}

/** One walk through the file, so that a reference costs a look and not another walk. */
function makeSurvey(schema: Json, uri: string): Survey {
  const resources = new Map<string, Resource>([[uri, { schema, anchors: new Set() }]])
  const references: Reference[] = []
  for (const { schema: part, base } of subschemas(schema, uri)) {
    const resource = resources.get(base) ?? { schema: part, anchors: new Set<string>() }
    resources.set(base, resource)
    for (const anchor of [part.$anchor, part.$dynamicAnchor]) if (typeof anchor === 'string') resource.anchors.add(anchor)
    for (const ref of [part.$ref, part.$dynamicRef]) {
      if (typeof ref !== 'string') continue
      const target = URL.canParse(ref, base) ? new URL(ref, base).href : ref
      references.push({ ref, target, document: withoutFragment(target) })
    }
  }
  return { fault: schemaFault(schema), resources, references }
}

/** As URLs are compared: `HTTPS://Example.com` is `https://example.com/`. */
const normal = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri)

const keysBySchemas = new WeakMap<Schemas, ReadonlyMap<string, string>>()

/** From the normal spelling of each URI to the written one. */
function keysOf(schemas: Schemas): ReadonlyMap<string, string> {
  const keys = keysBySchemas.get(schemas) ?? new Map([...schemas.keys()].map(uri => [normal(uri), uri]))
  keysBySchemas.set(schemas, keys)
  return keys
}

/** Values under these are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])
/** Keys under these are names that the author chose, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])

interface Subschema {
  readonly schema: Readonly<Record<string, Json>>
  /** The URI it counts from. */
  readonly base: string
}

function* subschemas(schema: Json, base: string): Iterable<Subschema> {
  if (Array.isArray(schema)) for (const item of schema) yield* subschemas(item, base)
  if (!isObject(schema)) return
  const own = typeof schema.$id === 'string' && URL.canParse(schema.$id, base) ? withoutFragment(new URL(schema.$id, base).href) : base
  yield { schema, base: own }
  for (const [key, value] of Object.entries(schema)) {
    if (NAMED.has(key) && isObject(value)) for (const named of Object.values(value)) yield* subschemas(named, own)
    else if (!DATA.has(key)) yield* subschemas(value, own)
  }
}

function hasFragment({ schema, anchors }: Resource, fragment: string): boolean {
  if (fragment === '') return true
  if (!fragment.startsWith('/')) return anchors.has(fragment)
  let at: Json | undefined = schema
  for (const part of parsePointer(fragment)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return false
    at = (at as Readonly<Record<string | number, Json>>)[part]
  }
  return at !== undefined
}

const withoutFragment = (uri: string): string => uri.replace(/#.*$/s, '')

function decodeFragment(uri: string): string {
  const at = uri.indexOf('#')
  if (at === -1) return ''
  try {
    return decodeURIComponent(uri.slice(at + 1))
  } catch {
    return uri.slice(at + 1)
  }
}
