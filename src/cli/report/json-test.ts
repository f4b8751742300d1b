// `test --format json`: a contract with scripts. Fields may be added, never renamed.
import { jsonFile } from '../../core/digest/indented-json.ts'
import type { CaseResult } from '../../engine/packs/run-example.ts'
import type { TestReport } from './test-report.ts'

export function testToJson({ cases, summary }: TestReport): string {
  const { pass, fail, skip, error } = summary
  return jsonFile({ cases: cases.map(publicCase), summary: { pass, fail, skip, error } })
}

const publicCase = ({ pack, example, status, problems, ms, model, note, differences, diff }: CaseResult) => ({
  pack,
  example,
  status,
  problems: problems.map(({ code, message, pointer }) => ({ code, message, ...(pointer === undefined ? {} : { pointer }) })),
  ms,
  ...(model === undefined ? {} : { model }),
  ...(note === undefined ? {} : { note }),
  ...(differences === undefined ? {} : { differences }),
  ...(diff === undefined ? {} : { diff }),
})
