// `check --format github`: workflow commands, which GitHub Actions turns into annotations on the changed lines.
import type { Finding } from '../../core/lint/lint.ts'
import { type CheckReport, fullMessage } from './check-report.ts'

const COMMAND: Readonly<Record<Finding['severity'], string>> = { error: 'error', warning: 'warning', info: 'notice' }

/** Empty without findings. */
export const checkToGithub = ({ findings }: CheckReport): string => findings.map(finding => `${commandOf(finding)}\n`).join('')

function commandOf(finding: Finding): string {
  const { file, line, column, endLine, endColumn, rule } = finding
  const properties = Object.entries({ file, line, col: column, endLine, endColumn, title: rule })
  const placed = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',')
  return `::${COMMAND[finding.severity]} ${placed}::${escapeText(fullMessage(finding))}`
}

// The percent sign first, because it escapes the others.
const escapeText = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
