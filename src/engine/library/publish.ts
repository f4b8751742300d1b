// Folder: Templates and labels in the record: published, listed, found, retired, removed.
// Publishes to a library. The decision uses the current state and is repeated when another writer commits first.

import type { Digest } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { type Decided, decidePublish, type KnownVersion, newestOf, type Publishing } from '../../core/library/decide.ts'
import { ACTIVE_LABEL, labelMovedDraft, libraryStream } from '../../core/library/events.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import type { EventDraft } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { activeVersionOf, isProtected } from './label-rows.ts'
import { type LibraryRow, takenVersions, type Writer } from './rows.ts'

/** Whether it had been done before, under the same idempotency key. */
export interface CommitOutcome {
  readonly replayed: boolean
}

/** Whether the newest version is the one that the caller saw. */
export type Precondition = (digest: Digest) => boolean

/** Decides on the current state and commits; decides again when another writer commits first. */
export async function commitDecided(
  store: Store,
  { tenant, libraryId, workspace, idempotency, commit = null }: Writer,
  objects: readonly Uint8Array[],
  decide: () => Promise<Decided>,
): Promise<CommitOutcome> {
  const stream = libraryStream(libraryId, workspace)
  for (;;) {
    const { seq } = await store.head(tenant, stream)
    const decided = await decide()
    if (!decided.ok) throw new Fault(decided.code, { problem: decided.message })
    // A request that changes nothing is answered once as well: its retry must not undo what others did meanwhile.
    if (decided.drafts.length === 0 && idempotency === undefined) return { replayed: false }
    try {
      const { replayed } = await store.commit({
        tenant,
        objects,
        appends:
          decided.drafts.length === 0 ? [] : [{ stream, expected: seq, entries: decided.drafts.map(draft => withCommit(draft, commit)) }],
        ...(idempotency ? { idempotency } : {}),
      })
      return { replayed: replayed !== null }
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}

const withCommit = (draft: EventDraft, commit: string | null): EventDraft =>
  commit === null ? draft : { ...draft, payload: { ...(draft.payload as JsonObject), commit } }

export interface PublishOptions extends Omit<Publishing, 'actor'> {
  readonly precondition?: Precondition | undefined
  /** By template, in the same commit. */
  readonly active?: ReadonlyMap<string, WantedActive>
}

/** Which version of a template is to be active after a commit. */
export interface WantedActive {
  readonly version: string
  /** Only where the template has no version yet. */
  readonly onlyFirst: boolean
  readonly why: string | null
}

/** The templates that packs compile to, and the versions that are to be active. */
export interface CompiledPacks {
  readonly templates: readonly LibraryTemplate[]
  readonly active: ReadonlyMap<string, WantedActive>
}

/** Where publishing now would have the label `active` point to, by template. A protected label stays where it is. */
export async function activeAfter(
  store: Store,
  writer: Writer,
  wanted: ReadonlyMap<string, WantedActive>,
): Promise<ReadonlyMap<string, WantedActive>> {
  const after = new Map<string, WantedActive>()
  if (wanted.size === 0 || (await isProtected(store, writer, ACTIVE_LABEL))) return after
  for (const [templateId, one] of wanted) if (!one.onlyFirst || (await isFirst(store, writer, templateId))) after.set(templateId, one)
  return after
}

/** The label `active` of each template, moved where it points elsewhere. */
async function activeDrafts(store: Store, writer: Writer, wanted: ReadonlyMap<string, WantedActive>): Promise<readonly EventDraft[]> {
  const drafts: EventDraft[] = []
  for (const [templateId, { version, why }] of await activeAfter(store, writer, wanted)) {
    const from = await activeVersionOf(store, writer, templateId)
    if (from === version) continue
    drafts.push(labelMovedDraft({ templateId, label: ACTIVE_LABEL, from: from ?? null, to: version, why }, writer.actor))
  }
  return drafts
}

const isFirst = async (store: Store, writer: Writer, templateId: string): Promise<boolean> =>
  (await takenVersions(store, writer, templateId)).every(({ removed }) => removed)

/** Templates that were removed took their label with them. When one comes again, its first version is active again. */
async function activeAgain(
  store: Store,
  writer: Writer,
  templates: readonly LibraryTemplate[],
): Promise<ReadonlyMap<string, WantedActive>> {
  const wanted = new Map<string, WantedActive>()
  for (const { templateId, version } of templates)
    if ((await activeVersionOf(store, writer, templateId)) === null)
      wanted.set(templateId, { version, onlyFirst: true, why: 'its first version since it was removed' })
  return wanted
}

/** All of them in one commit, or none. The host sets the source of a template, never the caller. */
export async function publishTemplates(
  store: Store,
  writer: Writer,
  templates: readonly LibraryTemplate[],
  { mode, origin, precondition, active = new Map() }: PublishOptions,
): Promise<CommitOutcome> {
  const stamped = templates.map(template => ({ ...template, meta: { ...template.meta, source: origin } }))
  const objects = stamped.map(template => new TextEncoder().encode(templateText(template)))
  return commitDecided(store, writer, objects, async () => {
    const drafts: EventDraft[] = []
    const added = new Map<string, KnownVersion[]>()
    for (const template of stamped) {
      const { templateId, version } = template
      const taken = await takenVersions(store, writer, templateId)
      const moved = unmet(templateId, taken, precondition)
      if (moved !== null) return moved
      const known = [...taken, ...(added.get(templateId) ?? [])]
      const decided = decidePublish(template, known, { mode, origin, actor: writer.actor })
      if (!decided.ok) return decided
      drafts.push(...decided.drafts)
      added.set(templateId, [...(added.get(templateId) ?? []), { version, origin, removed: false, retired: false }])
    }
    const wanted = new Map([...(await activeAgain(store, writer, stamped)), ...active])
    return { ok: true, drafts: [...drafts, ...(await activeDrafts(store, writer, wanted))] }
  })
}

/** Evaluated together with the decision, so that no other write can come in between. */
export function unmet(templateId: string, taken: readonly LibraryRow[], precondition: Precondition | undefined): Decided | null {
  const newest = newestOf(taken.filter(({ removed }) => !removed))
  if (precondition === undefined || newest === null || precondition(newest.digest)) return null
  return { ok: false, code: 'precondition_failed', message: `${templateId} is not the version that If-Match names` }
}
