// Publishes packs to the library: checks and compiles all of them before it publishes any.
import type { DefinitionKind } from '../../core/definition/published.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { latestOf } from '../../core/library/decide.ts'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { templatesOfPack } from '../../core/library/from-pack.ts'
import { type LibraryTemplate, templateDigest } from '../../core/library/template.ts'
import type { Pack } from '../../core/pack/pack.ts'
import { activeVersion, type Registry } from '../../core/pack/registry.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import { Fault } from '../../errors.ts'
import type { Store, Validator } from '../../ports.ts'
import { checkWritable, type PreparedDefinition, type PublishedDefinition, publishDefinitions } from '../definitions/publish.ts'
import { isProtected } from '../library/label-rows.ts'
import { findAmong, loadLabels } from '../library/lookup.ts'
import { type PackSchemas, publishSchemas, schemasOfPack } from '../library/pack-schemas.ts'
import { type CompiledPacks, publishTemplates, type WantedActive } from '../library/publish.ts'
import { versionsOf, type Writer } from '../library/rows.ts'
import { checkPacks } from './check.ts'
import type { Workspace } from './pack-folder.ts'
import { loadPack } from './versions.ts'

export interface ActiveTemplate {
  readonly templateId: string
  /** Null: its label was removed, so a ref must name a version. */
  readonly version: string | null
}

export interface PublishedPacks {
  readonly published: readonly string[]
  readonly unchanged: readonly string[]
  /** The active version of each template afterwards. */
  readonly active: readonly ActiveTemplate[]
}

/** Nothing is written. */
export async function compilePacks(workspace: Workspace, paths: readonly string[], validator: Validator): Promise<CompiledPacks> {
  await refuseFindings(workspace, paths, validator)
  const compiled: CompiledPacks[] = []
  for (const path of paths) {
    const { pack } = await loadPack(workspace, path)
    const templates = templatesOfPack(pack, workspace.schemas)
    compiled.push({ templates, active: wantedActive(workspace.registry, pack, templates) })
  }
  return joined(compiled)
}

/** The registry decides. A pack that it does not know becomes active with its first version, and never by being published again. */
function wantedActive(registry: Registry, { agentId, version }: Pack, templates: readonly LibraryTemplate[]): CompiledPacks['active'] {
  const active = activeVersion(registry, agentId)
  if (active !== null && active !== version) return new Map()
  const wanted: WantedActive =
    active === null ? { version, onlyFirst: true, why: 'its first version' } : { version, onlyFirst: false, why: 'the registry names it' }
  return new Map(templates.map(({ templateId }) => [templateId, wanted]))
}

/** Where a folder publishes several first versions at once, the newest release becomes active. */
export function joined(all: readonly CompiledPacks[]): CompiledPacks {
  const active = new Map<string, WantedActive>()
  for (const [templateId, wanted] of all.flatMap(one => [...one.active]))
    active.set(templateId, latestOf([active.get(templateId) ?? wanted, wanted])!)
  return { templates: all.flatMap(({ templates }) => templates), active }
}

/** The schemas of the packs' inputs and outputs. */
export async function schemasOfPacks(workspace: Workspace, paths: readonly string[]): Promise<readonly PackSchemas[]> {
  const all: PackSchemas[] = []
  for (const path of paths) all.push(schemasOfPack((await loadPack(workspace, path)).pack, workspace.schemas))
  return all
}

/** In one commit. Templates that exist already, byte for byte, are left alone. */
export async function publishFresh(store: Store, writer: Writer, { templates, active }: CompiledPacks): Promise<PublishedPacks> {
  const fresh = new Map<Digest, LibraryTemplate>()
  const unchanged: LibraryTemplate[] = []
  for (const template of templates) {
    const digest = templateDigest({ ...template, meta: { ...template.meta, source: 'user' } })
    if (fresh.has(digest) || (await isThere(store, writer, template, digest))) unchanged.push(template)
    else fresh.set(digest, template)
  }
  const published = [...fresh.values()]
  await publishTemplates(store, writer, published, { mode: 'create', origin: 'user', active })
  return { published: published.map(refOf), unchanged: unchanged.map(refOf), active: await activeAmong(store, writer, templates) }
}

export interface PreparedPacks {
  readonly compiled: CompiledPacks
  readonly schemas: readonly PackSchemas[]
  readonly definitions: readonly PreparedDefinition[]
}

/** Packs, their schemas, and the agents and workflows beside them. */
export async function publishPrepared(store: Store, writer: Writer, { compiled, schemas, definitions }: PreparedPacks) {
  // A definition that is refused must not leave packs behind.
  await checkWritable(store, writer.tenant, definitions)
  const packs = await publishFresh(store, writer, compiled)
  await publishSchemas(store, writer, schemas)
  const { results } = await publishDefinitions(store, writer, definitions)
  return { ...packs, ...byKind(results) }
}

function byKind(results: readonly PublishedDefinition[]) {
  const of = (kind: DefinitionKind) =>
    results
      .filter(result => result.kind === kind)
      .map(({ id, outcome, revision, digest }) => ({ [`${kind}Id`]: id, outcome, revision, digest }))
  return { agents: of('agent'), workflows: of('workflow') }
}

export interface RecordPlace {
  readonly store: Store
  readonly writer: Writer
}

/** Publishes templates that are new and moves the label `active`, in one commit. Only `onbook prompt label` moves a protected label. */
export async function activateTemplates({ store, writer }: RecordPlace, templates: readonly LibraryTemplate[], why: string | null) {
  const before = await activeAmong(store, writer, templates)
  const isMoving = templates.some(
    one => !before.some(({ templateId, version }) => templateId === one.templateId && version === one.version),
  )
  if (isMoving && (await isProtected(store, writer, ACTIVE_LABEL)))
    throw new Fault('label_protected', {
      problem: `The label active is protected in library ${writer.libraryId}. Nothing was changed: take the protection away first with "onbook prompt label ${templates[0]!.templateId} active --unprotect"`,
    })
  const active = new Map(templates.map(({ templateId, version }) => [templateId, { version, onlyFirst: false, why }]))
  const from = before.find(({ templateId }) => templateId === templates[0]?.templateId)?.version ?? null
  return { changed: isMoving, from, active: (await publishFresh(store, writer, { templates, active })).active }
}

/** By name. */
export async function activeAmong(store: Store, writer: Writer, templates: readonly LibraryTemplate[]): Promise<readonly ActiveTemplate[]> {
  const found: ActiveTemplate[] = []
  for (const templateId of [...new Set(templates.map(one => one.templateId))].sort()) {
    const ref = { libraryId: writer.libraryId, templateId, version: null, label: null, variableOverrides: null }
    const among = findAmong(await versionsOf(store, writer.tenant, templateId), ref, await loadLabels(store, writer.tenant, [ref]))
    found.push({ templateId, version: among.row?.version ?? null })
  }
  return found
}

const refOf = ({ templateId, version }: LibraryTemplate): string => pinnedText(templateId, version)

export async function refuseFindings(workspace: Workspace, paths: readonly string[], validator: Validator): Promise<void> {
  for await (const { path, findings } of checkPacks(workspace, validator, paths)) {
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (errors > 0) throw new Fault('checks_failed', { what: path, errors })
  }
}

async function isThere(store: Store, { tenant, libraryId }: Writer, template: LibraryTemplate, digest: Digest): Promise<boolean> {
  const versions = await versionsOf(store, tenant, template.templateId)
  return versions.some(row => row.libraryId === libraryId && row.version === template.version && !row.removed && row.digest === digest)
}
