// Folder: Bundles built, checked and installed.
// Installs a bundle into the library of its name: its templates, its bytes and its metadata, in one commit or not at all.
import { decideInstall, type InstallDecision } from '../../core/bundle/decide.ts'
import { type BundleManifest, bundleProblem } from '../../core/bundle/manifest.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { Store } from '../../ports.ts'
import { commitDecided } from '../library/publish.ts'
import { HOST_TENANT, readTemplate, versionsOf } from '../library/rows.ts'
import { bundleRefused, type SoundBundle } from './check-bundle.ts'
import { installedBundles } from './installed.ts'

/** The tenant, and the person who installs. */
export interface InstallRequest {
  readonly tenant: string
  readonly actor: string
}

export interface InstalledNow {
  readonly name: string
  readonly version: string
  readonly digest: Digest
  readonly integrity: string
  /** Who signed it; null when it was let in unsigned. */
  readonly key: string | null
  /** Installed before, byte for byte: nothing was written. */
  readonly unchanged: boolean
  readonly added: readonly string[]
  /** Templates that were there already, with the same content. */
  readonly kept: readonly string[]
  /** Ids that other libraries have too: a ref to one of them has to name its library from now on. */
  readonly ambiguous: readonly string[]
}

export async function installBundle(store: Store, bundle: SoundBundle, { tenant, actor }: InstallRequest): Promise<InstalledNow> {
  const { bytes, manifest, digest, signature } = bundle
  const { name, version } = manifest

  const decide = async (): Promise<InstallDecision> => {
    const bundles = await installedBundles(store, tenant)
    // Rows of a tenant hide those of the host: a tenant that had some versions of its own would lose the others.
    const elsewhere = bundles.some(one => one.name === name && one.tenant !== tenant)
    if (elsewhere)
      throw bundleRefused(manifest, [bundleProblem('bundle_exists', `${name} is the host's: install it with --tenant ${HOST_TENANT}`)])
    const templates = await templatesIn(store, tenant, manifest)
    const decision = decideInstall({ manifest, digest, signature, actor }, { bundles, templates })
    if (decision.problems.length > 0) throw bundleRefused(manifest, decision.problems)
    return decision
  }

  let decision = await decide()
  // A concurrent writer can only remove templates from the fresh ones, so these objects are enough.
  const objects = decision.unchanged ? [] : [bytes, ...decision.fresh.map(template => new TextEncoder().encode(templateText(template)))]
  await commitDecided(store, { tenant, libraryId: name, actor }, objects, async () => {
    decision = await decide()
    return { ok: true, drafts: decision.drafts }
  })
  const { unchanged, fresh, kept } = decision
  return {
    name,
    version,
    digest,
    integrity: bundle.integrity,
    key: signature?.key ?? null,
    unchanged,
    added: fresh.map(refOf),
    kept: kept.map(refOf),
    ambiguous: await ambiguousIn(store, tenant, manifest),
  }
}

/** The installed versions of the bundle's templates. */
async function templatesIn(store: Store, tenant: string, { name, prompts }: BundleManifest): Promise<readonly LibraryTemplate[]> {
  const found: LibraryTemplate[] = []
  for (const templateId of idsIn(prompts))
    for (const row of await versionsOf(store, tenant, templateId)) if (row.libraryId === name) found.push(await readTemplate(store, row))
  return found
}

async function ambiguousIn(store: Store, tenant: string, { prompts }: BundleManifest): Promise<readonly string[]> {
  const found: string[] = []
  for (const templateId of idsIn(prompts)) {
    const present = (await versionsOf(store, tenant, templateId)).filter(({ removed }) => !removed)
    if (new Set(present.map(({ libraryId }) => libraryId)).size > 1) found.push(templateId)
  }
  return found
}

const idsIn = (templates: readonly LibraryTemplate[]): ReadonlySet<string> => new Set(templates.map(({ templateId }) => templateId))
const refOf = ({ templateId, version }: LibraryTemplate): string => pinnedText(templateId, version)
