// Sync as plans that compose: the prelude alone, the catalog alone, both. A plan declares its effects; the engine refuses all others.

import type { Digest } from '../digest/digest.ts'
import { type FileProblem, readText } from '../pack/file-content.ts'
import { positionOf } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'
import type { CheckSchema } from '../tools/catalog.ts'
import { INDEX_FILE, readIndex, type WorkspaceIndex } from '../workspace/index-file.ts'
import type { Selection } from './config.ts'
import { nameProblem } from './names.ts'
import type { Snapshot } from './snapshot.ts'
import { type Asking, ask, done, type EffectName, fail, type Part, type Root, readFile, type SyncResult } from './sync-effects.ts'
import { type CatalogPart, invalid, NO_TOOLS, readCatalogPart, readLegacyTools, readPreludePart } from './sync-parts.ts'

export type { Answer, EffectName, SyncResult, WorkspaceEffect } from './sync-effects.ts'

export interface SyncInput {
  readonly selection: Selection
  /** The caller's snapshot; the same content again is `unchanged`. */
  readonly known: Snapshot | null
  readonly checkSchema: CheckSchema
}

export interface SyncPlan {
  readonly name: string
  readonly effects: readonly EffectName[]
  run(input: SyncInput): Asking<SyncResult>
}

/** A context group may name a folder, so a prelude may need a list. */
const READ: readonly EffectName[] = ['workspace.resolve', 'workspace.readRef', 'workspace.readBytes', 'workspace.list']

/** Which parts of a selection a plan reads. The other part of a known snapshot does not count. */
type Parts = 'prelude' | 'catalog' | 'both'

export const promptSync: SyncPlan = {
  name: 'prompt_sync',
  effects: READ,
  *run(input) {
    return yield* sync({ ...input, selection: { ...input.selection, catalog: null } }, 'prelude')
  },
}

export const catalogSync: SyncPlan = {
  name: 'catalog_sync',
  effects: READ,
  *run(input) {
    return yield* sync({ ...input, selection: { ...input.selection, prelude: null } }, 'catalog')
  },
}

/** Both, from one version: it is resolved once. */
export const workspaceSync: SyncPlan = {
  name: 'workspace_sync',
  effects: READ,
  *run(input) {
    return yield* sync(input, 'both')
  },
}

interface ToolsWanted {
  readonly name: string | null
  readonly index: WorkspaceIndex | null
  /** The caller wants tools and nothing else: that tools/ may not be read is a failure then. */
  readonly required: boolean
}

/** A named catalog; without one and without an index, the tools in tools/. */
function* readToolsPart(root: Root, { name, index, required }: ToolsWanted, check: CheckSchema): Asking<Part<CatalogPart>> {
  if (name !== null) return yield* readCatalogPart(root, name, index, check)
  return index === null ? yield* readLegacyTools(root, check, required) : done(NO_TOOLS)
}

function* sync({ selection, known, checkSchema }: SyncInput, parts: Parts): Asking<SyncResult> {
  const misnamed = nameProblem(selection)
  if (misnamed !== null) return fail('resolve', 'name_invalid', misnamed)
  const resolved = yield* resolveRoot(selection)
  if (resolved.outcome === 'failed') return resolved
  const root = resolved.value
  if (known !== null && isSame(known, root, selection, parts))
    return { outcome: 'unchanged', workspace: root.workspace, version: root.version }

  const indexPart = yield* readIndexPart(root)
  if (indexPart.outcome === 'failed') return indexPart
  const { digest, index } = indexPart.value
  const prelude = yield* readPreludePart(root, selection.prelude, index)
  if (prelude.outcome === 'failed') return prelude
  const wanted: ToolsWanted = { name: selection.catalog, index, required: parts === 'catalog' }
  const tools = parts === 'prelude' ? done(NO_TOOLS) : yield* readToolsPart(root, wanted, checkSchema)
  if (tools.outcome === 'failed') return tools
  const { catalog, legacy } = tools.value
  const snapshot: Snapshot = { ...root, index: digest, prelude: prelude.value.prelude, catalog, legacy }
  return { outcome: 'ready', snapshot, objects: [...prelude.value.objects, ...tools.value.objects] }
}

function* resolveRoot({ workspace: { name, version } }: Selection): Asking<Part<Root>> {
  const resolved = yield* ask({ type: 'workspace.resolve', workspace: name, version })
  if (!resolved.ok) return fail('resolve', resolved.code, resolved.detail)
  if (resolved.value !== null) return done({ workspace: name, ...resolved.value })
  return fail(
    'resolve',
    'workspace_missing',
    `there is no workspace ${name}${version === null ? ' with anything in it' : ` with a version ${version}`}`,
  )
}

/** The same content for the same request, in any version. */
const isSame = (snapshot: Snapshot, { workspace, root }: Root, { prelude, catalog }: Selection, parts: Parts): boolean =>
  snapshot.workspace === workspace &&
  snapshot.root === root &&
  (parts === 'catalog' || (snapshot.prelude?.name ?? null) === prelude) &&
  (parts === 'prelude' || (snapshot.legacy ? null : (snapshot.catalog?.name ?? null)) === catalog)

/** Runs a plan and enforces its declared effects: any other effect ends the plan before it is performed. */
export function* runPlan(plan: SyncPlan, input: SyncInput): Asking<SyncResult> {
  const running = plan.run(input)
  let step = running.next()
  while (!step.done) {
    const effect = step.value
    if (!plan.effects.includes(effect.type))
      return fail('validate', 'effect_undeclared', `plan ${plan.name} asked for ${effect.type}, which it does not declare`)
    step = running.next(yield effect)
  }
  return step.value
}

interface IndexPart {
  /** Null for a workspace without one. */
  readonly digest: Digest | null
  readonly index: WorkspaceIndex | null
}

function* readIndexPart(root: Root): Asking<Part<IndexPart>> {
  const answer = yield* ask({ type: 'workspace.readRef', workspace: root.workspace, root: root.root, path: INDEX_FILE })
  if (!answer.ok) return fail('index', answer.code, answer.detail)
  if (answer.value?.kind !== 'file') return done({ digest: null, index: null })
  const file = yield* readFile(root, INDEX_FILE, 'index')
  if (file.outcome === 'failed') return file
  const { digest, bytes } = file.value
  const read = readIndex(bytes)
  if (read.ok) return done({ digest, index: read.index })
  return invalid('index', inLines(readText(bytes) ?? '', read.problems))
}

/** JSON is YAML, whose reader knows the line of every value. */
function inLines(text: string, problems: readonly FileProblem[]) {
  const document = readYaml(text)
  return problems.map(problem => {
    const { pointer, position = positionOf(text, pointer.length === 0 ? 0 : document.locate({ pointer }).start) } = problem
    return { path: INDEX_FILE, ...problem, position }
  })
}
