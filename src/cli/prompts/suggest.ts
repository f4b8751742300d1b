// Suggests names for typos: a label that the prompt has never had, a prompt that does not exist.
import type { Book } from '../../book.ts'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { nearest } from '../../core/pack/nearest.ts'
import { Fault } from '../../errors.ts'

/** Refuses a label that the prompt has never had: a mistyped name would look like a release. */
export async function checkLabelKnown({ labels }: Book, templateId: string, label: string): Promise<void> {
  const known = new Set<string>([ACTIVE_LABEL, ...(await labels.history(templateId)).map(move => move.label)])
  if (!known.has(label)) throw new Fault('label_unknown', { templateId, label, meant: nearest(label, known) })
}

/** Adds the nearest prompt id to an error about a missing prompt. @param ids the existing prompts */
export async function withSuggestion<T>(templateId: string, ids: () => AsyncIterable<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'prompt_template_not_found') throw error
    const known = new Set<string>()
    for await (const id of ids()) known.add(id)
    const meant = known.has(templateId) ? null : nearest(templateId, known)
    if (meant === null) throw error
    throw new Fault('prompt_template_not_found', { problem: `there is no template ${templateId}; the nearest name is ${meant}` })
  }
}

export async function* promptIds({ prompts }: Book): AsyncIterable<string> {
  for await (const { templateId } of prompts.list()) yield templateId
}
