// Pins the JSON report of `test`, a contract with scripts.
import { expect, it } from 'vitest'
import { sampleTest } from '../../testing/arbitraries/sample-reports.ts'
import { testToJson } from './json-test.ts'

it('is the contract: every case with what is known about it, and the counts', () => {
  const { cases, summary } = JSON.parse(testToJson(sampleTest))
  expect(cases).toStrictEqual(sampleTest.cases)
  expect(summary).toStrictEqual({ pass: 2, fail: 1, skip: 2, error: 2 })
})

it('adds nothing that a case did not have', () => {
  const { cases } = JSON.parse(testToJson(sampleTest))
  expect(Object.keys(cases.at(-1))).toEqual(['pack', 'example', 'status', 'problems', 'ms'])
})
