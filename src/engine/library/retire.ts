// Retires a version of templates: it stays readable by its name, and never becomes active again.
import { decideRetire } from '../../core/library/decide.ts'
import type { EventDraft } from '../../core/record/event.ts'
import type { Store } from '../../ports.ts'
import { activeVersionOf } from './label-rows.ts'
import { type CommitOutcome, commitDecided } from './publish.ts'
import { takenVersions, type Writer } from './rows.ts'

/** All of them in one commit, or none. Templates that do not have the version are left out. */
export function retireTemplates(store: Store, writer: Writer, templateIds: readonly string[], version: string): Promise<CommitOutcome> {
  return commitDecided(store, writer, [], async () => {
    const drafts: EventDraft[] = []
    for (const templateId of templateIds) {
      const known = await takenVersions(store, writer, templateId)
      if (!known.some(one => one.version === version && !one.removed)) continue
      const active = (await activeVersionOf(store, writer, templateId)) ?? null
      const decided = decideRetire({ templateId, version }, { known, active, actor: writer.actor })
      if (!decided.ok) return decided
      drafts.push(...decided.drafts)
    }
    return { ok: true, drafts }
  })
}
