// Tests a lint rule by cases as data. A case is a pack, and the problems one rule finds in it: `place message`, in the rule's own language.
// Places: `version` (a value), `key:version` (its key), `systemPrompt 1:4` (line and column of the text itself), `file 3:1` (of the YAML).
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { type LintContext, lintPrepared, type PreparedPack, preparePack, questionsOf, subjectOf } from '../../core/lint/lint.ts'
import type { Found, PreviousVersion, Rule } from '../../core/lint/rule.ts'
import { RULES } from '../../core/lint/rules.ts'
import { type Pack, readPack, semanticDigest } from '../../core/pack/pack.ts'
import { type Place, positionOf } from '../../core/pack/place.ts'
import type { RegisteredVersion } from '../../core/pack/registry.ts'
import { interpretQuestion } from '../../core/schema/interpret-question.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import { collectSchemas, digestsOf, type Schemas } from '../../core/schema/schemas.ts'
import type { Verdict } from '../../core/schema/verdict.ts'

/** Fields that replace those of `goodPack`; undefined removes one; variables may be mere names; a prompt too short is filled up with dots. */
export type Overlay = Readonly<Record<string, unknown>>

export interface RuleCase {
  readonly why: string
  readonly pack?: Overlay
  /** The file as it is written, instead of a pack. */
  readonly yaml?: string
  readonly path?: string
  /** Besides those of `goodPack`, or instead of them when the $id is the same. */
  readonly schemas?: readonly Json[]
  /** The pack that was registered under this version, with the schemas of that time. */
  readonly registered?: { readonly pack?: Overlay; readonly yaml?: string; readonly schemas?: readonly Json[] }
  readonly previous?: { readonly pack?: Overlay; readonly schemas?: readonly Json[] }
  readonly options?: Readonly<Record<string, Json>>
  /** The validator's verdicts by place, where no schema can produce them. */
  readonly verdicts?: Readonly<Record<string, Verdict>>
}

export interface RejectedCase extends RuleCase {
  /** `place message`; another severity than the rule's own comes first: `warning: place message`. */
  readonly problems: readonly string[]
  readonly suggestions?: readonly string[]
}

const SECTIONS = ['OBJECTIVE', 'INPUT', 'OUTPUT', 'CONSTRAINTS', 'REFUSAL RULES']
export const goodPrompt = SECTIONS.map(name => `## ${name}\nSay what has to be said about answer.json.\n`).join('\n')
const SCHEMA_BASE = 'https://example.com/schemas'

export const goodPack: Overlay = {
  id: 'prompt-writer-v1.0.0',
  agentId: 'writer',
  version: '1.0.0',
  systemPrompt: goodPrompt,
  inputSchema: `${SCHEMA_BASE}/question.json`,
  outputSchema: `${SCHEMA_BASE}/answer.json`,
  examples: [{ name: 'Empty question', input: {}, expectedOutput: {} }],
}

export function testRule(rule: Rule, { accepts, rejects }: { accepts: readonly RuleCase[]; rejects: readonly RejectedCase[] }): void {
  describe(rule.name, () => {
    it.each(accepts)('accepts: $why', one => expect(run(rule, one).problems).toEqual([]))
    it.each(rejects)('rejects: $why', one => {
      const { problems, suggestions } = run(rule, one)
      expect(problems).toEqual(one.problems)
      if (one.suggestions !== undefined) expect(suggestions).toEqual(one.suggestions)
    })
  })
}

export function packText(overlay: Overlay): string {
  const fields: Record<string, unknown> = { ...goodPack, ...overlay }
  const { variables, systemPrompt } = fields
  if (typeof systemPrompt === 'string') fields.systemPrompt = systemPrompt.padEnd(60, '.')
  if (Array.isArray(variables)) fields.variables = variables.map(one => (typeof one === 'string' ? { name: one, type: 'string' } : one))
  return stringify(fields, { aliasDuplicateObjects: false })
}

function run(rule: Rule, one: RuleCase): { problems: readonly string[]; suggestions: readonly string[] } {
  const schemas = schemasOf(one.schemas)
  const text = one.yaml ?? packText(one.pack ?? {})
  const prepared = preparePack(one.path ?? pathOf(text), text)
  const context: LintContext = {
    schemas,
    verdicts: new Map([...answers(prepared, schemas), ...Object.entries(one.verdicts ?? {})]),
    registered: one.registered === undefined ? null : registeredAs(one.registered),
    previous: one.previous === undefined ? null : previousAs(one.previous),
  }
  const found = [...rule.check(subjectOf(prepared, context), { ...rule.options, ...one.options })]
  const only = Object.fromEntries(
    RULES.map(({ name }) => [name, name === rule.name ? { options: one.options ?? {} } : { severity: 'off' as const, options: {} }]),
  )
  // Every finding has a place in the file.
  const findings = lintPrepared({ ...prepared }, { ...context, config: { rules: only } })
  expect(findings.every(({ line, column }) => line >= 1 && column >= 1)).toBe(true)
  return {
    problems: found.map(problem => describeFound(rule, problem, prepared)),
    suggestions: found.map(({ suggestion = '' }) => suggestion),
  }
}

function describeFound(rule: Rule, { severity = rule.severity, at, message }: Found, prepared: PreparedPack): string {
  return `${severity === rule.severity ? '' : `${severity}: `}${describePlace(at, prepared)} ${message}`
}

function describePlace({ pointer, key, within, source }: Place, { read }: PreparedPack): string {
  const lineAndColumn = (text: string, offset: number) => Object.values(positionOf(text, offset)).join(':')
  if (source !== undefined) return `file ${lineAndColumn(read.document.text, source.start)}`
  const field = `${key ? 'key:' : ''}${pointerText(pointer).slice(1) || 'pack'}`
  return within === undefined ? field : `${field} ${lineAndColumn(read.draft.systemPrompt ?? '', within.start)}`
}

function pathOf(text: string): string {
  const { agentId = 'writer', version = '1.0.0' } = readPack(text).draft
  return `prompts/${agentId}/v${version}.yaml`
}

function schemasOf(own: readonly Json[] = []): Schemas {
  const usual = ['question', 'answer'].map(name => ({ $id: `${SCHEMA_BASE}/${name}.json`, type: 'object' }))
  const all = new Map([...usual, ...(own as readonly { $id: string }[])].map(schema => [schema.$id, schema]))
  return collectSchemas([...all.values()].map(schema => ({ path: `schemas/${schema.$id.split('/').at(-1)}`, schema }))).schemas
}

const answers = (prepared: PreparedPack, schemas: Schemas) =>
  questionsOf(prepared, schemas).map((question): [string, Verdict] => [pointerText(question.pointer), interpretQuestion(question, schemas)])

const wholePack = (text: string): Pack => readPack(text).pack ?? expect.fail(`not a valid pack:\n${text}`)

const digestsOfBoth = (pack: Pack, schemas: Schemas) => ({
  ...digestsOf(pack.inputSchema, schemas),
  ...digestsOf(pack.outputSchema, schemas),
})

function registeredAs({ pack = {}, yaml = packText(pack), schemas }: NonNullable<RuleCase['registered']>): RegisteredVersion {
  const whole = wholePack(yaml)
  const digests = digestsOfBoth(whole, schemasOf(schemas))
  return { path: pathOf(yaml), digest: digestText(yaml), semantic: semanticDigest(whole), schemas: digests, status: 'active' }
}

function previousAs({ pack = {}, schemas }: NonNullable<RuleCase['previous']>): PreviousVersion {
  const whole = wholePack(packText(pack))
  return { pack: whole, path: `prompts/${whole.agentId}/v${whole.version}.yaml`, schemas: digestsOfBoth(whole, schemasOf(schemas)) }
}
