// Tests the SARIF report of `check` against the published schema.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import AjvDraft04 from 'ajv-draft-04'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../core/lint/rules.ts'
import { anyCheckReport, checkReportOf, findingOf, sampleCheck } from '../../testing/arbitraries/sample-reports.ts'
import { checkToSarif } from './sarif.ts'

// Validates with the published schema of SARIF 2.1.0 (JSON Schema draft-04), from a package that ships it.
const require = createRequire(import.meta.url)
const schemaPath = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
// One of its patterns is a valid regular expression only without the flag u.
const ajv = new AjvDraft04.default({ strict: false, allErrors: true, unicodeRegExp: false })
addFormats.default(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')))

interface Result {
  readonly ruleId: string
  readonly ruleIndex?: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly [
    { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string }; readonly region: object } },
  ]
  readonly partialFingerprints: Readonly<Record<string, string>>
}
const runOf = (text: string) =>
  JSON.parse(text).runs[0] as { tool: { driver: { rules: { id: string }[] } }; columnKind: string; results: Result[] }
const resultsOf = (...findings: Parameters<typeof findingOf>[0][]) =>
  runOf(checkToSarif(checkReportOf(findings.map(findingOf)), '1.2.3')).results
const uriOf = (file: string) => resultsOf({ file })[0]!.locations[0].physicalLocation.artifactLocation.uri
const fingerprintsOf = (results: readonly Result[]) => results.map(result => Object.values(result.partialFingerprints).join())

function expectValid(text: string): void {
  validate(JSON.parse(text))
  expect(validate.errors ?? []).toEqual([])
}

describe('SARIF', () => {
  it('is valid by the schema, and the schema is awake', () => {
    expectValid(checkToSarif(sampleCheck, '0.1.0'))
    expectValid(checkToSarif(checkReportOf([]), '0.1.0'))
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false)
    expect(validate(JSON.parse(checkToSarif(checkReportOf([findingOf({ line: 0 })]), '0.1.0')))).toBe(false)
    expect(validate(JSON.parse(checkToSarif(sampleCheck, '0.1.0').replaceAll('prompts/', '%zz')))).toBe(false)
  })

  it('is valid whatever the report says', () => {
    fc.assert(fc.property(anyCheckReport, report => expectValid(checkToSarif(report, '0.1.0'))))
  })

  it('describes every rule, and results point at theirs', () => {
    const { tool, results, columnKind } = runOf(checkToSarif(sampleCheck, '0.1.0'))
    expect(tool.driver).toMatchObject({ name: 'onbook', version: '0.1.0' })
    expect(tool.driver.rules.map(rule => rule.id)).toEqual(RULES.map(rule => rule.name))
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex!]!.id).toBe(ruleId)
    expect(columnKind).toBe('utf16CodeUnits')
  })

  it('has the place, the level and the suggestion', () => {
    const [error, , info] = resultsOf(
      { line: 2, column: 3, endLine: 4, endColumn: 5, message: 'Wrong.', suggestion: 'Do right.' },
      { severity: 'warning' },
      { severity: 'info' },
    )
    expect(error!.level).toBe('error')
    expect(error!.message.text).toBe('Wrong.\nDo right.')
    expect(error!.locations[0].physicalLocation.region).toEqual({ startLine: 2, startColumn: 3, endLine: 4, endColumn: 5 })
    expect(info!.level).toBe('note')
  })

  it.each([
    ['a b/100%.yaml', 'a%20b/100%25.yaml'],
    ['../x#y?.yaml', '../x%23y%3F.yaml'],
    ['c:d/ü.yaml', 'c%3Ad/%C3%BC.yaml'],
    ['\ud800.yaml', '%EF%BF%BD.yaml'],
  ])('spells %s as a relative URI', (file, uri) => expect(uriOf(file)).toBe(uri))

  it('spells an absolute path as a file URL', () => expect(fileURLToPath(uriOf('/tmp/a b.yaml'))).toBe('/tmp/a b.yaml'))

  it('keeps the fingerprint when lines move, and no two findings share one', () => {
    const moved = fingerprintsOf(resultsOf({ line: 1 }, { line: 9 }))
    expect(moved).toEqual(fingerprintsOf(resultsOf({ line: 4 }, { line: 5 })))
    const all = fingerprintsOf(resultsOf({}, {}, { file: 'x' }, { rule: 'x' }, { message: 'x' }))
    expect(new Set(all).size).toBe(5)
  })
})
