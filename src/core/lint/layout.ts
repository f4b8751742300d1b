// What lies beside the packs of a workspace, as the rules see it: which files there are, and the texts of those that are looked into.
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { POLICY_FILE } from '../gate/read-policy.ts'
import { folderOf } from '../pack/identity.ts'
import type { Position } from '../pack/place.ts'
import { filesOf } from '../prelude/compile.ts'
import type { ContentProblem } from '../prelude/content.ts'
import { readPrelude } from '../prelude/prelude.ts'
import { ROLE_FOLDER } from '../role/role-name.ts'
import type { Pointer } from '../schema/pointer.ts'
import { isTool, readCatalogFile } from '../tools/catalog.ts'
import { readDocument } from '../workflow/read-document.ts'
import { INDEX_FILE } from '../workspace/index-file.ts'
import { isPath, isWithin } from '../workspace/path.ts'
import type { Severity } from './rule.ts'

/** What a rule found, by file, and in it by a place of its JSON or by a position. */
export interface FoundInFile {
  readonly file: string
  readonly message: string
  readonly pointer?: Pointer
  readonly position?: Position
  readonly severity?: Severity
  readonly suggestion?: string
}

export interface Layout {
  /** Every file below the folders of the layout, the index, and whatever else preludes name. */
  readonly paths: ReadonlySet<string>
  /** Of those that were read and are text. */
  readonly texts: ReadonlyMap<string, string>
  /** The files of packs, which others look into. */
  readonly packs: readonly string[]
  /** What is wrong with a JSON Schema, or null. */
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

/** What publishing leaves out. Files whose names begin with a dot are content only by being named here. */
export const IGNORE_FILE = '.onbookignore'

/** Read for their own sake, where they lie in the root. */
export const ROOT_FILES: readonly string[] = [INDEX_FILE, POLICY_FILE, IGNORE_FILE]

/** What agents and workflows may be written in. */
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

/** Which files preludes and agents are made of. Those of preludes need not stand in the folders of the layout. */
export function namedFiles(texts: Layout['texts']): readonly string[] {
  const named = [...texts].flatMap(([path, text]) =>
    isPrelude(path) ? filesOfPrelude(text) : isAgentFile(path) ? fileOfAgent(path, text) : [],
  )
  return [...new Set(named)].filter(isPath)
}

function fileOfAgent(path: string, text: string): readonly string[] {
  const read = readDocument(path, text)
  const named = read.ok && isObject(read.value) ? read.value.systemPromptRef : undefined
  return typeof named === 'string' ? [`${folderOf(path)}${named}`] : []
}

function filesOfPrelude(text: string): readonly string[] {
  const read = readPrelude(bytesOf(text))
  return read.ok && read.prelude.kind === 'composed' ? filesOf(read.prelude.prelude) : []
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Those of a kind, with their texts, in order. */
export const textsOf = ({ texts }: Layout, is: (path: string) => boolean): readonly (readonly [path: string, text: string])[] =>
  [...texts].filter(([path]) => is(path)).sort(([a], [b]) => (a < b ? -1 : 1))

/** Files directly in tools/. Where nothing else says that this is a workspace, they may be anybody's: then only those that hold tools. */
export function legacyTools(layout: Layout): readonly (readonly [path: string, text: string])[] {
  const isOurs = [...layout.paths].some(path => path.startsWith('prompts/') || isCatalog(path) || isDescriptor(path))
  return textsOf(layout, isLegacyTool).filter(([path, text]) => isOurs || holdsTools(path, text))
}

function holdsTools(path: string, text: string): boolean {
  const read = readCatalogFile(path, bytesOf(text))
  return read.ok && read.file.entries.length > 0 && read.file.entries.every(({ tool }) => isTool(tool))
}

/** Content says what is wrong in half a sentence. */
export const foundIn = ({ path: file, message, ...rest }: ContentProblem): FoundInFile => ({
  file,
  message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`,
  ...rest,
})

/** Several files may lead to the same problem of another. One by one: whoever lists them stops at a hundred. */
export function* once(found: Iterable<FoundInFile>): Iterable<FoundInFile> {
  const seen = new Set<string>()
  for (const one of found) {
    const key = JSON.stringify(one)
    if (!seen.has(key)) yield one
    seen.add(key)
  }
}
