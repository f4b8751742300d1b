// What every format of `test` is made from.
import type { CaseResult } from '../../engine/run-example.ts'
import type { TestSummary } from '../../engine/test-packs.ts'

export interface TestReport {
  readonly cases: readonly CaseResult[]
  readonly summary: TestSummary
}

/** Packs keep the order in which they first appear. */
export function groupByPack(cases: readonly CaseResult[]): ReadonlyMap<string, readonly CaseResult[]> {
  const groups = new Map<string, CaseResult[]>()
  for (const result of cases) {
    const group = groups.get(result.pack)
    if (group === undefined) groups.set(result.pack, [result])
    else group.push(result)
  }
  return groups
}
