// The data that every format of `test` prints.
import type { CaseResult } from '../../engine/packs/run-example.ts'
import type { TestSummary } from '../../engine/packs/test-packs.ts'

export interface TestReport {
  readonly cases: readonly CaseResult[]
  readonly summary: TestSummary
}
