// Packs into the library: all are checked and compiled before anything is published.
import type { Digest } from '../core/digest/digest.ts'
import { templatesOfPack } from '../core/library/from-pack.ts'
import { type LibraryTemplate, templateDigest } from '../core/library/template.ts'
import { pinnedText } from '../core/resolve/prompt-ref.ts'
import { Fault } from '../errors.ts'
import type { Store, Validator } from '../ports.ts'
import { checkPacks } from './check.ts'
import { type PackSchemas, schemasOfPack } from './library/pack-schemas.ts'
import { publishTemplates } from './library/publish.ts'
import { versionsOf, type Writer } from './library/rows.ts'
import { loadPack } from './versions.ts'
import type { Workspace } from './workspace.ts'

export interface PublishedPacks {
  readonly published: readonly string[]
  readonly unchanged: readonly string[]
}

/** What the packs compile to. Nothing is written. */
export async function templatesOfPacks(
  workspace: Workspace,
  paths: readonly string[],
  validator: Validator,
): Promise<readonly LibraryTemplate[]> {
  await refuseFindings(workspace, paths, validator)
  const templates: LibraryTemplate[] = []
  for (const path of paths) templates.push(...templatesOfPack((await loadPack(workspace, path)).pack, workspace.schemas))
  return templates
}

/** What the packs' inputs and outputs must fit. */
export async function schemasOfPacks(workspace: Workspace, paths: readonly string[]): Promise<readonly PackSchemas[]> {
  const all: PackSchemas[] = []
  for (const path of paths) all.push(schemasOfPack((await loadPack(workspace, path)).pack, workspace.schemas))
  return all
}

/** In one commit. What is there already, byte for byte, is left alone. */
export async function publishFresh(store: Store, writer: Writer, templates: readonly LibraryTemplate[]): Promise<PublishedPacks> {
  const fresh = new Map<Digest, LibraryTemplate>()
  const unchanged: LibraryTemplate[] = []
  for (const template of templates) {
    const digest = templateDigest({ ...template, meta: { ...template.meta, source: 'user' } })
    if (fresh.has(digest) || (await isThere(store, writer, template, digest))) unchanged.push(template)
    else fresh.set(digest, template)
  }
  const published = [...fresh.values()]
  if (published.length > 0) await publishTemplates(store, writer, published, { mode: 'create', origin: 'user' })
  return { published: published.map(refOf), unchanged: unchanged.map(refOf) }
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
