// `check --format json`: a contract with scripts. Fields may be added, never renamed; internals stay out.
import { jsonFile } from '../../core/digest/indented-json.ts'
import type { Finding } from '../../core/lint/lint.ts'
import type { CheckReport } from './check-report.ts'

export function checkToJson({ findings, shares, summary }: CheckReport): string {
  const { files, errors, warnings, infos } = summary
  return jsonFile({ findings: findings.map(publicFinding), summary: { files, errors, warnings, infos }, workflows: shares })
}

const publicFinding = ({ file, rule, severity, message, line, column, endLine, endColumn, suggestion, fix }: Finding) => ({
  file,
  rule,
  severity,
  message,
  line,
  column,
  endLine,
  endColumn,
  ...(suggestion === undefined ? {} : { suggestion }),
  fixable: fix !== undefined,
})
