// Folder: Catalogs and descriptors of tools, and tool calls that a model writes as lines. It grants nothing.
// Reads a catalog: the tools that a model sees. Accepts every shape in use and reports problems by place. A listed tool is
// not an allowed one.
import { canonicalJson, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { type ContentProblem, readJsonContent } from '../pack/file-content.ts'
import type { Compiled } from '../prelude/compile.ts'
import { inOurDraft } from '../schema/older-drafts.ts'
import type { Pointer } from '../schema/pointer.ts'
import { danglingRef } from '../schema/schemas.ts'
import { toolNameProblem, wireName } from './wire-names.ts'

/** A tool as the model sees it. */
export interface Descriptor {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface Catalog {
  readonly descriptors: readonly Descriptor[]
  readonly toolChoice: Json | null
}

/** The problem with a JSON Schema, or null. Untrusted schemas run where the caller can stop them. */
export type CheckSchema = (schema: JsonObject) => string | null

/** A catalog as written: tools whole, or by the names of their descriptors. */
export interface CatalogFile {
  readonly entries: readonly PlacedTool[]
  readonly toolChoice: Json | null
}

/** A tool with its position, so that a problem can be located. */
export interface PlacedTool {
  readonly path: string
  readonly pointer: Pointer
  readonly tool: Json
  /** The name in the catalog, for a tool that has a descriptor file. */
  readonly listed?: string
}

export type ReadCatalogFile =
  | { readonly ok: true; readonly file: CatalogFile }
  | { readonly ok: false; readonly problems: readonly ContentProblem[] }

export function readCatalogFile(path: string, bytes: Uint8Array): ReadCatalogFile {
  const wrong = (message: string): ReadCatalogFile => ({ ok: false, problems: [{ path, pointer: [], message }] })
  const content = readJsonContent(bytes)
  if (!content.ok) return { ok: false, problems: content.problems.map(one => ({ path, ...one })) }
  const { value } = content
  const listed = (tools: readonly Json[], at: Pointer) => tools.map((tool, index) => ({ path, pointer: [...at, index], tool }))
  if (Array.isArray(value)) return { ok: true, file: { entries: listed(value, []), toolChoice: null } }
  if (!isObject(value)) return wrong('a catalog must be a list of tools, or an object with tools')
  const { tools, tool_choice: toolChoice = null } = value
  if (Array.isArray(tools)) return { ok: true, file: { entries: listed(tools, ['tools']), toolChoice } }
  if (isTool(value)) return { ok: true, file: { entries: [{ path, pointer: [], tool: value }], toolChoice } }
  if (Object.hasOwn(value, 'tool_choice')) return { ok: true, file: { entries: [], toolChoice } }
  return wrong('a catalog needs tools or tool_choice')
}

export const isTool = (value: Json): boolean =>
  isObject(value) && (typeof value.name === 'string' || (isObject(value.function) && typeof value.function.name === 'string'))

/** Tools of a file directly in tools/; null for a file of another kind, such as a package.json, which has a name too. */
export function readLegacyFile(path: string, bytes: Uint8Array): CatalogFile | null {
  const read = readCatalogFile(path, bytes)
  const entries = read.ok ? read.file.entries : []
  return read.ok && entries.length > 0 && entries.every(({ tool }) => isDescriptor(tool)) ? read.file : null
}

const SCHEMA_KEYS = ['parameters', 'input_schema', 'function']
const TOOL_KEYS = [...SCHEMA_KEYS, 'name', 'description', 'type', 'title', 'strict', 'annotations']

/** An object without a schema is a descriptor only if it has no unknown keys. */
const isDescriptor = (tool: Json): boolean =>
  isTool(tool) &&
  isObject(tool) &&
  (SCHEMA_KEYS.some(key => Object.hasOwn(tool, key)) || Object.keys(tool).every(key => TOOL_KEYS.includes(key)))

/** The descriptors it only names, in order, once each. */
export const namedDescriptors = ({ entries }: CatalogFile): readonly string[] => [
  ...new Set(entries.flatMap(({ tool }) => (typeof tool === 'string' ? [tool] : []))),
]

export const descriptorPath = (name: string): string => `tools/descriptors/${name}.json`

export interface CompiledCatalog {
  readonly catalog: Catalog
  /** JSON with every descriptor in its place. */
  readonly text: string
}

/**
 * @param descriptors the bytes of those it names
 * @param strict also refuse tools that no provider takes. A catalog that is on record is read without: it was adopted as it is
 */
export function compileCatalog(
  file: CatalogFile,
  descriptors: ReadonlyMap<string, Uint8Array>,
  check: CheckSchema,
  strict = true,
): Compiled<CompiledCatalog> {
  const problems: ContentProblem[] = []
  const tools = file.entries.flatMap((placed): PlacedTool[] => {
    const { tool } = placed
    if (typeof tool !== 'string') return [placed]
    const read = readDescriptor(tool, descriptors.get(tool))
    if (read.ok) return [{ path: descriptorPath(tool), pointer: [], tool: read.value, listed: tool }]
    problems.push(...read.problems)
    return []
  })
  const list = tools.flatMap(placed => readTool(placed, check, problems))
  problems.push(...misnamed(list), ...repeated(list))
  if (strict) problems.push(...list.flatMap(unsent), ...indistinct(list))
  if (problems.length > 0) return { ok: false, problems }
  const choice = file.toolChoice === null ? {} : { tool_choice: file.toolChoice }
  const text = canonicalJson({ ...choice, tools: tools.map(({ tool }) => tool) })
  return { ok: true, value: { catalog: { descriptors: list.map(({ descriptor }) => descriptor), toolChoice: file.toolChoice }, text } }
}

function readDescriptor(name: string, bytes: Uint8Array | undefined): Compiled<Json> {
  const path = descriptorPath(name)
  if (bytes === undefined) return { ok: false, problems: [{ path, pointer: [], message: 'there is no such file' }] }
  const content = readJsonContent(bytes)
  if (!content.ok) return { ok: false, problems: content.problems.map(one => ({ path, ...one })) }
  // One tool in a list is how descriptors were written once.
  const value = Array.isArray(content.value) && content.value.length === 1 ? content.value[0]! : content.value
  return { ok: true, value }
}

interface FoundTool {
  readonly placed: PlacedTool
  readonly descriptor: Descriptor
}

function readTool(placed: PlacedTool, check: CheckSchema, problems: ContentProblem[]): readonly FoundTool[] {
  const { path, pointer, tool } = placed
  const say = (at: Pointer, message: string): readonly [] => {
    problems.push({ path, pointer: [...pointer, ...at], message })
    return []
  }
  if (!isObject(tool) || !isTool(tool)) return say([], 'it must be a tool: an object with a name')
  const [inner, at]: [JsonObject, Pointer] = isObject(tool.function) ? [tool.function, ['function']] : [tool, []]
  const { name, description = '' } = inner
  if (typeof name !== 'string' || name.trim() === '') return say([...at, 'name'], 'a tool needs a name')
  if (typeof description !== 'string') return say([...at, 'description'], 'it must be text')
  const key = ['parameters', 'input_schema'].find(one => Object.hasOwn(inner, one))
  const schema = key === undefined ? {} : inner[key]!
  if (!isObject(schema)) return say([...at, key!], 'it must be a JSON Schema object')
  const ours = inOurDraft(schema)
  const fault = ours.ok ? check(ours.schema) : ours.message
  if (fault !== null) return say([...at, key!], `it is no valid JSON Schema: ${fault}`)
  return [{ placed, descriptor: { name, description, inputSchema: schema } }]
}

/** A catalog that lists `d` shows the tool `d`: its descriptor file may not put another tool in its place. */
function misnamed(list: readonly FoundTool[]): readonly ContentProblem[] {
  return list.flatMap(({ placed: { path, pointer, tool, listed }, descriptor: { name } }) => {
    if (listed === undefined || listed === name) return []
    const at = isObject(tool) && isObject(tool.function) ? ['function', 'name'] : ['name']
    const message = `the file is named for the tool "${listed}" but describes "${name}"; rename the file or the tool`
    return [{ path, pointer: [...pointer, ...at], message }]
  })
}

function repeated(list: readonly FoundTool[]): readonly ContentProblem[] {
  const seen = new Set<string>()
  return list.flatMap(({ placed: { path, pointer }, descriptor: { name } }) => {
    if (seen.has(name)) return [{ path, pointer, message: `there are two tools named "${name}"` }]
    seen.add(name)
    return []
  })
}

/** The problems that keep a provider, or the gate, from using the tool. */
function unsent({ placed: { path, pointer, tool }, descriptor: { name, inputSchema } }: FoundTool): readonly ContentProblem[] {
  const at = isObject(tool) && isObject(tool.function) ? [...pointer, 'function'] : pointer
  const misnamed = toolNameProblem(name)
  const ref = danglingRef(inputSchema)
  return [
    ...(misnamed === null ? [] : [{ path, pointer: [...at, 'name'], message: `the name ${misnamed}` }]),
    ...(ref === null ? [] : [{ path, pointer: at, message: `its parameters refer to "${ref}", which is not in them; nothing is fetched` }]),
  ]
}

/** Two names that differ only in characters which providers refuse. */
function indistinct(list: readonly FoundTool[]): readonly ContentProblem[] {
  const seen = new Map<string, string>()
  return list.flatMap(({ placed: { path, pointer }, descriptor: { name } }) => {
    const sent = wireName(name)
    const other = seen.get(sent)
    seen.set(sent, name)
    if (other === undefined || other === name) return []
    return [{ path, pointer, message: `"${other}" and "${name}" would both be sent to a provider as "${sent}"; rename one` }]
  })
}

/** A stored catalog, as the gate and the inspector look at it. */
export function readCatalog(path: string, bytes: Uint8Array, check: CheckSchema): Compiled<Catalog> {
  const read = readCatalogFile(path, bytes)
  if (!read.ok) return read
  const compiled = compileCatalog(read.file, new Map(), check, false)
  return compiled.ok ? { ok: true, value: compiled.value.catalog } : compiled
}
