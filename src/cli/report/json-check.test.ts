// Pins the JSON report of `check`, a contract with scripts.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCheckReport, checkReportOf, findingOf } from '../../testing/arbitraries/sample-reports.ts'
import { checkToJson } from './json-check.ts'

it('is the contract, and nothing of the inside', () => {
  const plain = findingOf({ line: 6, column: 9, endLine: 6, endColumn: 16 })
  const fixable = findingOf({ severity: 'info', suggestion: 'Quote it.', fix: { pointer: ['version'], value: '1.0' } })
  const { fix, ...withoutFix } = fixable
  expect(fix).toBeDefined()
  expect(JSON.parse(checkToJson(checkReportOf([plain, fixable], { 'a.yaml': '' })))).toStrictEqual({
    findings: [
      { ...plain, fixable: false },
      { ...withoutFix, fixable: true },
    ],
    summary: { files: 1, errors: 1, warnings: 0, infos: 1 },
    workflows: [],
  })
})

it('says every text exactly', () => {
  fc.assert(
    fc.property(anyCheckReport, report => {
      const { findings } = JSON.parse(checkToJson(report))
      expect(findings.map((finding: object) => ({ ...finding, fixable: undefined }))).toEqual(report.findings)
    }),
  )
})
