// Removes a template, with the labels that point to it.
import { decideRemove } from '../../core/library/decide.ts'
import type { Store } from '../../ports.ts'
import { isProtected } from './label-rows.ts'
import { labelsOf } from './labels.ts'
import { type CommitOutcome, commitDecided, type Precondition, unmet } from './publish.ts'
import { takenVersions, type Writer } from './rows.ts'

export interface Removal {
  readonly templateId: string
  readonly mayMoveProtected: boolean
  readonly precondition?: Precondition | undefined
}

export function removeTemplate(store: Store, writer: Writer, removal: Removal): Promise<CommitOutcome> {
  const { templateId, mayMoveProtected, precondition } = removal
  return commitDecided(store, writer, [], async () => {
    const taken = await takenVersions(store, writer, templateId)
    const labels = await Promise.all(
      (await labelsOf(store, writer, templateId)).map(async ({ label, version }) => ({
        label,
        version,
        protected: await isProtected(store, writer, label),
      })),
    )
    const { actor } = writer
    return unmet(templateId, taken, precondition) ?? decideRemove(templateId, taken, { actor, labels, mayMoveProtected })
  })
}
