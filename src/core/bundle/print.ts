// Writes templates as the bytes of a pack.json. Deterministic: the same templates give the same bytes.
import type { Json } from '../digest/digest.ts'
import { sortedJson } from '../digest/indented-json.ts'
import type { LibraryTemplate } from '../library/template.ts'
import { type BundleManifest, OPENWOP_RANGE } from './manifest.ts'

export type BundleHead = Pick<BundleManifest, 'name' | 'version' | 'description' | 'dependencies'>

export function printManifest(head: BundleHead, templates: readonly LibraryTemplate[]): string {
  const manifest: BundleManifest = { ...head, kind: 'prompt', engines: { openwop: OPENWOP_RANGE }, prompts: templates.toSorted(byName) }
  return `${sortedJson(manifest as unknown as Json)}\n`
}

const byName = (a: LibraryTemplate, b: LibraryTemplate): number =>
  compare(a.templateId, b.templateId) || compare(a.version, b.version) || compare(a.text, b.text)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
