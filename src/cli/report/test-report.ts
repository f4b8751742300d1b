// What every format of `test` is made from.
import type { CaseResult } from '../../engine/packs/run-example.ts'
import type { TestSummary } from '../../engine/packs/test-packs.ts'

export interface TestReport {
  readonly cases: readonly CaseResult[]
  readonly summary: TestSummary
}
