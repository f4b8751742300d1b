// Sync as plans that compose: the prelude alone, the catalog alone, both. A plan says which effects it may ask for; whoever runs it keeps it to that.
import type { CheckSchema } from '../tools/catalog.ts'
import type { Selection } from './config.ts'
import { nameProblem } from './names.ts'
import type { Snapshot } from './snapshot.ts'
import { type Asking, ask, done, type EffectName, fail, type Part, type Root, type SyncResult } from './sync-effects.ts'
import { type CatalogPart, NO_TOOLS, readCatalogPart, readLegacyTools, readPreludePart } from './sync-parts.ts'

export type { Answer, EffectName, SyncResult, WorkspaceEffect } from './sync-effects.ts'

export interface SyncInput {
  readonly selection: Selection
  /** What the caller has; the same content again is `unchanged`. */
  readonly known: Snapshot | null
  readonly checkSchema: CheckSchema
}

export interface SyncPlan {
  readonly name: string
  readonly effects: readonly EffectName[]
  run(input: SyncInput): Asking<SyncResult>
}

const READ: readonly EffectName[] = ['workspace.resolve', 'workspace.readRef', 'workspace.readBytes']

export const promptSync: SyncPlan = {
  name: 'prompt_sync',
  effects: READ,
  *run(input) {
    return yield* sync({ ...input, selection: { ...input.selection, catalog: null } }, false)
  },
}

/** Looks into tools/ when nothing names a catalog, and so needs one effect more. */
export const catalogSync: SyncPlan = {
  name: 'catalog_sync',
  effects: [...READ, 'workspace.list'],
  *run(input) {
    return yield* sync({ ...input, selection: { ...input.selection, prelude: null } }, true)
  },
}

/** Both, from one version: it is resolved once. */
export const workspaceSync: SyncPlan = {
  name: 'workspace_sync',
  effects: catalogSync.effects,
  *run(input) {
    return yield* sync(input, true)
  },
}

export const SYNC_PLANS: readonly SyncPlan[] = [promptSync, catalogSync, workspaceSync]

/** A named catalog; without one and without an index, what lies in tools/. */
function* readToolsPart(root: Root, name: string | null, hasIndex: boolean, check: CheckSchema): Asking<Part<CatalogPart>> {
  if (name !== null) return yield* readCatalogPart(root, name, check)
  return hasIndex ? done(NO_TOOLS) : yield* readLegacyTools(root, check)
}

function* sync({ selection, known, checkSchema }: SyncInput, withTools: boolean): Asking<SyncResult> {
  const misnamed = nameProblem(selection)
  if (misnamed !== null) return fail('resolve', 'name_invalid', misnamed)
  const resolved = yield* resolveRoot(selection)
  if (resolved.outcome === 'failed') return resolved
  const root = resolved.value
  if (known !== null && isSame(known, root, selection)) return { outcome: 'unchanged', workspace: root.workspace, version: root.version }

  const index = yield* ask({ type: 'workspace.readRef', workspace: root.workspace, root: root.root, path: 'agent.workspace.json' })
  if (!index.ok) return fail('index', index.code, index.detail)
  const found = index.value?.kind === 'file' ? index.value.digest : null
  const prelude = yield* readPreludePart(root, selection.prelude)
  if (prelude.outcome === 'failed') return prelude
  const tools = withTools ? yield* readToolsPart(root, selection.catalog, found !== null, checkSchema) : done(NO_TOOLS)
  if (tools.outcome === 'failed') return tools
  const { catalog, legacy } = tools.value
  const snapshot: Snapshot = { ...root, index: found, prelude: prelude.value.prelude, catalog, legacy }
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

/** The same content asked for in the same way, whatever the number of the version. */
const isSame = (known: Snapshot, { workspace, root }: Root, { prelude, catalog }: Selection): boolean =>
  known.workspace === workspace &&
  known.root === root &&
  (known.prelude?.name ?? null) === prelude &&
  (known.legacy ? null : (known.catalog?.name ?? null)) === catalog

/** Runs a plan and keeps it to the effects it declared: any other ends it before anybody performs it. */
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
