// Folder: Templates, the rules for publishing them, events and tables of the library. It does not know the store.
// The rules for publishing. (library, id, version) is written once and never changed; users can change only templates of users.
import semver, { SemVer } from 'semver'
import type { EventDraft } from '../record/event.ts'
import { ACTIVE_LABEL, type LabelMove, labelMovedDraft, publishedDraft, removedDraft, retiredDraft } from './events.ts'
import type { LibraryTemplate, TemplateOrigin } from './template.ts'

/** A version that exists, or did: a name that was used stays used. */
export interface KnownVersion {
  readonly version: string
  readonly origin: TemplateOrigin
  readonly removed: boolean
  readonly retired: boolean
}

export type LibraryRefusal =
  | 'template_exists'
  | 'template_invalid'
  | 'precondition_failed'
  | 'template_read_only'
  | 'version_not_greater'
  | 'prompt_template_not_found'
  | 'label_protected'
  | 'label_missing'
  | 'version_active'
  | 'version_retired'

export type Decided =
  | { readonly ok: true; readonly drafts: readonly EventDraft[] }
  | { readonly ok: false; readonly code: LibraryRefusal; readonly message: string }

const refuse = (code: LibraryRefusal, message: string): Decided => ({ ok: false, code, message })

const OWNERS: Readonly<Record<TemplateOrigin, string>> = {
  host: "is the host's own and cannot be changed",
  pack: 'came with a bundle and cannot be changed',
  user: 'is in use here already',
}

export interface Publishing {
  /** `create` adds a version; `raise` adds one that is greater than every other. */
  readonly mode: 'create' | 'raise'
  readonly origin: TemplateOrigin
  readonly actor: string
}

export function decidePublish(template: LibraryTemplate, versions: readonly KnownVersion[], { mode, origin, actor }: Publishing): Decided {
  const { templateId, version } = template
  // The pattern of versions admits 01.0.0, which has no precedence.
  if (semver.valid(version) === null) return refuse('template_invalid', `${version} is not a version of SemVer 2.0.0`)
  const present = versions.filter(({ removed }) => !removed)
  const foreign = versions.find(one => one.origin !== origin)
  if (foreign !== undefined) return refuse('template_read_only', `${templateId} ${OWNERS[foreign.origin]}; use another id`)
  if (mode === 'raise' && present.length === 0) return refuse('prompt_template_not_found', `there is no template ${templateId}`)
  const same = versions.find(one => one.version === version)
  if (same !== undefined)
    return refuse('template_exists', `${templateId}@${version} ${same.removed ? 'was used before' : 'exists'}; use another version`)
  const newest = newestOf(present)
  if (mode === 'raise' && newest !== null && semver.compare(version, newest.version) <= 0)
    return refuse('version_not_greater', `${version} is not greater than ${newest.version}`)
  return { ok: true, drafts: [publishedDraft({ ...template, meta: { ...template.meta, source: origin } }, actor)] }
}

/** A label that points to a version that is to be removed. */
export interface PointingLabel {
  readonly label: string
  readonly version: string
  readonly protected: boolean
}

export interface Removing {
  readonly actor: string
  readonly labels?: readonly PointingLabel[]
  readonly mayMoveProtected?: boolean
}

/** Removes its labels as well: no label may point to a missing version. */
export function decideRemove(templateId: string, existing: readonly KnownVersion[], removing: Removing): Decided {
  const { actor, labels = [], mayMoveProtected = false } = removing
  const present = existing.filter(({ removed }) => !removed)
  if (present.length === 0) return refuse('prompt_template_not_found', `there is no template ${templateId}`)
  const foreign = present.find(({ origin }) => origin !== 'user')
  if (foreign !== undefined) return refuse('template_read_only', `${templateId} ${OWNERS[foreign.origin]}`)
  const held = mayMoveProtected ? undefined : labels.find(one => one.protected)
  if (held !== undefined) return refuse('label_protected', `label ${held.label} of ${templateId} is protected`)
  const versions = present.map(({ version }) => version)
  const moves = labels.map(({ label, version: from }) => ({ templateId, label, from, to: null, why: 'the template was removed' }))
  return { ok: true, drafts: [removedDraft(templateId, versions, actor), ...moves.map(move => labelMovedDraft(move, actor))] }
}

export interface LabelRequest extends LabelMove {
  readonly protected: boolean
  /** Whether the caller may move protected labels. */
  readonly mayMoveProtected: boolean
}

export function decideLabel(request: LabelRequest, versions: readonly KnownVersion[], actor: string): Decided {
  const { templateId, label, from, to, why } = request
  if (to === null && from === null) return refuse('label_missing', `${templateId} has no label ${label}`)
  if (to !== null && !versions.some(({ version, removed }) => version === to && !removed))
    return refuse('prompt_template_not_found', `there is no ${templateId}@${to}`)
  if (to !== null && label === ACTIVE_LABEL && versions.some(({ version, retired }) => version === to && retired))
    return refuse('version_retired', `${templateId}@${to} is retired; refs may name it, but it cannot be activated`)
  if (request.protected && from !== to && !request.mayMoveProtected) return refuse('label_protected', `label ${label} is protected`)
  return { ok: true, drafts: from === to ? [] : [labelMovedDraft({ templateId, label, from, to, why }, actor)] }
}

/** Retires a version: it stays readable by its name, and is never used without being named. */
export function decideRetire(
  { templateId, version }: { readonly templateId: string; readonly version: string },
  { known, active, actor }: { readonly known: readonly KnownVersion[]; readonly active: string | null; readonly actor: string },
): Decided {
  const match = known.find(one => one.version === version && !one.removed)
  if (match === undefined) return refuse('prompt_template_not_found', `there is no ${templateId}@${version}`)
  if (active === version) return refuse('version_active', `${templateId}@${version} is active; activate another version first`)
  return { ok: true, drafts: match.retired ? [] : [retiredDraft(templateId, version, actor)] }
}

/** The newest release, and a pre-release only where there is no release. */
export const latestOf = <V extends { readonly version: string }>(versions: readonly V[]): V | null =>
  newestOf(versions.filter(({ version }) => semver.prerelease(version) === null)) ?? newestOf(versions)

/** By SemVer precedence; of equals, the one that came last. */
export function newestOf<V extends { readonly version: string }>(versions: readonly V[]): V | null {
  return versions.reduce<V | null>((best, one) => (best === null || parsed(one).compare(parsed(best)) >= 0 ? one : best), null)
}

const parsedVersions = new WeakMap<object, SemVer>()

/** Reading a version takes longer than all else that is done with it, and the same ones are compared again and again. */
function parsed(one: { readonly version: string }): SemVer {
  const parsed = parsedVersions.get(one) ?? new SemVer(one.version)
  parsedVersions.set(one, parsed)
  return parsed
}
