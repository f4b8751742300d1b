// `test` for people: one line for each case, its problems below, and a summary as the last line.
import picocolors from 'picocolors'
import type { CaseResult, CaseStatus } from '../../engine/packs/run-example.ts'
import type { TestSummary } from '../../engine/packs/test-packs.ts'
import { groupBy } from './groups.ts'
import type { TestReport } from './test-report.ts'
import { clip, visible, visibleLines } from './visible.ts'

export interface PrintTestOptions {
  readonly color: boolean
  /** The total duration. Cases run concurrently, so their times do not add up to it. */
  readonly ms?: number
}

type Colors = ReturnType<typeof picocolors.createColors>

const MARK: Readonly<Record<CaseStatus, string>> = { pass: '✓', fail: '✗', skip: '–', error: '!' }
/** The report is cut here; the JSON format is complete. */
const MOST_PROBLEMS = 20
const MOST_DIFF_LINES = 80

export function printTest({ cases, summary }: TestReport, { color, ms }: PrintTestOptions): string {
  const colors = picocolors.createColors(color)
  const models = [...new Set(cases.flatMap(result => result.model ?? []))]
  const packs = [...groupBy(cases, result => result.pack)].map(([pack, results]) =>
    [colors.bold(visible(pack)), ...results.flatMap(result => printCase(result, colors)), ''].join('\n'),
  )
  const ran = summary.pass + summary.fail + summary.error
  return [
    ...(models.length === 0 || ran === 0 ? [] : [`${colors.dim(`Model: ${models.map(visible).join(', ')}`)}\n`]),
    ...packs,
    ...(ran === 0 ? [colors.yellow(cases.length === 0 ? 'No tests: no packs found.' : 'No tests were run.')] : []),
    `${summaryLine(summary, ms, colors)}\n`,
  ].join('\n')
}

function printCase(result: CaseResult, colors: Colors): readonly string[] {
  const { example, status, problems, diff, note, ms } = result
  const paint = { pass: colors.green, fail: colors.red, skip: colors.yellow, error: colors.red }[status]
  const remark = note === 'no-expectation' ? colors.dim('  (expects nothing: only the output schema was checked)') : ''
  // Nothing ran, so there is neither a name nor a time: the message is the line.
  const [only, ...others] = problems
  if (example === null && only !== undefined && others.length === 0) return [`  ${paint(MARK[status])} ${oneLine(only.message)}`]
  return [
    `  ${paint(MARK[status])} ${visible(example ?? 'the pack as a whole')}${status === 'skip' || example === null ? '' : `  ${colors.dim(duration(ms))}`}${remark}`,
    ...atMost(
      MOST_PROBLEMS,
      problems.flatMap(({ message }) => visibleLines(clip(message))),
      'lines',
    ).map(line => `      ${line}`.trimEnd()),
    ...(diff === undefined ? [] : printDiff(diff, colors)),
  ]
}

const oneLine = (text: string): string => visible(clip(text))

function printDiff(diff: string, colors: Colors): readonly string[] {
  return atMost(MOST_DIFF_LINES, diff.split('\n'), 'lines of the diff').map(line => {
    const [shown = ''] = visibleLines(clip(line, 300))
    return `      ${diffColor(shown, colors)(shown)}`.trimEnd()
  })
}

function diffColor(line: string, colors: Colors): (text: string) => string {
  if (line.startsWith('---') || line.startsWith('+++')) return colors.bold
  if (line.startsWith('@@')) return colors.cyan
  return line.startsWith('+') ? colors.green : line.startsWith('-') ? colors.red : colors.dim
}

const atMost = (most: number, lines: readonly string[], what: string): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… ${lines.length - most} more ${what}: see --format json`]

// Not "1 passed, 1 failed": CI that looks for the test runner's own last line would match ours.
function summaryLine({ pass, fail, skip, error }: TestSummary, ms: number | undefined, colors: Colors): string {
  const paint = fail + error > 0 ? colors.red : pass > 0 ? colors.green : colors.yellow
  const took = ms === undefined ? '' : ` (${(ms / 1000).toFixed(1)} s)`
  return paint(`Examples: ${pass} pass, ${fail} fail, ${skip} skip, ${error} error${took}.`)
}

const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)
