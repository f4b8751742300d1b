// Tests the report of `check` for people.
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCheckReport, checkReportOf, findingOf, sampleCheck } from '../../testing/arbitraries/sample-reports.ts'
import { expectGolden } from '../../testing/golden.ts'
import { printCheck } from './pretty-check.ts'

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

it('prints findings for people', () => expectGolden('report/check', printCheck(sampleCheck, { color: false })))
it('says the same in colour', () => {
  const colored = printCheck(sampleCheck, { color: true })
  expect(colored).toContain('\u001b[31m')
  expect(stripVTControlCharacters(colored)).toBe(printCheck(sampleCheck, { color: false }))
})

it.each([
  [3, [], '3 files checked: no problems.'],
  [1, [], '1 file checked: no problems.'],
  [0, [], 'Nothing found that could be checked.'],
  [0, ['error'], '0 files checked: 1 error.'],
  [3, ['error', 'warning', 'warning', 'info'], '3 files checked: 1 error, 2 warnings, 1 info.'],
  [2, ['info', 'info'], '2 files checked: 2 infos.'],
] as const)('sums up %i packs with %j', (files, severities, line) => {
  const report = checkReportOf(
    severities.map(severity => findingOf({ severity })),
    {},
    files,
  )
  expect(lastLine(printCheck(report, { color: false }))).toBe(line)
})

it('keeps the findings of one file together', () => {
  const report = checkReportOf([findingOf({ file: 'b' }), findingOf({ file: 'a' }), findingOf({ file: 'b', line: 2 })])
  const heads = printCheck(report, { color: false }).match(/^\w:\d+/gm)
  expect(heads).toEqual(['b:1', 'b:2', 'a:1'])
})

it('lets nothing through that a terminal would act on, whatever the report', () => {
  fc.assert(
    fc.property(anyCheckReport, report => {
      const text = printCheck(report, { color: false })
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u2028\u2029]/u)
      expect(text.endsWith('.\n')).toBe(true)
    }),
  )
})
