// The interface of a rule: it checks one subject and yields findings, by place and never by line.
import type { Json } from '../digest/digest.ts'
import type { FormError } from '../pack/form.ts'
import type { Listed, Pack, PackDraft, Variable } from '../pack/pack.ts'
import type { Place, Severity } from '../pack/place.ts'
import type { RegisteredVersion } from '../pack/registry.ts'
import type { YamlDocument } from '../pack/yaml.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Schemas } from '../schema/schemas.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { TemplateProblem, TemplateTree } from '../template/ast.ts'
import type { Uses } from '../template/uses.ts'
import type { FoundInFile, Layout } from './layout.ts'

export type { Severity }

/** A mechanical repair: this scalar becomes that value. */
export interface Fix {
  readonly pointer: Pointer
  readonly value: string
}

export interface Found {
  readonly message: string
  readonly at: Place
  /** Only where it differs from the rule's own. */
  readonly severity?: Severity
  readonly suggestion?: string
  readonly fix?: Fix
}

/** The version that came before this one, as far as the workspace knows it. */
export interface PreviousVersion {
  readonly pack: Pack
  readonly path: string
  /** Digests of the schemas it was registered with; empty when it never was. */
  readonly schemas: Readonly<Record<string, string>>
}

/** Everything that can be known about one pack file before any rule speaks. */
export interface Subject {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  readonly document: YamlDocument
  readonly draft: PackDraft
  /** Whole and valid, or null. */
  readonly pack: Pack | null
  readonly formatErrors: readonly FormError[]
  /** By name; of two with the same name the first. */
  readonly variables: ReadonlyMap<string, Listed<Variable>>
  /** Null when the prompt is missing or does not parse. */
  readonly template: TemplateTree | null
  readonly templateProblems: readonly TemplateProblem[]
  readonly uses: Uses
  readonly schemas: Schemas
  /** The validator's verdict on the value at this place; undefined when it was not asked. */
  verdict(pointer: Pointer): Verdict | undefined
  readonly registered: RegisteredVersion | null
  readonly previous: PreviousVersion | null
  readonly ruleNames: ReadonlySet<string>
}

/** The description of a rule. */
export interface RuleHead {
  readonly name: string
  /** One sentence: the requirement. */
  readonly summary: string
  readonly severity: Severity
  /** Says that findings of this rule can carry a fix. */
  readonly fixable?: true
  /** Options and their defaults; the config file may change them. */
  readonly options?: Readonly<Record<string, Json>>
}

/** About one pack. */
export interface Rule extends RuleHead {
  check(subject: Subject, options: Readonly<Record<string, Json>>): Iterable<Found>
}

/**
 * A rule about the files beside the packs: index, preludes, tools, context. These reference one another, so they are
 * checked together.
 */
export interface LayoutRule extends RuleHead {
  checkLayout(layout: Layout): Iterable<FoundInFile>
}

export const inPrompt = (within: { readonly start: number; readonly end: number }): Place => ({
  pointer: ['systemPrompt'],
  within: { start: within.start, end: within.end },
})
