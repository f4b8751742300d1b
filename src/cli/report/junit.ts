// JUnit XML, for CI that shows test results. Uses only what the Ant and the Jenkins schema both allow: tools follow one or the other.
import type { Finding } from '../../core/lint/lint.ts'
import type { CaseResult } from '../../engine/packs/run-example.ts'
import { type CheckReport, fullMessage } from './check-report.ts'
import { groupBy } from './groups.ts'
import type { TestReport } from './test-report.ts'
import { allowedText, element, xmlDocument } from './xml.ts'

interface Case {
  readonly name: string
  readonly ms: number
  readonly outcome?:
    | { readonly kind: 'failure' | 'error'; readonly message: string; readonly type: string; readonly text: string }
    | Skipped
}
interface Skipped {
  readonly kind: 'skipped'
  readonly text: string
}
interface Suite {
  readonly name: string
  readonly cases: readonly Case[]
  /** Informative, but not a failure. */
  readonly output: string
}

/** One suite for each file, one case for each rule with findings. Only errors fail; other findings go to the suite's output. */
export function checkToJunit({ findings, sources }: CheckReport, at: Date = new Date()): string {
  const groups = groupBy(findings, ({ file }) => file)
  const files = new Set([...sources.keys(), ...groups.keys()])
  return document(
    [...files].map(file => checkSuite(file, groups.get(file) ?? [])),
    at,
  )
}

function checkSuite(file: string, findings: readonly Finding[]): Suite {
  const rules = [...new Set(findings.map(finding => finding.rule))]
  const mild = findings.filter(finding => finding.severity !== 'error')
  const cases = rules.map((rule): Case => {
    const errors = findings.filter(finding => finding.rule === rule && finding.severity === 'error')
    if (errors.length === 0) return { name: rule, ms: 0 }
    // Ant's schema allows one failure in a case.
    return {
      name: rule,
      ms: 0,
      outcome: { kind: 'failure', message: errors[0]!.message, type: rule, text: errors.map(tellFinding).join('\n') },
    }
  })
  return { name: file, cases: cases.length === 0 ? [{ name: 'no problems', ms: 0 }] : cases, output: mild.map(tellFinding).join('\n') }
}

const tellFinding = (finding: Finding): string =>
  `${finding.file}:${finding.line}:${finding.column} ${finding.severity} ${finding.rule}: ${fullMessage(finding)}`

/** One suite for each pack, one case for each example. */
export function testToJunit({ cases }: TestReport, at: Date = new Date()): string {
  return document(
    [...groupBy(cases, ({ pack }) => pack)].map(([pack, results]) => ({
      name: pack,
      cases: results.map(testCase),
      output: results.flatMap(tellNote).join('\n'),
    })),
    at,
  )
}

function testCase({ example, status, problems, diff, ms }: CaseResult): Case {
  const name = example ?? 'the pack as a whole'
  if (status === 'pass') return { name, ms }
  const messages = problems.map(problem => problem.message)
  if (status === 'skip') return { name, ms, outcome: { kind: 'skipped', text: messages.join('\n') } }
  const text = [...problems.map(({ code, message }) => `${code}: ${message}`), ...(diff === undefined ? [] : [diff])].join('\n')
  const kind = status === 'fail' ? 'failure' : 'error'
  return { name, ms, outcome: { kind, message: messages[0] ?? '', type: problems[0]?.code ?? status, text } }
}

const tellNote = ({ example, note }: CaseResult): readonly string[] =>
  note === 'no-expectation' ? [`${example}: checked against the output schema only, the example expects nothing`] : []

function document(suites: readonly Suite[], at: Date): string {
  return xmlDocument(
    element(
      'testsuites',
      {},
      suites.map((suite, id) => suiteElement(suite, id, at)),
    ),
  )
}

function suiteElement({ name, cases, output }: Suite, id: number, at: Date): string {
  const count = (kind: string) => cases.filter(({ outcome }) => outcome?.kind === kind).length
  const attributes = {
    name: named(name),
    package: 'onbook',
    id,
    // Ant requires both, without a time zone.
    timestamp: at.toISOString().slice(0, 19),
    hostname: 'localhost',
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(cases.reduce((sum, { ms }) => sum + ms, 0)),
  }
  return element('testsuite', attributes, [
    // Ant requires the element, Jenkins requires content in it.
    element('properties', {}, [element('property', { name: 'tool', value: 'onbook' })]),
    ...cases.map(one => caseElement(one, name)),
    element('system-out', {}, output),
    element('system-err', {}),
  ])
}

function caseElement({ name, ms, outcome }: Case, suite: string): string {
  return element(
    'testcase',
    { name: named(name), classname: named(suite), time: seconds(ms) },
    outcome === undefined ? [] : [outcomeElement(outcome)],
  )
}

function outcomeElement(outcome: NonNullable<Case['outcome']>): string {
  if (outcome.kind === 'skipped') return element('skipped', {}, outcome.text)
  return element(outcome.kind, { message: outcome.message, type: outcome.type }, outcome.text)
}

/** A name that is blank, or has only characters that XML forbids, needs a replacement. */
const named = (name: string): string => (allowedText(name).trim() === '' ? '(unnamed)' : name)
const seconds = (ms: number): string => (ms / 1000).toFixed(3)
