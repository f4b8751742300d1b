// The files beside the packs of a workspace, for the rules: the paths, and the texts of the files that rules read.
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { POLICY_FILE } from '../gate/read-policy.ts'
import type { ContentProblem } from '../pack/file-content.ts'
import { folderOf } from '../pack/identity.ts'
import type { Position } from '../pack/place.ts'
import { filesOf } from '../prelude/compile.ts'
import { readPrelude } from '../prelude/prelude.ts'
import { ROLE_FOLDER } from '../role/role-name.ts'
import type { Pointer } from '../schema/pointer.ts'
import { readLegacyFile } from '../tools/catalog.ts'
import { readDocument } from '../workflow/read-document.ts'
import { contextPaths, INDEX_FILE, readIndex, type WorkspaceIndex } from '../workspace/index-file.ts'
import { isPath, isWithin } from '../workspace/path.ts'
import type { Severity } from './rule.ts'

/** A finding in a file, at a place of its JSON or at a position. */
export interface FoundInFile {
  readonly file: string
  readonly message: string
  readonly pointer?: Pointer
  readonly position?: Position
  readonly severity?: Severity
  readonly suggestion?: string
}

export interface Layout {
  /** Every file below the folders of the layout, the index, and other files that preludes name. */
  readonly paths: ReadonlySet<string>
  /** The texts of the files that were read and are text. */
  readonly texts: ReadonlyMap<string, string>
  /** Files that publishing leaves out because an ignore file names them. Left out of `paths` and `texts` as well. */
  readonly ignored?: ReadonlySet<string>
  /** The files of packs, which others look into. */
  readonly packs: readonly string[]
  /** The problem with a JSON Schema, or null. */
  readonly checkSchema: (schema: JsonObject) => string | null
}

export const LAYOUT_FOLDERS: readonly string[] = [
  'prompts/packs',
  'prompts/templates',
  'tools',
  'context',
  ROLE_FOLDER,
  'agents',
  'workflows',
]

/** The patterns of files that publishing leaves out. Files whose names begin with a dot are content only when named here. */
export const IGNORE_FILE = '.onbookignore'

/** Files in the root that are read for their own sake. */
export const ROOT_FILES: readonly string[] = [INDEX_FILE, POLICY_FILE, IGNORE_FILE]

/** The formats of agents and workflows. */
const DOCUMENTS: readonly string[] = ['.yaml', '.yml', '.json']

const isIn = (folder: string, path: string, ending: string): boolean =>
  path.startsWith(`${folder}/`) && path.endsWith(ending) && !path.slice(folder.length + 1).includes('/')

export const isPrelude = (path: string): boolean => isIn('prompts/packs', path, '.json')
export const isTemplate = (path: string): boolean => isIn('prompts/templates', path, '.md')
export const isRole = (path: string): boolean => isIn(ROLE_FOLDER, path, '.md')
export const isCatalog = (path: string): boolean => isIn('tools/catalogs', path, '.json')
export const isDescriptor = (path: string): boolean => isIn('tools/descriptors', path, '.json')
export const isLegacyTool = (path: string): boolean => isIn('tools', path, '.json')
export const isAgentFile = (path: string): boolean => DOCUMENTS.some(ending => isIn('agents', path, ending))
export const isWorkflowFile = (path: string): boolean => DOCUMENTS.some(ending => isIn('workflows', path, ending))

/** Whether a path, of a file or a folder, is of the layout or leads there. */
export const isInLayout = (path: string): boolean =>
  ROOT_FILES.includes(path) || LAYOUT_FOLDERS.some(folder => isWithin(path, folder) || isWithin(folder, path))

/** Whether it is looked into for its own sake. Context is read only where a prelude names it: there may be much of it. */
export const isLookedInto = (path: string): boolean =>
  ROOT_FILES.includes(path) ||
  [isPrelude, isTemplate, isRole, isCatalog, isDescriptor, isLegacyTool, isAgentFile, isWorkflowFile].some(is => is(path))

/** The index of the workspace; null without one, and for one that is broken. */
export function indexIn(texts: Layout['texts']): WorkspaceIndex | null {
  const text = texts.get(INDEX_FILE)
  const read = text === undefined ? null : readIndex(bytesOf(text))
  return read?.ok ? read.index : null
}

/** Preludes by folder, and those that the index puts elsewhere. */
export function preludesIn(texts: Layout['texts']): (path: string) => boolean {
  const mapped = new Set(indexIn(texts)?.preludes.values())
  return path => isPrelude(path) || mapped.has(path)
}

export function catalogsIn(texts: Layout['texts']): (path: string) => boolean {
  const mapped = new Set(indexIn(texts)?.catalogs.values())
  return path => isCatalog(path) || mapped.has(path)
}

/** The files of an entry of a prelude's context, as sync reads them: groups and folders by the files in them. */
export const filesOfContext = (entry: string, index: WorkspaceIndex | null, paths: Layout['paths']): readonly string[] =>
  contextPaths(index, entry).flatMap(path => {
    const below = paths.has(path) ? [] : [...paths].filter(one => isWithin(one, path)).sort()
    return below.length === 0 ? [path] : below
  })

/** The files that the index, preludes and agents name. They need not lie in the folders of the layout. */
export function namedFiles(texts: Layout['texts'], paths: Layout['paths'] = new Set()): readonly string[] {
  const index = indexIn(texts)
  const isPreludeHere = preludesIn(texts)
  const named = [...texts].flatMap(([path, text]) =>
    isPreludeHere(path) ? filesOfPrelude(text, index, paths) : isAgentFile(path) ? fileOfAgent(path, text) : [],
  )
  const mapped = index === null ? [] : [...index.preludes.values(), ...index.catalogs.values(), ...[...index.contextGroups.values()].flat()]
  return [...new Set([...mapped, ...named])].filter(isPath)
}

function fileOfAgent(path: string, text: string): readonly string[] {
  const read = readDocument(path, text)
  const named = read.ok && isObject(read.value) ? read.value.systemPromptRef : undefined
  return typeof named === 'string' ? [`${folderOf(path)}${named}`] : []
}

function filesOfPrelude(text: string, index: WorkspaceIndex | null, paths: Layout['paths']): readonly string[] {
  const read = readPrelude(bytesOf(text))
  if (!read.ok || read.prelude.kind !== 'composed') return []
  const { prelude } = read.prelude
  return filesOf({ ...prelude, context: prelude.context.flatMap(entry => filesOfContext(entry, index, paths)) })
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Those of a kind, with their texts, in order. */
export const textsOf = ({ texts }: Layout, is: (path: string) => boolean): readonly (readonly [path: string, text: string])[] =>
  [...texts].filter(([path]) => is(path)).sort(([a], [b]) => (a < b ? -1 : 1))

/** Files directly in tools/ that contain tools. Other files, such as a package.json, are ignored. */
export const legacyTools = (layout: Layout): readonly (readonly [path: string, text: string])[] =>
  textsOf(layout, isLegacyTool).filter(([path, text]) => readLegacyFile(path, bytesOf(text)) !== null)

/** Problems of content are half sentences. */
export const foundIn = ({ path: file, message, ...rest }: ContentProblem): FoundInFile => ({
  file,
  message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`,
  ...rest,
})

/** Several files may lead to the same problem of another. Lazy: the caller stops at a hundred findings. */
export function* once(findings: Iterable<FoundInFile>): Iterable<FoundInFile> {
  const seen = new Set<string>()
  for (const one of findings) {
    const key = JSON.stringify(one)
    if (!seen.has(key)) yield one
    seen.add(key)
  }
}
