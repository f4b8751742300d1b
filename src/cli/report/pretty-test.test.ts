// Tests the report of `test` for people.
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyTestReport, sampleTest, testReportOf } from '../../testing/arbitraries/sample-reports.ts'
import { expectGolden } from '../../testing/golden.ts'
import { printTest } from './pretty-test.ts'

it('prints cases for people', () => expectGolden('report/test', printTest(sampleTest, { color: false, ms: 412 })))

it('says so when there are no tests', () => {
  const bare = testReportOf(sampleTest.cases.filter(result => result.pack.includes('bare')))
  expectGolden('report/test-none', printTest(bare, { color: false }))
  expect(printTest(testReportOf([]), { color: false })).toBe('No tests: no packs found.\nExamples: 0 pass, 0 fail, 0 skip, 0 error.\n')
})

it('says the same in colour', () => {
  const colored = printTest(sampleTest, { color: true })
  expect(colored).toContain('\u001b[32m+  "tone": "cold ␛[31m"')
  expect(stripVTControlCharacters(colored)).toBe(printTest(sampleTest, { color: false }))
})

it('is not buried by a reply of megabytes', () => {
  const [base] = sampleTest.cases
  const problems = Array.from({ length: 500 }, () => ({ code: 'output_differs', message: 'x'.repeat(100_000) }))
  const text = printTest(testReportOf([{ ...base!, status: 'fail', problems, diff: '+y\n'.repeat(10_000) }]), { color: false })
  expect(text).toContain('480 more lines')
  expect(text.length).toBeLessThan(30_000)
})

it('lets nothing through that a terminal would act on, and never ends like a test runner, whatever the report', () => {
  fc.assert(
    fc.property(anyTestReport, report => {
      const text = printTest(report, { color: false, ms: 1 })
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u2028\u2029]/u)
      expect(text).toMatch(/^Examples: \d+ pass, \d+ fail, \d+ skip, \d+ error \(0\.0 s\)\.\n$/m)
      expect(text).not.toMatch(/^\d+ passed, \d+ failed/m)
    }),
  )
})
