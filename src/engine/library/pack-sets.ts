// The packs of one workspace version for a snapshot: compiles them, and reads them back by digest.
import semver from 'semver'
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { templatesOfPack } from '../../core/library/from-pack.ts'
import { type PackSet, packSetText, type SnapshotPacks } from '../../core/library/pack-set.ts'
import { templateText } from '../../core/library/template.ts'
import { versionOfPath } from '../../core/pack/identity.ts'
import { activeVersion, type Registry, registeredVersion } from '../../core/pack/registry.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { Store } from '../../ports.ts'
import type { Workspace } from '../packs/pack-folder.ts'
import { loadPack } from '../packs/versions.ts'
import { rememberedContent } from '../reading/remembered.ts'
import { asPublished } from './edited-lookup.ts'
import { schemasOfPack } from './pack-schemas.ts'

export interface ActivePack {
  readonly pack: string
  readonly version: string
  readonly path: string
}

export interface CompiledPackSet {
  readonly packs: PackSet
  readonly digest: Digest
  /** To be stored: the set itself, its templates and its schemas. */
  readonly texts: readonly StoredText[]
  readonly active: readonly ActivePack[]
}

/** Files that a snapshot takes for packs: they follow prompts/<pack>/v<version>.yaml. Any other YAML is not. */
export const packFilesIn = ({ packs }: Workspace): readonly string[] => packs.filter(path => versionOfPath(path) !== null)

/** @param paths of packs without errors */
export async function compilePackSet(workspace: Workspace, paths: readonly string[]): Promise<CompiledPackSet> {
  const texts = new Map<Digest, string>()
  const keep = (text: string): Digest => {
    const digest = digestText(text)
    texts.set(digest, text)
    return digest
  }
  const templates: PackSet['templates'][number][] = []
  const schemas: Record<string, Digest> = {}
  const versions = new Map<string, { readonly version: string; readonly path: string }[]>()
  const templateIds = new Map<string, Set<string>>()
  for (const path of paths) {
    const { pack } = await loadPack(workspace, path)
    const { agentId, version } = pack
    versions.set(agentId, [...(versions.get(agentId) ?? []), { version, path }])
    schemas[pinnedText(agentId, version)] = keep(canonicalJson(schemasOfPack(pack, workspace.schemas) as unknown as Json))
    for (const template of templatesOfPack(pack, workspace.schemas)) {
      const { templateId, kind } = template
      templates.push({ templateId, version, kind, digest: keep(templateText(asPublished(template))) })
      templateIds.set(agentId, (templateIds.get(agentId) ?? new Set()).add(templateId))
    }
  }
  const active = [...versions].flatMap(([pack, known]) => activeOf(workspace.registry, pack, known) ?? [])
  const packs: PackSet = {
    templates,
    active: Object.fromEntries(active.flatMap(({ pack, version }) => [...templateIds.get(pack)!].map(id => [id, version] as const))),
    schemas,
  }
  const digest = keep(packSetText(packs))
  return { packs, digest, texts: [...texts].map(([name, text]) => ({ digest: name, text })), active }
}

/**
 * The version that the registry calls active, or the first one of a pack that it does not know: a newer version becomes active with `onbook
 * activate`.
 */
function activeOf(
  registry: Registry,
  pack: string,
  known: readonly { readonly version: string; readonly path: string }[],
): ActivePack | null {
  const named = activeVersion(registry, pack)
  const usable = known.filter(({ version }) => registeredVersion(registry, pack, version)?.status !== 'retired')
  const releases = usable.filter(({ version }) => semver.prerelease(version) === null)
  const [first] = (releases.length === 0 ? usable : releases).toSorted((a, b) => semver.compareBuild(a.version, b.version))
  const found = named === null ? first : known.find(({ version }) => version === named)
  return found === undefined ? null : { pack, ...found }
}

/** Null for a snapshot without packs. */
export async function loadSnapshotPacks(store: Store, tenant: string, snapshot: Snapshot | null): Promise<SnapshotPacks | null> {
  if (snapshot?.packs === undefined) return null
  const { workspace, version, root, packs: digest } = snapshot
  const packs = await rememberedContent(
    store,
    JSON.stringify(['packs', tenant, digest]),
    async () => JSON.parse(new TextDecoder().decode(await store.object(tenant, digest))) as PackSet,
  )
  return { source: { workspace, version, root }, packs }
}
