// Publishing to a library and taking away from it: decided on what is there, and decided again when somebody was quicker.
import { type Decided, decidePublish, decideRemove, type KnownVersion, type Publishing } from '../../core/library/decide.ts'
import { libraryStream } from '../../core/library/events.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import type { EventDraft } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { isOwn, versionsOf, type Writer } from './rows.ts'

/** Decides on what is there and commits; when somebody was quicker, decides again. */
export async function commitDecided(
  store: Store,
  { tenant, libraryId, idempotency }: Writer,
  objects: readonly Uint8Array[],
  decide: () => Promise<Decided>,
): Promise<readonly EventDraft[]> {
  const stream = libraryStream(libraryId)
  for (;;) {
    const { seq } = await store.head(tenant, stream)
    const decided = await decide()
    if (!decided.ok) throw new Fault(decided.code, { problem: decided.message })
    if (decided.drafts.length === 0) return []
    try {
      await store.commit({
        tenant,
        objects,
        appends: [{ stream, expected: seq, entries: decided.drafts }],
        ...(idempotency ? { idempotency } : {}),
      })
      return decided.drafts
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}

/** All of them in one commit, or none. What was stored: the host says where a template comes from, never the caller. */
export async function publishTemplates(
  store: Store,
  writer: Writer,
  templates: readonly LibraryTemplate[],
  { mode, origin }: Omit<Publishing, 'actor'>,
): Promise<readonly LibraryTemplate[]> {
  const stamped = templates.map(template => ({ ...template, meta: { ...template.meta, source: origin } }))
  const objects = stamped.map(template => new TextEncoder().encode(templateText(template)))
  await commitDecided(store, writer, objects, async () => {
    const drafts: EventDraft[] = []
    const added = new Map<string, KnownVersion[]>()
    for (const template of stamped) {
      const { templateId, version } = template
      const known = [
        ...(await versionsOf(store, writer.tenant, templateId)).filter(row => isOwn(row, writer)),
        ...(added.get(templateId) ?? []),
      ]
      const decided = decidePublish(template, known, { mode, origin, actor: writer.actor })
      if (!decided.ok) return decided
      drafts.push(...decided.drafts)
      added.set(templateId, [...(added.get(templateId) ?? []), { version, origin, removed: false }])
    }
    return { ok: true, drafts }
  })
  return stamped
}

export async function removeTemplate(store: Store, writer: Writer, templateId: string): Promise<void> {
  await commitDecided(store, writer, [], async () => {
    const known = (await versionsOf(store, writer.tenant, templateId)).filter(row => isOwn(row, writer))
    return decideRemove(templateId, known, writer.actor)
  })
}
