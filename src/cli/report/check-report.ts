// What every format of `check` is made from. Formats only lay out: none of them judges, counts or reads files.
import type { Finding } from '../../core/lint/lint.ts'
import type { CheckSummary } from '../../engine/check.ts'

export interface CheckReport {
  readonly findings: readonly Finding[]
  /** File → text, for every file that could be read, clean ones too. */
  readonly sources: ReadonlyMap<string, string>
  readonly summary: CheckSummary
}

/** What is wrong and what to do about it, for formats with room for one text only. */
export const fullMessage = ({ message, suggestion }: Finding): string => (suggestion === undefined ? message : `${message}\n${suggestion}`)

/** Files keep the order in which they first appear, findings their order within a file. */
export function groupByFile(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const group = groups.get(finding.file)
    if (group === undefined) groups.set(finding.file, [finding])
    else group.push(finding)
  }
  return groups
}
