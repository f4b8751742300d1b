// Reports to lay out: two written by hand, for golden files, and arbitrary ones, for properties.
import fc from 'fast-check'
import type { CheckReport } from '../../cli/report/check-report.ts'
import type { TestReport } from '../../cli/report/test-report.ts'
import type { Finding } from '../../core/lint/lint.ts'
import { RULES } from '../../core/lint/rules.ts'
import { summarize } from '../../engine/packs/check.ts'
import type { CaseResult } from '../../engine/packs/run-example.ts'
import { summarizeCases } from '../../engine/packs/test-packs.ts'

export const findingOf = (given: Partial<Finding> = {}): Finding => ({
  file: 'prompts/writer/v1.0.0.yaml',
  rule: 'no-undefined-variables',
  severity: 'error',
  message: '"hwo" is used but not declared',
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 2,
  ...given,
})

export const checkReportOf = (
  findings: readonly Finding[],
  sources: Readonly<Record<string, string>> = {},
  files?: number,
): CheckReport => ({
  findings,
  sources: new Map(Object.entries(sources)),
  shares: [],
  summary: summarize(files ?? Object.keys(sources).length, findings),
})

export const testReportOf = (cases: readonly CaseResult[]): TestReport => ({ cases, summary: summarizeCases(cases) })

const WRITER = [
  'id: prompt-writer-v1.0.0',
  'agentId: writer',
  'version: 1.0.0',
  'systemPrompt: |',
  '  ## ROLE',
  '  Greet {{hwo}}, then 日本語 {{nam}} and cafe\u0301 {{xyz}}.',
  '\tTabbed {{tab}}',
  `  ${'Long lines are common in prompts. '.repeat(8)}{{far}}${' And they go on.'.repeat(8)}`,
  '  Evil \u001b[31mred\u001b[0m \u202e {{esc}}',
  'variables: []',
  '',
].join('\n')

function findIn(text: string, needle: string): Pick<Finding, 'line' | 'column' | 'endLine' | 'endColumn'> {
  const before = text.slice(0, text.indexOf(needle)).split('\n')
  const line = before.length
  const column = before.at(-1)!.length + 1
  return { line, column, endLine: line, endColumn: column + needle.length }
}

const undeclared = (name: string): Finding => findingOf({ message: `"${name}" is used but not declared`, ...findIn(WRITER, `{{${name}}}`) })

/** Each way in which a caret can be misplaced, a file that could not be read, and a clean one. */
export const sampleCheck: CheckReport = checkReportOf(
  [
    { ...undeclared('hwo'), suggestion: 'Did you mean "who"?' },
    undeclared('nam'),
    undeclared('xyz'),
    undeclared('tab'),
    undeclared('far'),
    { ...undeclared('esc'), message: 'a message with \u001b[2J in it\nand a second line' },
    findingOf({
      rule: 'required-sections',
      severity: 'warning',
      message: 'OUTPUT is missing',
      suggestion: 'Add a section "## OUTPUT".',
      line: 4,
      column: 15,
      endLine: 9,
      endColumn: 3,
    }),
    findingOf({
      rule: 'unused-variable',
      severity: 'info',
      message: 'No variables',
      ...findIn(WRITER, '[]'),
      fix: { pointer: ['variables'], value: '' },
    }),
    findingOf({ file: 'prompts/gone/v1.0.0.yaml', rule: 'workspace-file', message: 'The file cannot be read: permission denied' }),
  ],
  { 'prompts/writer/v1.0.0.yaml': WRITER, 'prompts/clean/v1.0.0.yaml': 'id: clean\n' },
  3,
)

const caseOf = (given: Partial<CaseResult>): CaseResult => ({
  pack: 'prompts/writer/v1.0.0.yaml',
  example: 'greets by name',
  status: 'pass',
  problems: [],
  ms: 12.4,
  ...given,
})

/** Each status, each extra. */
export const sampleTest: TestReport = testReportOf([
  caseOf({ model: 'scripted' }),
  caseOf({ example: 'says anything', note: 'no-expectation', ms: 1520, model: 'scripted' }),
  caseOf({
    example: 'stays warm',
    status: 'fail',
    problems: [{ code: 'output_differs', message: '/tone: expected "warm", got "cold"', pointer: '/tone' }],
    differences: [{ op: 'replace', path: '/tone', expected: 'warm', actual: 'cold' }],
    diff: '--- expected\n+++ actual\n@@ -1,4 +1,4 @@\n {\n-  "tone": "warm"\n+  "tone": "cold \u001b[31m"\n }',
    model: 'scripted',
  }),
  caseOf({ example: 'has no reply', status: 'error', problems: [{ code: 'model_failed', message: 'no reply within 30 s' }], ms: 30_000 }),
  caseOf({ example: 'was next', status: 'skip', problems: [{ code: 'interrupted', message: 'Interrupted before it ended' }], ms: 0 }),
  caseOf({
    pack: 'prompts/bare/v1.0.0.yaml',
    example: null,
    status: 'skip',
    problems: [{ code: 'no-tests', message: 'No tests: the pack has no examples' }],
    ms: 0,
  }),
  caseOf({
    pack: 'prompts/broken/v1.0.0.yaml',
    example: null,
    status: 'error',
    problems: [
      { code: 'pack_invalid', message: 'line 3: /version: must be a string' },
      { code: 'pack_invalid', message: 'line 9: /examples: must be a list' },
    ],
    ms: 0,
  }),
])

/** Letters and emoji, characters with a meaning in XML, terminals, URIs and workflow commands, and code units that are not characters. */
export const anyText: fc.Arbitrary<string> = fc.string({
  maxLength: 20,
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'\0\b\t\n\r\u001b\u007f\u009b\u00ad\u200b\u200d\u202e\u2028\u0301\ufe0f\ufeff\ufffe\uffff%:,;&<>"\'/\\ '),
    fc.constantFrom(']]>', '::error::', '..', '//', '\ud800', '\udfff', '\u001b[31m', '日', '👩‍👩‍👧', '{{x}}'),
  ),
})

const anyFinding = (file: fc.Arbitrary<string>): fc.Arbitrary<Finding> =>
  fc
    .record({
      file,
      rule: fc.oneof(fc.constantFrom(...RULES.map(rule => rule.name)), anyText),
      severity: fc.constantFrom('error' as const, 'warning' as const, 'info' as const),
      message: anyText,
      suggestion: fc.option(anyText),
      line: fc.integer({ min: 1, max: 5 }),
      column: fc.integer({ min: 1, max: 40 }),
      lines: fc.integer({ min: 0, max: 2 }),
      columns: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ suggestion, lines, columns, ...rest }) => ({
      ...rest,
      endLine: rest.line + lines,
      endColumn: lines === 0 ? rest.column + columns : columns + 1,
      ...(suggestion === null ? {} : { suggestion }),
    }))

export const anyCheckReport: fc.Arbitrary<CheckReport> = fc
  .dictionary(anyText, anyText, { maxKeys: 3, noNullPrototype: true })
  .chain(sources =>
    fc
      .array(anyFinding(fc.oneof(anyText, fc.constantFrom('x', ...Object.keys(sources)))), { maxLength: 4 })
      .map(findings => checkReportOf(findings, sources)),
  )

export const anyTestReport: fc.Arbitrary<TestReport> = fc
  .array(
    fc
      .record({
        pack: fc.oneof(anyText, fc.constant('x')),
        example: fc.option(anyText),
        status: fc.constantFrom('pass' as const, 'fail' as const, 'skip' as const, 'error' as const),
        problems: fc.array(fc.record({ code: anyText, message: anyText }), { maxLength: 3 }),
        diff: fc.option(anyText),
        model: fc.option(anyText),
        ms: fc.double({ min: 0, max: 1e7, noNaN: true }),
      })
      .map(({ diff, model, ...rest }) => ({ ...rest, ...(diff === null ? {} : { diff }), ...(model === null ? {} : { model }) })),
    { maxLength: 5 },
  )
  .map(testReportOf)
