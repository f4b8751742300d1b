// The parts of one version that a sync reads: the prelude, the catalog, and tools that nothing names. Invalid content ends the sync.
import { digestText } from '../digest/digest.ts'
import type { ContentProblem } from '../pack/file-content.ts'
import { compilePrelude, filesOf } from '../prelude/compile.ts'
import { readPrelude } from '../prelude/prelude.ts'
import { pointerText } from '../schema/pointer.ts'
import {
  type CatalogFile,
  type CheckSchema,
  compileCatalog,
  descriptorPath,
  namedDescriptors,
  readCatalogFile,
  readLegacyFile,
} from '../tools/catalog.ts'
import { unsendable } from '../tools/unsendable.ts'
import { catalogPath, contextPaths, preludePath, type WorkspaceIndex } from '../workspace/index-file.ts'
import { isPath } from '../workspace/path.ts'
import type { SyncStage } from './events.ts'
import type { StoredText } from './history.ts'
import type { SnapshotCatalog, SnapshotPrelude } from './snapshot.ts'
import { type Asking, ask, done, fail, type Part, type ReadFile, type Root, readFile, type SyncFailure } from './sync-effects.ts'

export interface PreludePart {
  readonly prelude: SnapshotPrelude | null
  /** The compiled texts, to be stored. */
  readonly objects: readonly StoredText[]
}

export interface CatalogPart {
  readonly catalog: SnapshotCatalog | null
  readonly objects: readonly StoredText[]
  readonly legacy: boolean
}

export const NO_TOOLS: CatalogPart = { catalog: null, objects: [], legacy: false }

/** Limits for one prelude or catalog. */
const MOST_FILES = 1000
const MOST_NAMED = 10
const NOT_ALLOWED = 'workspace_not_allowed'

export function invalid(stage: SyncStage, problems: readonly ContentProblem[]): SyncFailure {
  const lines = problems.slice(0, MOST_NAMED).map(({ path, pointer, message, position }) => {
    const line = position === undefined ? '' : `, line ${position.line}`
    return `${path}${pointer.length === 0 ? '' : `#${pointerText(pointer)}`}: ${message}${line}`
  })
  const more = problems.length > MOST_NAMED ? [`and ${problems.length - MOST_NAMED} more`] : []
  return fail(stage, `${stage}_invalid`, [...lines, ...more].join('; '))
}

const stored = (text: string): StoredText => ({ digest: digestText(text), text })

export function* readPreludePart(root: Root, name: string | null, index: WorkspaceIndex | null): Asking<Part<PreludePart>> {
  if (name === null) return done({ prelude: null, objects: [] })
  const path = preludePath(index, name)
  const file = yield* readFile(root, path, 'prelude')
  if (file.outcome === 'failed') return file
  const read = readPrelude(file.value.bytes)
  if (!read.ok)
    return invalid(
      'prelude',
      read.problems.map(one => ({ path, ...one })),
    )
  if (read.prelude.kind === 'messages') return done({ prelude: { name, digest: file.value.digest, options: null }, objects: [] })

  const context = yield* readContextPaths(root, read.prelude.prelude.context, index)
  if (context.outcome === 'failed') return context
  const prelude = { ...read.prelude.prelude, context: context.value }
  const files = yield* readFiles(root, filesOf(prelude), path => path, 'prelude')
  if (files.outcome === 'failed') return files
  const compiled = compilePrelude(prelude, files.value)
  if (!compiled.ok) return invalid('prelude', compiled.problems)
  const messages = stored(compiled.value.messages)
  const options = compiled.value.options === null ? null : stored(compiled.value.options)
  return done({
    prelude: { name, digest: messages.digest, options: options?.digest ?? null },
    objects: options === null ? [messages] : [messages, options],
  })
}

/** The files of a context: groups and folders by the files in them, in the order of their paths. */
function* readContextPaths(root: Root, entries: readonly string[], index: WorkspaceIndex | null): Asking<Part<readonly string[]>> {
  const paths: string[] = []
  for (const path of entries.flatMap(entry => contextPaths(index, entry))) {
    const files = yield* filesBelow(root, path, paths.length)
    if (files.outcome === 'failed') return files
    paths.push(...files.value)
  }
  return done(paths)
}

/** @param before how many files are named already */
function* filesBelow(root: Root, path: string, before: number): Asking<Part<readonly string[]>> {
  if (!isPath(path)) return done([path])
  const ref = yield* ask({ type: 'workspace.readRef', workspace: root.workspace, root: root.root, path })
  if (!ref.ok || ref.value?.kind !== 'dir') return done([path])
  const listed = yield* ask({ type: 'workspace.list', workspace: root.workspace, root: root.root, path })
  if (!listed.ok) return fail('prelude', listed.code, listed.detail)
  const paths: string[] = []
  for (const { name } of [...(listed.value ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (before + paths.length > MOST_FILES)
      return fail('prelude', 'files_too_many', `${path} has more than ${MOST_FILES} files, and a prelude may have ${MOST_FILES}`)
    const files = yield* filesBelow(root, `${path}/${name}`, before + paths.length)
    if (files.outcome === 'failed') return files
    paths.push(...files.value)
  }
  return done(paths)
}

function* readFiles(
  root: Root,
  names: readonly string[],
  pathOf: (name: string) => string,
  stage: SyncStage,
): Asking<Part<ReadonlyMap<string, ReadFile>>> {
  if (names.length > MOST_FILES) return fail(stage, 'files_too_many', `${names.length} files are named, and there may be ${MOST_FILES}`)
  const files = new Map<string, ReadFile>()
  for (const name of names) {
    const file = yield* readFile(root, pathOf(name), stage)
    if (file.outcome === 'failed') return file
    files.set(name, file.value)
  }
  return done(files)
}

export function* readCatalogPart(root: Root, name: string, index: WorkspaceIndex | null, check: CheckSchema): Asking<Part<CatalogPart>> {
  const path = catalogPath(index, name)
  const file = yield* readFile(root, path, 'catalog')
  if (file.outcome === 'failed') return file
  const read = readCatalogFile(path, file.value.bytes)
  if (!read.ok) return invalid('catalog', read.problems)
  const named = namedDescriptors(read.file)
  const files = yield* readFiles(root, named, descriptorPath, 'catalog')
  if (files.outcome === 'failed') return files
  const bytes = new Map([...files.value].map(([one, { bytes }]) => [one, bytes]))
  const compiled = compileCatalog(read.file, bytes, check)
  if (!compiled.ok) return invalid('catalog', compiled.problems)
  const problem = unsendable(path, compiled.value.text)
  if (problem !== null) return invalid('catalog', [problem])
  // A self-contained file is shown to the model byte for byte.
  if (named.length === 0) return done({ catalog: { name, digest: file.value.digest }, objects: [], legacy: false })
  const whole = stored(compiled.value.text)
  return done({ catalog: { name, digest: whole.digest }, objects: [whole], legacy: false })
}

/** Reads tools from the time before catalogs: files directly in tools/, by name. Other files there are ignored. */
export function* readLegacyTools(root: Root, check: CheckSchema, required: boolean): Asking<Part<CatalogPart>> {
  const listed = yield* ask({ type: 'workspace.list', workspace: root.workspace, root: root.root, path: 'tools' })
  // A caller that may read its prelude and not tools/ did not name tools.
  if (!listed.ok && listed.code === NOT_ALLOWED && !required) return done(NO_TOOLS)
  if (!listed.ok) return fail('catalog', listed.code, listed.detail)
  const names = (listed.value ?? []).filter(({ name, kind }) => kind === 'file' && name.endsWith('.json')).map(({ name }) => name)
  if (names.length === 0) return done(NO_TOOLS)
  const files = yield* readFiles(root, names.toSorted(), name => `tools/${name}`, 'catalog')
  if (files.outcome === 'failed') return files
  const read = [...files.value].flatMap(([name, { bytes }]) => readLegacyFile(`tools/${name}`, bytes) ?? [])
  if (read.length === 0) return done(NO_TOOLS)
  const merged: CatalogFile = { entries: read.flatMap(({ entries }) => entries), toolChoice: null }
  const compiled = compileCatalog(merged, new Map(), check)
  if (!compiled.ok) return invalid('catalog', compiled.problems)
  const whole = stored(compiled.value.text)
  return done({ catalog: { name: 'tools', digest: whole.digest }, objects: [whole], legacy: true })
}
