// Runs the rules over one pack and turns what they found into findings a person, an editor or a CI can place.

import type { Json } from '../digest/digest.ts'
import { type ReadPack, readPack } from '../pack/pack.ts'
import { positionOf } from '../pack/place.ts'
import type { RegisteredVersion } from '../pack/registry.ts'
import { interpretSchema } from '../schema/interpret.ts'
import { type Pointer, pointerText } from '../schema/pointer.ts'
import { closureOf, type Schemas } from '../schema/schemas.ts'
import type { Question, Verdict } from '../schema/verdict.ts'
import type { Template, TemplateProblem } from '../template/ast.ts'
import { parseTemplate } from '../template/parse.ts'
import { findUses, type Uses } from '../template/uses.ts'
import { type Config, defaultConfig } from './config.ts'
import { findDisables, isDisabled } from './disable.ts'
import type { Fix, Found, PreviousVersion, Rule, Severity, Subject } from './rule.ts'
import { FORM_RULES, RULES } from './rules.ts'

export interface Finding {
  readonly file: string
  readonly rule: string
  readonly severity: Severity
  readonly message: string
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly suggestion?: string
  readonly fix?: Fix
}

/** A pack read and parsed once, before anything is asked about it. */
export interface PreparedPack {
  readonly path: string
  readonly read: ReadPack
  readonly template: Template | null
  readonly templateProblems: readonly TemplateProblem[]
  readonly uses: Uses
}

export interface PlacedQuestion extends Question {
  readonly pointer: Pointer
}

export interface LintContext {
  readonly schemas: Schemas
  /** By `pointerText` of the value that was asked about. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly config?: Config
  readonly registered?: RegisteredVersion | null
  readonly previous?: PreviousVersion | null
}

const NO_USES: Uses = { uses: [], misplaced: [] }
const RULE_NAMES: ReadonlySet<string> = new Set(RULES.map(rule => rule.name))

export function preparePack(path: string, text: string): PreparedPack {
  const read = readPack(text)
  const parsed = read.draft.systemPrompt === undefined ? null : parseTemplate(read.draft.systemPrompt)
  if (parsed === null) return { path, read, template: null, templateProblems: [], uses: NO_USES }
  if (!parsed.ok) return { path, read, template: null, templateProblems: parsed.problems, uses: NO_USES }
  return { path, read, template: parsed.template, templateProblems: [], uses: findUses(parsed.template) }
}

/** What a validator must be asked before the rules can speak. Schemas that lead nowhere are not asked about: one fault, one finding. */
export function questionsOf({ read: { draft } }: PreparedPack, schemas: Schemas): readonly PlacedQuestion[] {
  const usable = (uri: string | undefined): uri is string => uri !== undefined && closureOf(uri, schemas)?.unresolved.length === 0
  const { inputSchema, outputSchema, examples } = draft
  return [
    ...(usable(inputSchema) ? [{ pointer: ['inputSchema'], schema: inputSchema }] : []),
    ...(usable(outputSchema) ? [{ pointer: ['outputSchema'], schema: outputSchema }] : []),
    ...examples.flatMap(({ index, input, expectedOutput }): PlacedQuestion[] => [
      ...(usable(inputSchema) ? [{ pointer: ['examples', index, 'input'], schema: inputSchema, instance: input }] : []),
      ...(usable(outputSchema) && expectedOutput !== undefined
        ? [{ pointer: ['examples', index, 'expectedOutput'], schema: outputSchema, instance: expectedOutput }]
        : []),
    ]),
  ]
}

export function lintPrepared(prepared: PreparedPack, context: LintContext): readonly Finding[] {
  const { path, read } = prepared
  const { document } = read
  const config = context.config ?? defaultConfig
  const subject: Subject = {
    ...prepared,
    document,
    draft: read.draft,
    pack: read.pack,
    formatErrors: read.errors,
    schemas: context.schemas,
    verdict: pointer => context.verdicts.get(pointerText(pointer)),
    registered: context.registered ?? null,
    previous: context.previous ?? null,
    ruleNames: RULE_NAMES,
  }
  const isObject = typeof document.value === 'object' && document.value !== null && !Array.isArray(document.value)
  const disables = findDisables(document)
  return (isObject ? RULES : FORM_RULES)
    .flatMap(rule => {
      const { severity, options } = config.rules[rule.name] ?? { options: {} }
      if (severity === 'off') return []
      return [...rule.check(subject, { ...rule.options, ...options })].map(found =>
        place(path, document.text, subject, rule, found, severity),
      )
    })
    .filter(finding => !isDisabled(disables, finding.rule, finding.line))
    .sort(byPlace)
}

function place(file: string, text: string, { document }: Subject, rule: Rule, found: Found, severity: Severity | undefined): Finding {
  const { start, end } = document.locate(found.at)
  const from = positionOf(text, start)
  const to = positionOf(text, end)
  return {
    file,
    rule: rule.name,
    // What the config says holds for the rule as a whole; milder cases of a rule stay mild.
    severity: severity === undefined ? (found.severity ?? rule.severity) : milder(severity, found.severity),
    message: found.message,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    ...(found.suggestion === undefined ? {} : { suggestion: found.suggestion }),
    ...(found.fix === undefined ? {} : { fix: found.fix }),
  }
}

const LOUDNESS: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }
const milder = (set: Severity, found: Severity | undefined): Severity =>
  found !== undefined && LOUDNESS[found] > LOUDNESS[set] ? found : set

export const byPlace = (a: Finding, b: Finding): number =>
  compare(a.file, b.file) ||
  a.line - b.line ||
  a.column - b.column ||
  LOUDNESS[a.severity] - LOUDNESS[b.severity] ||
  compare(a.rule, b.rule)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface LintOptions {
  /** Relative to the workspace; `pack-identity` compares it with what the pack says. */
  readonly path: string
  readonly schemas?: Schemas
  readonly config?: Config
  readonly registered?: RegisteredVersion
  readonly previous?: PreviousVersion
  /** Defaults to an interpreter that can run anywhere but not be stopped: give your own for schemas you do not trust. */
  readonly validate?: (question: Question, schemas: Schemas) => Verdict
}

/** The whole of it in one call: what an editor uses while you type. */
export function lintPack(text: string, options: LintOptions): readonly Finding[] {
  const schemas = options.schemas ?? new Map()
  const prepared = preparePack(options.path, text)
  const validate = options.validate ?? interpretQuestion
  const verdicts = new Map(questionsOf(prepared, schemas).map(question => [pointerText(question.pointer), validate(question, schemas)]))
  return lintPrepared(prepared, { ...options, schemas, verdicts })
}

/** Answers by interpretation, in this thread. */
export function interpretQuestion({ schema: uri, instance }: Question, schemas: Schemas): Verdict {
  const others = (closureOf(uri, schemas)?.uris ?? []).filter(other => other !== uri).map(other => schemas.get(other)!.schema)
  try {
    const check = interpretSchema(schemas.get(uri)!.schema, others)
    const mismatches = instance === undefined ? [] : check(instance as Json)
    return mismatches.length === 0 ? { outcome: 'valid' } : { outcome: 'invalid', mismatches }
  } catch (error) {
    return { outcome: 'unusable', message: error instanceof RangeError ? 'it refers to itself without end' : (error as Error).message }
  }
}
