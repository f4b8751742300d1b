// Builds a bundle from packs: checks, compiles and prints them. Writes nothing.
import { readManifest } from '../../core/bundle/manifest.ts'
import { type BundleHead, printManifest } from '../../core/bundle/print.ts'
import { templatesOfPack } from '../../core/library/from-pack.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Validator } from '../../ports.ts'
import type { Workspace } from '../packs/pack-folder.ts'
import { refuseFindings } from '../packs/publish-packs.ts'
import { loadPack } from '../packs/versions.ts'
import { bundleRefused } from './check-bundle.ts'

export interface PackSource {
  readonly workspace: Workspace
  readonly packs: readonly string[]
}

/** The bytes of pack.json. */
export async function buildBundle(
  head: BundleHead,
  sources: readonly PackSource[],
  validator: Validator,
  maxTemplateBytes: number,
): Promise<Uint8Array> {
  const templates: LibraryTemplate[] = []
  for (const { workspace, packs } of sources) {
    await refuseFindings(workspace, packs, validator)
    for (const path of packs) templates.push(...templatesOfPack((await loadPack(workspace, path)).pack, workspace.schemas))
  }
  const bytes = new TextEncoder().encode(printManifest(head, templates))
  const read = readManifest(bytes, maxTemplateBytes)
  if (read.problems.length > 0) throw bundleRefused(read.manifest, read.problems)
  return bytes
}
