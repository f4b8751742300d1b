// Tests the JUnit reports of `check` and `test` against two schemas.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import {
  anyCheckReport,
  anyTestReport,
  checkReportOf,
  findingOf,
  sampleCheck,
  sampleTest,
} from '../../testing/arbitraries/sample-reports.ts'
import { checkToJunit, testToJunit } from './junit.ts'

const AT = new Date('2026-01-02T03:04:05.678Z')

// Two schemas, because CI tools follow one or the other. Ant's, by Windy Road, comes from a package that ships it. That copy is older
// than `skipped`, which upstream has since added, so the test adds it. No small package ships the one of Jenkins: fixtures/junit.xsd
// describes its structure in our own words.
const require = createRequire(import.meta.url)
const antPath = require.resolve('jest-junit-reporter/src/__tests__/fixtures/junit.xsd')
const ant = readFileSync(antPath, 'utf8')
  .replace('<xs:choice minOccurs="0">', '<xs:choice minOccurs="0"><xs:element name="skipped" type="pre-string"/>')
  .replace('<xs:attribute name="errors"', '<xs:attribute name="skipped" type="xs:int"/><xs:attribute name="errors"')
const jenkins = readFileSync('fixtures/junit.xsd', 'utf8')

async function problemsOf(documents: readonly string[]): Promise<readonly string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `${index}.xml`, contents }))
  const judged = await Promise.all(
    [ant, jenkins].map(contents =>
      validateXML({ xml, schema: { fileName: 'schema.xsd', contents }, initialMemoryPages: 512, maxMemoryPages: 2048 }),
    ),
  )
  return judged.flatMap(({ valid, errors }) => (valid ? [] : [...errors.map(error => error.rawMessage), 'invalid']))
}

describe('JUnit', () => {
  it('is valid by both schemas', async () => {
    const empty = [checkToJunit(checkReportOf([]), AT), testToJunit({ cases: [], summary: { pass: 0, fail: 0, skip: 0, error: 0 } }, AT)]
    expect(await problemsOf([checkToJunit(sampleCheck, AT), testToJunit(sampleTest, AT), ...empty])).toEqual([])
  })

  it('has judges that are awake', async () => {
    const broken = testToJunit(sampleTest, AT)
    for (const [from, to] of [
      ['<skipped>', '<skipt>'],
      [' tests="', ' proofs="'],
      ['<testsuites>', '<testsuites x="">'],
      ['</testsuites>', ''],
    ] as const) {
      expect(await problemsOf([broken.replaceAll(from, to).replaceAll('</skipped>', '</skipt>')])).not.toEqual([])
    }
  })

  it('is valid whatever the report says', async () => {
    // Many reports in one call: starting the validator takes most of the time.
    const many = { minLength: 100, maxLength: 100, size: 'max' } as const
    await fc.assert(
      fc.asyncProperty(fc.array(anyCheckReport, many), fc.array(anyTestReport, many), async (checks, tests) => {
        const documents = [...checks.map(report => checkToJunit(report, AT)), ...tests.map(report => testToJunit(report, AT))]
        expect(await problemsOf(documents)).toEqual([])
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })

  it('has a suite a file, a case a rule, and fails for errors only', () => {
    const report = checkReportOf(
      [
        findingOf({ file: 'a', message: 'one' }),
        findingOf({ file: 'a', message: 'two', line: 7, suggestion: 'do' }),
        findingOf({ file: 'a', rule: 'unused-variable', severity: 'warning', message: 'three' }),
      ],
      { a: '', b: '' },
    )
    expect(checkToJunit(report, AT)).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="a" package="onbook" id="0" timestamp="2026-01-02T03:04:05" hostname="localhost" tests="2" failures="1" errors="0" skipped="0" time="0.000">
<properties>
<property name="tool" value="onbook"/>
</properties>
<testcase name="no-undefined-variables" classname="a" time="0.000">
<failure message="one" type="no-undefined-variables">a:1:1 error no-undefined-variables: one
a:7:1 error no-undefined-variables: two
do</failure>
</testcase>
<testcase name="unused-variable" classname="a" time="0.000"/>
<system-out>a:1:1 warning unused-variable: three</system-out>
<system-err/>
</testsuite>
<testsuite name="b" package="onbook" id="1" timestamp="2026-01-02T03:04:05" hostname="localhost" tests="1" failures="0" errors="0" skipped="0" time="0.000">
<properties>
<property name="tool" value="onbook"/>
</properties>
<testcase name="no problems" classname="b" time="0.000"/>
<system-out/>
<system-err/>
</testsuite>
</testsuites>
`,
    )
  })

  it('has a suite a pack and a case an example, each with its outcome and its seconds', () => {
    const xml = testToJunit(sampleTest, AT)
    expect(xml.match(/<testsuite .*?>/g)?.map(tag => /name="([^"]*)".*(tests=.*)>/.exec(tag)?.slice(1).join(' '))).toEqual([
      'prompts/writer/v1.0.0.yaml tests="5" failures="1" errors="1" skipped="1" time="31.545"',
      'prompts/bare/v1.0.0.yaml tests="1" failures="0" errors="0" skipped="1" time="0.000"',
      'prompts/broken/v1.0.0.yaml tests="1" failures="0" errors="1" skipped="0" time="0.000"',
    ])
    expect(xml).toContain('<testcase name="greets by name" classname="prompts/writer/v1.0.0.yaml" time="0.012"/>')
    expect(xml).toContain('<failure message="/tone: expected &quot;warm&quot;, got &quot;cold&quot;" type="output_differs">')
    expect(xml).toContain('+  &quot;tone&quot;: &quot;cold [31m&quot;')
    expect(xml).toContain('<error message="no reply within 30 s" type="model_failed">')
    expect(xml).toContain('<skipped>No tests: the pack has no examples</skipped>')
  })
})
