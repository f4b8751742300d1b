// Packs into the library: checked, compiled, and published in one commit. What is there already, byte for byte, is left alone.
import { templatesOfPack } from '../core/library/from-pack.ts'
import { type LibraryTemplate, templateDigest } from '../core/library/template.ts'
import { pinnedText } from '../core/resolve/prompt-ref.ts'
import { Fault } from '../errors.ts'
import type { Store, Validator } from '../ports.ts'
import { checkPacks } from './check.ts'
import { publishTemplates } from './library/publish.ts'
import { versionsOf, type Writer } from './library/rows.ts'
import { loadPack } from './versions.ts'
import type { Workspace } from './workspace.ts'

export interface PublishedPacks {
  readonly published: readonly string[]
  readonly unchanged: readonly string[]
}

export async function publishPacks(
  workspace: Workspace,
  paths: readonly string[],
  validator: Validator,
  store: Store,
  writer: Writer,
): Promise<PublishedPacks> {
  await refuseFindings(workspace, paths, validator)
  const templates: LibraryTemplate[] = []
  for (const path of paths) templates.push(...templatesOfPack((await loadPack(workspace, path)).pack, workspace.schemas))
  const fresh: LibraryTemplate[] = []
  const unchanged: string[] = []
  for (const template of templates) {
    if (await isThere(store, writer, template)) unchanged.push(pinnedText(template.templateId, template.version))
    else fresh.push(template)
  }
  if (fresh.length > 0) await publishTemplates(store, writer, fresh, { mode: 'create', origin: 'user' })
  return { published: fresh.map(({ templateId, version }) => pinnedText(templateId, version)), unchanged }
}

export async function refuseFindings(workspace: Workspace, paths: readonly string[], validator: Validator): Promise<void> {
  for await (const { path, findings } of checkPacks(workspace, validator, paths)) {
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (errors > 0) throw new Fault('checks_failed', { what: path, errors })
  }
}

async function isThere(store: Store, { tenant, libraryId }: Writer, template: LibraryTemplate): Promise<boolean> {
  const digest = templateDigest({ ...template, meta: { ...template.meta, source: 'user' } })
  const versions = await versionsOf(store, tenant, template.templateId)
  return versions.some(row => row.libraryId === libraryId && row.version === template.version && !row.removed && row.digest === digest)
}
