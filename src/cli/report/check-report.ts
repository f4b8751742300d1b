// The data that every format of `check` prints. Formats only lay out: none of them judges, counts or reads files.
import type { Finding } from '../../core/lint/lint.ts'
import type { WorkflowShare } from '../../core/lint/workflow-share.ts'
import type { CheckSummary } from '../../engine/packs/check.ts'

export interface CheckReport {
  readonly findings: readonly Finding[]
  /** File → text, for every file that could be read, including files without findings. */
  readonly sources: ReadonlyMap<string, string>
  /** The text that Onbook adds to the prompts of each checked workflow. */
  readonly shares: readonly WorkflowShare[]
  readonly summary: CheckSummary
}

/** The message with the suggestion, for formats with one text field. */
export const fullMessage = ({ message, suggestion }: Finding): string => (suggestion === undefined ? message : `${message}\n${suggestion}`)
