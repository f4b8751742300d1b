// `check` for people: the place, the message, the line with a caret, the suggestion; and a summary as the last line.
import picocolors from 'picocolors'
import type { Finding } from '../../core/lint/lint.ts'
import type { WorkflowShare } from '../../core/lint/workflow-share.ts'
import type { CheckSummary } from '../../engine/packs/check.ts'
import type { CheckReport } from './check-report.ts'
import { codeFrame } from './code-frame.ts'
import { groupBy } from './groups.ts'
import { clip, visible, visibleLines } from './visible.ts'

export interface PrintCheckOptions {
  readonly color: boolean
}

type Colors = ReturnType<typeof picocolors.createColors>

export function printCheck(report: CheckReport, { color }: PrintCheckOptions): string {
  const colors = picocolors.createColors(color)
  const blocks = [...groupBy(report.findings, finding => finding.file)].flatMap(([file, findings]) => {
    const lines = report.sources.get(file)?.split('\n') ?? []
    return findings.map(finding => printFinding(finding, lines, colors))
  })
  const fixable = report.findings.filter(finding => finding.fix !== undefined).length
  const closing = [
    ...(fixable === 0 ? [] : [colors.dim(`${fixable} of these can be fixed for you: run check again with --fix.`)]),
    ...report.shares.map(share => colors.dim(visible(shareLine(share)))),
    summaryLine(report.summary, colors),
  ]
  return [...blocks, `${closing.join('\n')}\n`].join('\n')
}

function shareLine({ file, compose, own }: WorkflowShare): string {
  const bytes = own.bytes.toLocaleString('en-US')
  const tokens = own.estimatedTokens.toLocaleString('en-US')
  const added = own.bytes === 0 ? 'nothing' : `up to ${bytes} bytes, about ${tokens} tokens (an estimate: 4 bytes each)`
  return `${file}: compose ${compose}; Onbook adds ${added} to a prompt.`
}

function printFinding(finding: Finding, lines: readonly string[], colors: Colors): string {
  const { file, line, column, severity, rule, message, suggestion } = finding
  const paint = severity === 'error' ? colors.red : severity === 'warning' ? colors.yellow : colors.blue
  const frame = codeFrame(lines, finding).map(({ gutter, text, kind }) => {
    const body = kind === 'before' ? colors.dim(text) : kind === 'caret' ? paint(text) : text
    return `${colors.dim(`  ${gutter} |`)} ${body}`.trimEnd()
  })
  return [
    `${colors.bold(visible(file))}:${line}:${column}  ${paint(severity)}  ${colors.dim(visible(rule))}`,
    ...indented(message),
    ...frame,
    ...(suggestion === undefined ? [] : indented(suggestion).map(colors.cyan)),
    '',
  ].join('\n')
}

const indented = (text: string): readonly string[] => visibleLines(clip(text)).map(line => `  ${line}`.trimEnd())

function summaryLine({ files, errors, warnings, infos }: CheckSummary, colors: Colors): string {
  const counts = [count(errors, 'error'), count(warnings, 'warning'), count(infos, 'info')].filter(text => text !== '')
  if (files === 0 && counts.length === 0) return colors.yellow('Nothing found that could be checked.')
  const paint = errors > 0 ? colors.red : warnings > 0 ? colors.yellow : colors.green
  return paint(`${files} ${files === 1 ? 'file' : 'files'} checked: ${counts.length === 0 ? 'no problems' : counts.join(', ')}.`)
}

const count = (number: number, noun: string): string => (number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`)
