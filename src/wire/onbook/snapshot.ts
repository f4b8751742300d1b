// Prompts in a file, for when no host can be asked. Plain JSON.
import type { PromptTemplate } from './prompts.ts'

export interface Snapshot {
  /** When the host was asked. Without it nobody can say how old an answer from this is. */
  readonly takenAt?: string
  readonly templates: readonly PromptTemplate[]
  readonly labels: readonly { readonly templateId: string; readonly label: string; readonly version: string }[]
}
