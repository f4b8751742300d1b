// Publishing to a library: decided on what is there, and decided again when somebody was quicker.

import type { Digest } from '../../core/digest/digest.ts'
import { type Decided, decidePublish, type KnownVersion, newestOf, type Publishing } from '../../core/library/decide.ts'
import { libraryStream } from '../../core/library/events.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import type { EventDraft } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { type LibraryRow, takenVersions, type Writer } from './rows.ts'

/** Whether it had been done before, under the same idempotency key. */
export interface CommitOutcome {
  readonly replayed: boolean
}

/** Whether what is newest now is what the caller saw. */
export type Precondition = (digest: Digest) => boolean

/** Decides on what is there and commits; when somebody was quicker, decides again. */
export async function commitDecided(
  store: Store,
  { tenant, libraryId, workspace, idempotency }: Writer,
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
        appends: decided.drafts.length === 0 ? [] : [{ stream, expected: seq, entries: decided.drafts }],
        ...(idempotency ? { idempotency } : {}),
      })
      return { replayed: replayed !== null }
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}

/** All of them in one commit, or none. The host says where a template comes from, never the caller. */
export async function publishTemplates(
  store: Store,
  writer: Writer,
  templates: readonly LibraryTemplate[],
  { mode, origin, precondition }: Omit<Publishing, 'actor'> & { readonly precondition?: Precondition | undefined },
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
      added.set(templateId, [...(added.get(templateId) ?? []), { version, origin, removed: false }])
    }
    return { ok: true, drafts }
  })
}

/** Asked together with the decision, so that nobody can come in between. */
export function unmet(templateId: string, taken: readonly LibraryRow[], precondition: Precondition | undefined): Decided | null {
  const newest = newestOf(taken.filter(({ removed }) => !removed))
  if (precondition === undefined || newest === null || precondition(newest.digest)) return null
  return { ok: false, code: 'precondition_failed', message: `${templateId} is not the version that If-Match names` }
}
