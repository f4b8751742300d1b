// Writes down what the host says now, for when it cannot be asked.
import type { PromptTemplate } from '../wire/onbook/prompts.ts'
import type { Snapshot } from '../wire/onbook/snapshot.ts'
import type { Prompts } from './calls/prompts.ts'
import { clientError } from './client-error.ts'
import type { RefParts } from './ref.ts'
import type { CallOptions } from './transport.ts'

export async function takeSnapshot(prompts: Prompts, refs: readonly RefParts[], options: CallOptions): Promise<Snapshot> {
  const takenAt = new Date().toISOString()
  const templates = new Map<string, PromptTemplate>()
  const labels = new Map<string, Snapshot['labels'][number]>()
  for (const ref of refs) {
    if (ref.libraryId !== undefined) throw clientError('ref_invalid', 'A snapshot has no libraries: name no libraryId.')
    const { template, ref: pinned } = await prompts.get(ref, { ...options, maxAgeMs: 0, staleIfErrorMs: 0 })
    const { templateId, label } = ref
    templates.set(pinned, template)
    if (label !== undefined) labels.set(`${templateId} ${label}`, { templateId, label, version: template.version })
  }
  return { takenAt, templates: [...templates.values()], labels: [...labels.values()] }
}
