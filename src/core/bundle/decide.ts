// Decides whether a bundle can be installed beside the existing content, and what that adds. A version is written once, of
// a bundle as of a template.
import semver from 'semver'
import type { Digest } from '../digest/digest.ts'
import { publishedDraft } from '../library/events.ts'
import { type LibraryTemplate, templateDigest } from '../library/template.ts'
import type { Signature } from '../record/checkpoint.ts'
import type { EventDraft } from '../record/event.ts'
import { pinnedText } from '../resolve/prompt-ref.ts'
import { type BundleInstalled, bundleInstalledDraft } from './events.ts'
import { type BundleManifest, type BundleProblem, bundleProblem } from './manifest.ts'
import { withContextDeclared } from './template-problems.ts'

export interface InstalledVersion {
  readonly name: string
  readonly version: string
  readonly manifest: Digest
}

export interface Installing {
  readonly manifest: BundleManifest
  /** The digest of the bytes of pack.json. */
  readonly digest: Digest
  readonly signature: Signature | null
  readonly actor: string
}

/** The existing content. */
export interface Ground {
  /** Every bundle that the tenant can see. */
  readonly bundles: readonly InstalledVersion[]
  /** The templates of this bundle's library. */
  readonly templates: readonly LibraryTemplate[]
}

export interface InstallDecision {
  readonly problems: readonly BundleProblem[]
  /** Installed before, byte for byte. */
  readonly unchanged: boolean
  readonly fresh: readonly LibraryTemplate[]
  readonly kept: readonly LibraryTemplate[]
  readonly drafts: readonly EventDraft[]
}

export function decideInstall({ manifest, digest, signature, actor }: Installing, { bundles, templates }: Ground): InstallDecision {
  const { name, version, prompts, dependencies = {} } = manifest
  const same = bundles.find(one => one.name === name && one.version === version)
  const there = new Map(templates.map(template => [refOf(template), template]))
  const existing = prompts.filter(prompt => there.has(refOf(prompt)))
  const fresh = prompts.filter(prompt => !there.has(refOf(prompt))).map(prompt => asInstalled(manifest, prompt))
  if (same?.manifest === digest) return { problems: [], unchanged: true, fresh: [], kept: existing, drafts: [] }

  const answered = Object.entries(dependencies).map(([needed, range]) => ({
    name: needed,
    range,
    version: semver.maxSatisfying(versionsOf(needed, bundles), range),
  }))
  const problems = [
    ...(same === undefined ? [] : [bundleProblem('bundle_exists', `${name} ${version} is installed with other bytes (${same.manifest})`)]),
    ...answered.filter(one => one.version === null).map(({ name, range }) => unresolvable(name, range, versionsOf(name, bundles))),
    ...existing.filter(prompt => !isSame(manifest, prompt, there.get(refOf(prompt))!)).map(rewritten),
  ]
  const installed: BundleInstalled = {
    name,
    version,
    manifest: digest,
    key: signature?.key ?? null,
    signature: signature?.signature ?? null,
    dependencies: answered.flatMap(one => (one.version === null ? [] : [{ ...one, version: one.version }])),
    templates: prompts.length,
    added: fresh.length,
  }
  const drafts = [...fresh.map(template => publishedDraft(template, actor)), bundleInstalledDraft(installed, actor)]
  return { problems, unchanged: false, fresh, kept: existing, drafts: problems.length === 0 ? drafts : [] }
}

/** The form in the library: it names the bundle that was installed, even when the bundle claims another. */
const asInstalled = ({ name, version }: Pick<BundleManifest, 'name' | 'version'>, template: LibraryTemplate): LibraryTemplate => ({
  ...withContextDeclared(template),
  meta: { ...template.meta, source: 'pack', packName: name, packVersion: version },
})

/** It came with another version of the bundle; but for that, every byte. */
const isSame = ({ name }: BundleManifest, template: LibraryTemplate, there: LibraryTemplate): boolean =>
  templateDigest(asInstalled({ name, version: there.meta?.packVersion ?? '' }, template)) === templateDigest(there)

const refOf = ({ templateId, version }: LibraryTemplate): string => pinnedText(templateId, version)

const versionsOf = (name: string, bundles: readonly InstalledVersion[]): string[] =>
  bundles.filter(one => one.name === name).map(({ version }) => version)

const rewritten = (template: LibraryTemplate): BundleProblem =>
  bundleProblem('template_exists', `${refOf(template)} is installed with other content; use another version`)

const unresolvable = (name: string, range: string, there: readonly string[]): BundleProblem =>
  bundleProblem(
    'prompt_pack_dependency_unresolvable',
    `it needs ${name} ${range}; ${there.length === 0 ? 'none is installed' : `installed is ${there.join(', ')}`}`,
  )
