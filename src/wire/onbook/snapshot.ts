// The type of a snapshot file: prompts and labels for use without a host. Plain JSON.
import type { PromptTemplate } from './prompts.ts'

export interface Snapshot {
  /** The time of the request to the host. Without it, the age of an answer from this file is unknown. */
  readonly takenAt?: string
  readonly templates: readonly PromptTemplate[]
  readonly labels: readonly { readonly templateId: string; readonly label: string; readonly version: string }[]
}
