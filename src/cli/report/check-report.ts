// What every format of `check` is made from. Formats only lay out: none of them judges, counts or reads files.
import type { Finding } from '../../core/lint/lint.ts'
import type { WorkflowShare } from '../../core/lint/workflow-share.ts'
import type { CheckSummary } from '../../engine/packs/check.ts'

export interface CheckReport {
  readonly findings: readonly Finding[]
  /** File → text, for every file that could be read, clean ones too. */
  readonly sources: ReadonlyMap<string, string>
  /** What Onbook adds to the prompts of each workflow that was checked. */
  readonly shares: readonly WorkflowShare[]
  readonly summary: CheckSummary
}

/** What is wrong and what to do about it, for formats with room for one text only. */
export const fullMessage = ({ message, suggestion }: Finding): string => (suggestion === undefined ? message : `${message}\n${suggestion}`)
