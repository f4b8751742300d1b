// Finds the file of a prompt's text: the pack, the role, the agent or the workflow with exactly this text. Otherwise says why there is no file; never guesses.
import type { Agent } from '../../core/agent/agent.ts'
import { inField, inFile, inPack, type PlaceAt } from '../../core/blame/places.ts'
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import { isAgentFile, isWorkflowFile } from '../../core/lint/layout.ts'
import { claimOf, folderOf } from '../../core/pack/identity.ts'
import { readYaml, type YamlDocument } from '../../core/pack/yaml.ts'
import { rolePath } from '../../core/role/role-name.ts'
import type { FrozenRole } from '../../core/run/frozen.ts'
import type { Pointer } from '../../core/schema/pointer.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { unlessGone, type VersionFiles, versionFiles } from './version-files.ts'

/** The origin of a text. A path belongs to the active workspace version, or to the repo. */
export interface Origin {
  readonly from: 'workspace' | 'repo' | 'shipped' | 'bundle' | 'host' | 'unknown'
  readonly file: string | null
  /** Why no file is named; null where one is. */
  readonly reason: string | null
}

export interface Found {
  readonly origin: Origin
  readonly placeAt: PlaceAt | null
}

export interface Origins {
  readonly files: () => Promise<VersionFiles | null>
  template(digest: Digest): Promise<Found>
  role(role: FrozenRole): Promise<Found>
  intrinsic(agent: Agent): Promise<Found>
  /** A field of the workflow, by where it may stand. */
  workflow(workflow: Workflow, fields: readonly Pointer[]): Promise<Found>
  /** Why no file was found in the active version. */
  unfound(what: string): Promise<Found>
}

const found = (placeAt: PlaceAt, from: 'workspace' | 'repo' = 'workspace'): Found => ({
  origin: { from, file: placeAt(0).file, reason: null },
  placeAt,
})
const nowhere = (from: Origin['from'], reason: string): Found => ({ origin: { from, file: null, reason }, placeAt: null })
export const SHIPPED = nowhere('shipped', 'it ships with Onbook')

interface PlacedDocument {
  readonly path: string
  readonly document: YamlDocument
}

function once<T>(known: Map<Digest, Promise<T>>, digest: Digest, find: () => Promise<T>): Promise<T> {
  const made = known.get(digest) ?? find()
  known.set(digest, made)
  return made
}

export function originsAt(store: Store, tenant: string, snapshot: Snapshot | null): Origins {
  let read: Promise<VersionFiles | null> | undefined
  const files = (): Promise<VersionFiles | null> => {
    read ??= snapshot === null ? Promise.resolve(null) : versionFiles(store, tenant, snapshot)
    return read
  }
  // Many nodes share the same few files.
  const templates = new Map<Digest, Promise<Found>>()
  const workflows = new Map<Digest, Promise<PlacedDocument | null>>()
  const textAt = (digest: Digest) => unlessGone(async () => new TextDecoder().decode(await store.object(tenant, digest)))

  async function unfound(what: string): Promise<Found> {
    if (snapshot === null) return nowhere('unknown', 'no workspace version was active')
    const version = `${snapshot.workspace} version ${snapshot.version}`
    return nowhere('unknown', (await files()) === null ? `${version} is not in the record any more` : `no file of ${version} ${what}`)
  }

  /** The first that fits. */
  async function first(paths: readonly string[], placesIn: (path: string, text: string) => PlaceAt | null | Promise<PlaceAt | null>) {
    const version = await files()
    for (const path of paths) {
      const text = (await version?.text(path)) ?? null
      const placeAt = text === null ? null : await placesIn(path, text)
      if (placeAt !== null) return found(placeAt)
    }
    return null
  }

  async function findTemplate(digest: Digest): Promise<Found> {
    const stored = await textAt(digest)
    if (stored === null) return nowhere('unknown', 'the template is not in the record any more')
    const template = JSON.parse(stored) as LibraryTemplate
    const { source, packName, packVersion } = template.meta ?? {}
    if (source === 'pack') return nowhere('bundle', `it came with the bundle ${packName ?? ''} ${packVersion ?? ''}`.trimEnd())
    const version = await files()
    const paths = packsFor(version?.packs ?? [], template)
    const placed = await first(paths, (path, text) => inPack(path, text, template, digest, version!.schemas))
    if (placed !== null) return placed
    return source === 'host' ? nowhere('host', 'it is the host’s own') : unfound('compiles to it')
  }

  async function findWorkflow(digest: Digest): Promise<PlacedDocument | null> {
    const version = await files()
    for (const path of (version?.paths ?? []).filter(isWorkflowFile)) {
      const document = readYaml((await version!.text(path)) ?? '')
      const read = document.value === undefined ? null : readWorkflow(document.value)
      if (read?.ok === true && digestJson(read.workflow as unknown as Json) === digest) return { path, document }
    }
    return null
  }

  return {
    files,
    unfound,
    template: digest => once(templates, digest, () => findTemplate(digest)),
    async role({ name, source, digest, text }) {
      if (source === 'shipped') return SHIPPED
      const raw = await textAt(digest)
      return raw === null
        ? nowhere('repo', `${rolePath(name)} is not in the record any more`)
        : found(inFile(rolePath(name), raw, raw.length - text.length), 'repo')
    },
    async intrinsic({ agentId, systemPrompt }) {
      const paths = ((await files())?.paths ?? []).filter(isAgentFile)
      const placed = await first(paths, async (path, text) => {
        const document = readYaml(text)
        const { value } = document
        if (!isObject(value as Json) || (value as JsonObject).agentId !== agentId) return null
        const { systemPrompt: own, systemPromptRef: named } = value as JsonObject
        if (own === systemPrompt) return inField(path, document, ['systemPrompt'])
        const file = `${folderOf(path)}${named}`
        return (await (await files())!.text(file)) === systemPrompt ? inFile(file, systemPrompt!) : null
      })
      return placed ?? unfound(`has this text of agent ${agentId}`)
    },
    async workflow(workflow, fields) {
      const digest = digestJson(workflow as unknown as Json)
      const placed = await once(workflows, digest, () => findWorkflow(digest))
      const pointer = fields.find(one => placed !== null && placed.document.scalarSpan(one) !== null)
      return placed === null || pointer === undefined
        ? unfound(`is this workflow ${workflow.id}`)
        : found(inField(placed.path, placed.document, pointer))
    },
  }
}

/** A pack and its path both name an agent and a version: the matching path is read first. */
function packsFor(packs: readonly string[], { templateId, version, kind }: LibraryTemplate): readonly string[] {
  const agentId = kind === 'system' ? templateId : templateId.slice(0, -1 - kind.length)
  const claims = (path: string): boolean => claimOf(path)?.agentId === agentId && claimOf(path)?.version === version
  return [...packs.filter(claims), ...packs.filter(path => !claims(path))]
}
