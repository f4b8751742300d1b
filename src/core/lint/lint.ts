// Folder: The lint rules, one folder each, and the engine that turns places into lines. A rule never counts characters of YAML.
// Runs the rules over one pack, and gives each finding a position for people, editors and CI.

import { isObject } from '../digest/is-object.ts'
import { type ReadPack, readPack } from '../pack/pack.ts'
import { type Position, positionsIn } from '../pack/place.ts'
import type { RegisteredVersion } from '../pack/registry.ts'
import type { YamlDocument } from '../pack/yaml.ts'
import { interpretQuestion } from '../schema/interpret-question.ts'
import { type Pointer, pointerText } from '../schema/pointer.ts'
import { isUsable, type Schemas } from '../schema/schemas.ts'
import type { Question, Verdict } from '../schema/verdict.ts'
import type { TemplateProblem, TemplateTree } from '../template/ast.ts'
import { parseTemplate } from '../template/parse.ts'
import { findUses, type Uses } from '../template/uses.ts'
import { type Config, defaultConfig } from './config.ts'
import { findDisables, silencer } from './disable.ts'
import type { Fix, Found, PreviousVersion, Rule, RuleHead, Severity, Subject } from './rule.ts'
import { FORM_RULES, PACK_RULES, RULES } from './rules.ts'

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

/** A pack that is read and parsed once, for all rules. */
export interface PreparedPack {
  readonly path: string
  readonly read: ReadPack
  readonly template: TemplateTree | null
  readonly templateProblems: readonly TemplateProblem[]
  readonly uses: Uses
}

export interface PlacedQuestion extends Question {
  readonly pointer: Pointer
}

export interface LintContext {
  readonly schemas: Schemas
  /** By `pointerText` of the validated value. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly config?: Config
  readonly registered?: RegisteredVersion | null
  readonly previous?: PreviousVersion | null
}

/** The limit per rule and file. A longer list does not help its reader. */
const MAX_FOUND = 100
const NO_USES: Uses = { uses: [], misplaced: [] }
const RULE_NAMES: ReadonlySet<string> = new Set(RULES.map(rule => rule.name))

export function preparePack(path: string, text: string): PreparedPack {
  const read = readPack(text)
  const parsed = read.draft.systemPrompt === undefined ? null : parseTemplate(read.draft.systemPrompt)
  if (parsed === null) return { path, read, template: null, templateProblems: [], uses: NO_USES }
  if (!parsed.ok) return { path, read, template: null, templateProblems: parsed.problems, uses: NO_USES }
  return { path, read, template: parsed.template, templateProblems: [], uses: findUses(parsed.template) }
}

/** The questions for a validator, which the rules need answered. Unresolvable schemas are left out: one fault, one finding. */
export function questionsOf({ read: { draft } }: PreparedPack, schemas: Schemas): readonly PlacedQuestion[] {
  const usable = (uri: string | undefined): uri is string => uri !== undefined && isUsable(uri, schemas)
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

/** The input of the rules. */
export const subjectOf = (prepared: PreparedPack, context: LintContext): Subject => ({
  ...prepared,
  document: prepared.read.document,
  draft: prepared.read.draft,
  pack: prepared.read.pack,
  formatErrors: prepared.read.errors,
  variables: byName(prepared.read.draft.variables),
  schemas: context.schemas,
  verdict: pointer => context.verdicts.get(pointerText(pointer)),
  registered: context.registered ?? null,
  previous: context.previous ?? null,
  ruleNames: RULE_NAMES,
})

export function lintPrepared(prepared: PreparedPack, context: LintContext): readonly Finding[] {
  const position = positionsIn(prepared.read.document.text)
  return rulesFor(prepared, context)
    .flatMap(({ rule, severity, check }) => firstOf(check()).map(finding => toFinding(prepared, position, rule, finding, severity)))
    .sort(byPlace)
}

/** Every repair that the rules offer, also those of findings that are too many to be listed. */
export function fixesOf(prepared: PreparedPack, context: LintContext): readonly Fix[] {
  return rulesFor(prepared, context)
    .filter(({ rule }) => rule.fixable)
    .flatMap(({ check }) => [...check()].flatMap(({ fix }) => fix ?? []))
}

interface RuleAtWork {
  readonly rule: Rule
  /** Only when the config sets it. */
  readonly severity: Severity | undefined
  /** All findings, before comments silence any. Counts use this. */
  check(): Iterable<Found>
}

/** The rules that apply to this pack, with the options of the config. */
function rulesFor(prepared: PreparedPack, context: LintContext): readonly RuleAtWork[] {
  const { document } = prepared.read
  const config = context.config ?? defaultConfig
  const subject = subjectOf(prepared, context)
  const isHeard = listenerTo(document)
  return (isObject(document.value) ? PACK_RULES : FORM_RULES).flatMap(rule => {
    const { severity, options } = config.rules[rule.name] ?? { options: {} }
    if (severity === 'off') return []
    return [{ rule, severity, check: () => only(rule.check(subject, { ...rule.options, ...options }), finding => isHeard(rule, finding)) }]
  })
}

function listenerTo(document: YamlDocument): (rule: Rule, found: Found) => boolean {
  const isSilent = silencer(findDisables(document))
  const position = positionsIn(document.text)
  return ({ name }, { at }) => !isSilent(name, () => position(document.locate(at).start).line)
}

/** Lazy: a rule may have more findings than are listed. */
function* only<T>(all: Iterable<T>, isWanted: (one: T) => boolean): Iterable<T> {
  for (const one of all) if (isWanted(one)) yield one
}

const byName = (variables: Subject['draft']['variables']): Subject['variables'] =>
  new Map(variables.toReversed().map(variable => [variable.name, variable]))

export function firstOf<F extends Pick<Found, 'message' | 'suggestion' | 'fix'>>(all: Iterable<F>): readonly F[] {
  const first: F[] = []
  for (const finding of all) {
    // This entry represents many: it has the place and the severity of one of them, but not its suggestion and its fix.
    if (first.length === MAX_FOUND) {
      const { suggestion: _, fix: __, ...many } = finding
      return [...first, { ...(many as F), message: `There are more like this: only the first ${MAX_FOUND} are listed` }]
    }
    first.push(finding)
  }
  return first
}

function toFinding(
  { path: file, read: { document } }: PreparedPack,
  position: (offset: number) => Position,
  rule: Rule,
  finding: Found,
  severity: Severity | undefined,
): Finding {
  const { start, end } = document.locate(finding.at)
  const from = position(start)
  const to = position(end)
  return {
    file,
    rule: rule.name,
    severity: severityOf(rule, finding, severity),
    message: finding.message,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    ...(finding.suggestion === undefined ? {} : { suggestion: finding.suggestion }),
    ...(finding.fix === undefined ? {} : { fix: finding.fix }),
  }
}

/** The severity of the config applies to the whole rule; milder cases of a rule stay mild. */
export const severityOf = (rule: RuleHead, finding: Pick<Found, 'severity'>, set: Severity | undefined): Severity =>
  set === undefined ? (finding.severity ?? rule.severity) : milder(set, finding.severity)

const LOUDNESS: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }
const milder = (set: Severity, own: Severity | undefined): Severity => (own !== undefined && LOUDNESS[own] > LOUDNESS[set] ? own : set)

export const byPlace = (a: Finding, b: Finding): number =>
  compare(a.file, b.file) ||
  a.line - b.line ||
  a.column - b.column ||
  LOUDNESS[a.severity] - LOUDNESS[b.severity] ||
  compare(a.rule, b.rule)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface LintOptions {
  /** Relative to the workspace; `pack-identity` compares it with the pack. */
  readonly path: string
  readonly schemas?: Schemas
  readonly config?: Config
  readonly registered?: RegisteredVersion
  readonly previous?: PreviousVersion
  /** Defaults to an interpreter that can run anywhere but not be stopped: give your own for schemas you do not trust. */
  readonly validate?: (question: Question, schemas: Schemas) => Verdict
}

/** Lints a pack in one call: editors use it while you type. */
export function lintPack(text: string, options: LintOptions): readonly Finding[] {
  const schemas = options.schemas ?? new Map()
  const prepared = preparePack(options.path, text)
  const validate = options.validate ?? interpretQuestion
  const verdicts = new Map(questionsOf(prepared, schemas).map(question => [pointerText(question.pointer), validate(question, schemas)]))
  return lintPrepared(prepared, { ...options, schemas, verdicts })
}
