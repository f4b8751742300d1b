// Reads a proposed workspace version for its effect on prompts: templates, agents, workflows, roles, preludes and catalogs. Writes nothing.
import type { Agent } from '../../core/agent/agent.ts'
import { readAgent } from '../../core/agent/read-agent.ts'
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import { PROMPT_KINDS } from '../../core/pack/compile.ts'
import { isLabel } from '../../core/resolve/prompt-ref.ts'
import { MOST_ROLE_BYTES, rolePath } from '../../core/role/role-name.ts'
import { schemaFault } from '../../core/schema/schema-fault.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { workspaceSync } from '../../core/session/sync.ts'
import type { SyncFailure } from '../../core/session/sync-effects.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { findEntry } from '../../core/workspace/tree.ts'
import { Fault } from '../../errors.ts'
import type { Files, RoleFiles, Store, Validator } from '../../ports.ts'
import { definitionsIn } from '../definitions/folder.ts'
import type { PreparedDefinition } from '../definitions/publish.ts'
import { asPublished, editedRow, type LibraryPlace } from '../library/edited-lookup.ts'
import type { WantedActive } from '../library/publish.ts'
import { type LibraryRow, versionsOf } from '../library/rows.ts'
import { openWorkspace } from '../packs/pack-folder.ts'
import { compilePacks } from '../packs/publish-packs.ts'
import { performSync } from '../sessions/perform-sync.ts'
import { syncPacks } from '../sessions/sync-packs.ts'
import { conduct } from '../workspaces/nodes.ts'
import { storedFiles } from '../workspaces/stored-files.ts'
import { headOf, listVersions, treeOf, type VersionChoice, type WorkspaceUser } from '../workspaces/versions.ts'

export interface ProposedTemplate {
  readonly template: LibraryTemplate
  readonly row: LibraryRow
  readonly file: string
  /** Whether the library does not have it, or has another text under its version. */
  readonly isNew: boolean
}

export interface Proposal {
  readonly workspace: string
  readonly version: number
  readonly root: Digest
  /** The published library, for names in the proposal that no run had. */
  readonly library: LibraryPlace
  readonly templates: readonly ProposedTemplate[]
  /** Where labels would point to: by `moveKey`, to a version. The registry of its folder moves `active`. */
  readonly moves: ReadonlyMap<string, string>
  /** Versions of the library that labels would be moved to. */
  readonly published: readonly LibraryRow[]
  readonly agents: ReadonlyMap<string, { readonly agent: Agent; readonly file: string }>
  readonly workflows: ReadonlyMap<string, { readonly workflow: Workflow; readonly file: string }>
  readonly roles: RoleFiles
  readonly files: Files
  /** Null when there is no such file in it. */
  digestAt(path: string): Promise<Digest | null>
  /** Whether the workspace is where this file came from: one of its newest versions has it, or the proposal has others of that folder. */
  onceHeld(path: string, digest: Digest): Promise<boolean>
  /** The snapshot that a sync would make for a session with this snapshot; null for another workspace. */
  synced(snapshot: Snapshot): Promise<Snapshot | SyncFailure | null>
  /** Keeps a text that is compiled from the proposal; `object` reads it. */
  keep(text: string): Digest
  /** Reads an object that the proposal holds or produced. `object_missing` for any other. */
  object(digest: Digest): Promise<Uint8Array>
}

/** The place of its files: a record, or a temporary one made for it. */
export interface ProposalPlace {
  readonly store: Store
  readonly user: WorkspaceUser
  readonly choice: VersionChoice
  readonly library: LibraryPlace
  readonly validator: Validator
  /** Labels that would be moved. */
  readonly labels?: readonly ProposedLabel[]
}

export interface ProposedLabel {
  readonly templateId: string
  readonly label: string
  readonly version: string
  /** Left out where the template does not have the version: a pack need not have every kind. */
  readonly optional?: true
}

/** The versions that it makes active, by template. */
export const activeIn = ({ moves }: Pick<Proposal, 'moves'>): ReadonlyMap<string, WantedActive> =>
  new Map(
    [...moves].flatMap(([key, version]) => {
      const [templateId, label] = JSON.parse(key) as [string, string]
      return label === ACTIVE_LABEL ? [[templateId, { version, onlyFirst: false, why: null }] as const] : []
    }),
  )

/** Moves all templates of a pack. Written as summarizer@1.1.0. */
export function readActivation(text: string): readonly ProposedLabel[] {
  const [, pack = '', version = ''] = /^([^@=]+)@([^@=]+)$/.exec(text) ?? []
  if (version === '') throw new Fault('usage_invalid', { problem: `"${text}" does not name a version of a pack: write pack@version` })
  const others = PROMPT_KINDS.filter(kind => kind !== 'system').map(kind => `${pack}.${kind}`)
  return [
    { templateId: pack, label: ACTIVE_LABEL, version },
    ...others.map(templateId => ({ templateId, label: ACTIVE_LABEL, version, optional: true }) as const),
  ]
}

/** Written as support@production=1.1.0. */
export function readLabelMove(text: string): ProposedLabel {
  const [, templateId = '', label = '', version = ''] = /^([^@=]+)@([^@=]+)=([^@=]+)$/.exec(text) ?? []
  if (!isLabel(label) || version === '')
    throw new Fault('usage_invalid', { problem: `"${text}" does not move a label: write template@label=version` })
  return { templateId, label, version }
}

export const moveKey = (templateId: string, label: string): string => JSON.stringify([templateId, label])

export async function readProposal({ store, user, choice, library, validator, labels = [] }: ProposalPlace): Promise<Proposal> {
  const { workspace, version, root } = await treeOf(store, user, choice, 'read')
  const files = await storedFiles(store, user, { workspace, root })
  const opened = await openWorkspace(files)
  const made = new Map<Digest, string>()
  const templates: ProposedTemplate[] = []
  const registered = new Map<string, string>()
  for (const file of opened.packs) {
    const compiled = await compilePacks(opened, [file], validator)
    for (const template of compiled.templates) {
      const row = editedRow(library, template)
      made.set(row.digest, templateText(asPublished(template)))
      const known = await versionsOf(library.store, library.tenant, row.templateId)
      templates.push({ template, row, file, isNew: !known.some(one => one.digest === row.digest && !one.removed) })
    }
    for (const [templateId, { version: active, onlyFirst }] of compiled.active)
      if (!onlyFirst) registered.set(moveKey(templateId, ACTIVE_LABEL), active)
  }
  const { published, moved } = await publishedAt(library, labels, templates)
  const moves = new Map([...registered, ...moved.map(({ templateId, label, version: to }) => [moveKey(templateId, label), to] as const)])
  const agents = new Map<string, { agent: Agent; file: string }>()
  const workflows = new Map<string, { workflow: Workflow; file: string }>()
  for (const definition of await definitionsIn(opened, () => true)) {
    const document = documentOf(definition)
    const agent = definition.kind === 'agent' ? readAgent(document, () => null) : null
    if (agent?.ok) agents.set(definition.id, { agent: agent.agent, file: definition.path })
    const workflow = definition.kind === 'workflow' ? readWorkflow(document) : null
    if (workflow?.ok) workflows.set(definition.id, { workflow: workflow.workflow, file: definition.path })
  }

  async function sync(prelude: string | null, catalog: string | null): Promise<Snapshot | SyncFailure> {
    const selection = { workspace: { name: workspace, version }, prelude, catalog }
    const read = await performSync(store, user, workspaceSync, { selection, known: null, checkSchema: schemaFault })
    const result = await syncPacks({ store, user, validator }, read)
    if (result.outcome === 'failed') return result
    if (result.outcome === 'unchanged') throw new Error('nothing is known that it could be the same as')
    for (const { digest, text } of result.objects) made.set(digest, text)
    return result.snapshot
  }

  async function onceHeld(path: string, digest: Digest): Promise<boolean> {
    if ((await files.list(path.slice(0, path.lastIndexOf('/')))).length > 0) return true
    // For a folder, the proposal applies to the published library, if there is one.
    const published = library.store
    if ((await headOf(published, user.tenant, workspace)) === null) return false
    let left = MOST_VERSIONS
    for await (const { root: earlier } of listVersions(published, user, workspace)) {
      if ((await digestIn(published, user.tenant, earlier, path)) === digest) return true
      left -= 1
      if (left === 0) break
    }
    return false
  }

  const held = new Map<string, Promise<boolean>>()
  const snapshots = new Map<string, Promise<Snapshot | SyncFailure>>()
  return {
    workspace,
    version,
    root,
    library,
    templates,
    moves,
    published,
    agents,
    workflows,
    roles: rolesIn(files),
    files,
    digestAt: path => digestIn(store, user.tenant, root, path),
    onceHeld(path, digest) {
      const key = JSON.stringify([path, digest])
      const known = held.get(key) ?? onceHeld(path, digest)
      held.set(key, known)
      return known
    },
    async synced({ workspace: name, prelude, catalog, legacy }) {
      if (name !== workspace) return null
      const named = [prelude?.name ?? null, legacy ? null : (catalog?.name ?? null)] as const
      const key = JSON.stringify(named)
      const known = snapshots.get(key) ?? sync(...named)
      snapshots.set(key, known)
      return known
    },
    keep(text) {
      const digest = digestText(text)
      made.set(digest, text)
      return digest
    },
    async object(digest) {
      const text = made.get(digest)
      const row = published.find(one => one.digest === digest)
      if (row !== undefined) return library.store.object(row.tenant, digest)
      return text === undefined ? store.object(user.tenant, digest) : new TextEncoder().encode(text)
    },
  }
}

/** The target versions of label moves. A version that is neither in the library nor in the proposal is refused. */
async function publishedAt(
  { store, tenant, libraryId }: LibraryPlace,
  labels: readonly ProposedLabel[],
  templates: readonly ProposedTemplate[],
): Promise<{ readonly published: readonly LibraryRow[]; readonly moved: readonly ProposedLabel[] }> {
  const published: LibraryRow[] = []
  const moved: ProposedLabel[] = []
  for (const one of labels) {
    const { templateId, version, optional } = one
    const rows = await versionsOf(store, tenant, templateId)
    const row = rows.find(known => known.libraryId === libraryId && known.version === version && !known.removed)
    const isProposed = templates.some(({ template }) => template.templateId === templateId && template.version === version)
    if (row === undefined && !isProposed && optional) continue
    if (row === undefined && !isProposed) throw new Fault('prompt_template_not_found', { problem: `there is no ${templateId}@${version}` })
    if (row !== undefined) published.push(row)
    moved.push(one)
  }
  return { published, moved }
}

/** How far back it is looked for a file that is gone. */
const MOST_VERSIONS = 100

const digestIn = async (store: Store, tenant: string, root: Digest, path: string): Promise<Digest | null> =>
  (await conduct(store, tenant, findEntry(root, path)))?.digest ?? null

const documentOf = ({ bytes }: PreparedDefinition): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json

/** Roles in the proposal, at the places that a repo has for them. */
const rolesIn = (files: Files): RoleFiles => ({
  async read(name) {
    const path = rolePath(name)
    const read = await files.readText(path, MOST_ROLE_BYTES)
    if (!read.ok && !read.missing) throw new Fault('role_template_unreadable', { path, reason: read.message })
    return read.ok ? read.text : null
  },
  list: async () => [],
})
