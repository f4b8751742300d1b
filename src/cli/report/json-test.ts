// `test --format json`: a contract that scripts depend on. Fields may be added here, never renamed.
import type { CaseResult } from '../../engine/run-example.ts'
import type { TestReport } from './test-report.ts'

export function testToJson({ cases, summary }: TestReport): string {
  const { pass, fail, skip, error } = summary
  return `${JSON.stringify({ cases: cases.map(publicCase), summary: { pass, fail, skip, error } }, null, 2)}\n`
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
