// Tests the workflow commands for GitHub Actions, read back as the runner does.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCheckReport, checkReportOf, findingOf } from '../../testing/arbitraries/sample-reports.ts'
import { fullMessage } from './check-report.ts'
import { checkToGithub } from './github.ts'

it('is one command a finding', () => {
  const place = { line: 2, column: 3, endLine: 2, endColumn: 9 }
  const report = checkReportOf([
    findingOf({ ...place, file: 'a.yaml', suggestion: 'Declare it.' }),
    findingOf({ ...place, file: 'a,b:c.yaml', severity: 'warning', message: '100% of a: b, c\r\nnext' }),
    findingOf({ ...place, file: 'a.yaml', severity: 'info', message: 'fine' }),
  ])
  expect(checkToGithub(report)).toBe(
    [
      '::error file=a.yaml,line=2,col=3,endLine=2,endColumn=9,title=no-undefined-variables::"hwo" is used but not declared%0ADeclare it.',
      '::warning file=a%2Cb%3Ac.yaml,line=2,col=3,endLine=2,endColumn=9,title=no-undefined-variables::100%25 of a: b, c%0D%0Anext',
      '::notice file=a.yaml,line=2,col=3,endLine=2,endColumn=9,title=no-undefined-variables::fine',
      '',
    ].join('\n'),
  )
})

it('is empty when there is nothing to say', () => expect(checkToGithub(checkReportOf([]))).toBe(''))

/** Parses a line of output as the runner does (actions/runner, ActionCommand.TryParseV2). */
function readCommand(line: string) {
  const unescapeText = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
  const unescapeProperty = (text: string) =>
    text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%25', '%')
  const end = line.indexOf('::', 2)
  const [command, ...rest] = line.slice(2, end).split(' ')
  const pairs = rest.join(' ').split(',')
  const entries = pairs.map(pair => [pair.slice(0, pair.indexOf('=')), unescapeProperty(pair.slice(pair.indexOf('=') + 1))])
  return { command, properties: Object.fromEntries(entries) as Record<string, string>, text: unescapeText(line.slice(end + 2)) }
}

it('reads back as it was, whatever the report says', () => {
  fc.assert(
    fc.property(anyCheckReport, report => {
      const lines = checkToGithub(report).split('\n').slice(0, -1)
      expect(lines.length).toBe(report.findings.length)
      for (const [index, finding] of report.findings.entries()) {
        const { properties, text } = readCommand(lines[index]!)
        expect(properties).toMatchObject({
          file: finding.file,
          line: String(finding.line),
          col: String(finding.column),
          title: finding.rule,
        })
        expect(text).toBe(fullMessage(finding))
      }
    }),
  )
})
