// Renders one template into one text: redacted, with untrusted input inside fences. Everything that shows or sends a prompt uses it.
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import type { TemplateVariable } from '../library/template.ts'
import type { TemplateTree } from '../template/ast.ts'
import { type Parsed, parseTemplate } from '../template/parse.ts'
import { renderTemplate, type Segment } from '../template/render.ts'
import { findUses } from '../template/uses.ts'
import { type BindOptions, type BindProblem, type BoundValue, bindVariables, type Trust } from './bind.ts'
import { fenced } from './foreign.ts'

export interface PromptSegment extends Segment {
  readonly trust: Trust
  /** The id of the secret that belongs here. */
  readonly secret: string | null
}

export interface RenderedPrompt<S = PromptSegment> {
  /** The visible text: secrets redacted, untrusted values between markers. */
  readonly text: string
  readonly templateHash: Digest
  /** The hashes of all variables that the template uses. */
  readonly variableHashes: Readonly<Record<string, Digest>>
  readonly segments: readonly S[]
  readonly contentTrust: Trust
  readonly warnings: readonly string[]
}

export type RenderPromptProblem =
  | BindProblem
  | { readonly code: 'prompt_template_invalid'; readonly variable: ''; readonly message: string }

export type RenderPromptResult<S = PromptSegment> =
  | { readonly ok: true; readonly rendered: RenderedPrompt<S> }
  | { readonly ok: false; readonly problems: readonly RenderPromptProblem[] }

/** The part of a template that rendering needs. */
export interface Renderable {
  readonly text: string
  readonly variables?: readonly TemplateVariable[]
}

export interface RenderPromptOptions extends BindOptions {
  /** The maximum length of the text, in UTF-16 units. Default: the limit of the template engine. */
  readonly maxLength?: number
}

/** Caches parsed templates. */
const prepared = new WeakMap<Renderable, Prepared>()

interface Prepared {
  readonly parsed: Parsed
  readonly used: UsedNames
  /** The hash of a template without tags: it always renders to its own text. */
  readonly hash: Digest | null
}

function prepare(template: Renderable): Prepared {
  const parsed = parseTemplate(template.text)
  const used = parsed.ok ? usedBy(parsed.template, template.variables ?? []) : { declared: [], undeclared: [] }
  const text = parsed.ok ? plainText(parsed.template) : null
  const made = { parsed, used, hash: text === null ? null : digestText(text) }
  prepared.set(template, made)
  return made
}

/** Null where there is anything but text. */
function plainText({ nodes }: TemplateTree): string | null {
  let text = ''
  for (const node of nodes) {
    if (node.type !== 'text') return null
    text += node.text
  }
  return text
}

export const renderPrompt = (template: Renderable, options: RenderPromptOptions): RenderPromptResult =>
  renderPromptAs(template, options, ({ text, from, at }, trust, secret) => ({ text, from, at, trust, secret }))

type MakeSegment<S> = (segment: Segment, trust: Trust, secret: string | null) => S

/** For a caller that adds data to each segment: each is made once, in the caller's form. */
export function renderPromptAs<S extends { readonly text: string }>(
  template: Renderable,
  options: RenderPromptOptions,
  make: MakeSegment<S>,
): RenderPromptResult<S> {
  const { parsed, used, hash } = prepared.get(template) ?? prepare(template)
  if (!parsed.ok) return invalid(parsed.problems.map(({ message }) => message).join('; '))
  const binding = bindVariables(template.variables ?? [], options)
  if (!binding.ok) return { ok: false, problems: binding.problems }
  const { bound } = binding
  const { maxLength } = options
  const values = recordOf(bound.keys(), name => bound.get(name)!.value)
  const rendered = renderTemplate(parsed.template, values, { lenient: true, ...(maxLength === undefined ? {} : { maxLength }) })
  if (!rendered.ok) return invalid(rendered.problems.map(({ message }) => message).join('; '))
  const { text, segments } = observed(rendered, bound, make)
  // Markers around untrusted values count, too.
  if (maxLength !== undefined && text.length > maxLength) return invalid(`the text has more than ${maxLength} characters`)
  return {
    ok: true,
    rendered: {
      text,
      templateHash: hash ?? digestText(text),
      variableHashes: recordOf(used.declared, name => digestText(printed(values[name] ?? null))),
      segments,
      contentTrust: used.declared.some(name => isForeign(bound.get(name))) ? 'untrusted' : 'trusted',
      warnings: used.undeclared.map(name => `"${name}" is not declared and renders as empty text`),
    },
  }
}

const invalid = (message: string): RenderPromptResult<never> => ({
  ok: false,
  problems: [{ code: 'prompt_template_invalid', variable: '', message }],
})

/** Fields of its own, also where a name is `__proto__`. This runs for every prompt; Object.fromEntries takes six times as long. */
function recordOf<T>(names: Iterable<string>, valueFor: (name: string) => T): Readonly<Record<string, T>> {
  const record: Record<string, T> = {}
  for (const name of names) {
    const value = valueFor(name)
    if (name !== '__proto__') record[name] = value
    else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return record
}

interface UsedNames {
  readonly declared: readonly string[]
  readonly undeclared: readonly string[]
}

/** The variables that the template uses, for any values; all of them when it uses all values together. */
function usedBy(tree: TemplateTree, variables: readonly TemplateVariable[]): UsedNames {
  const names = new Set(findUses(tree).uses.map(({ variable }) => variable))
  const declared = variables.map(({ name }) => name)
  return {
    declared: (names.has(null) ? declared : declared.filter(name => names.has(name))).toSorted(),
    undeclared: [...names].filter(name => name !== null && !declared.includes(name)).toSorted() as string[],
  }
}

const isForeign = (bound: BoundValue | undefined): boolean => bound?.trust === 'untrusted' && bound.value !== null

const rootOf = (path: string): string => /^[^.[]*/.exec(path)![0]
const printed = (value: Json): string => (value === null ? '' : typeof value === 'string' ? value : canonicalJson(value))

/** Most prompts hold nothing foreign and nothing secret: they are shown as they were rendered. */
function observed<S extends { readonly text: string }>(
  { text, segments }: { readonly text: string; readonly segments: readonly Segment[] },
  bound: ReadonlyMap<string, BoundValue>,
  make: MakeSegment<S>,
): Pick<RenderedPrompt<S>, 'text' | 'segments'> {
  let [hasForeign, hasSecret] = [false, false]
  for (const value of bound.values()) {
    hasForeign ||= isForeign(value)
    hasSecret ||= value.secret !== null
  }
  if (!hasForeign && !hasSecret) return { text, segments: segments.map(segment => make(segment, 'trusted', null)) }
  const shown = segments.map(segment => observable(segment, bound, hasForeign, make))
  return { text: shown.map(segment => segment.text).join(''), segments: shown }
}

/** Text that no single variable accounts for, such as the key of an object, is untrusted as soon as one variable is. */
function observable<S>(segment: Segment, bound: ReadonlyMap<string, BoundValue>, hasForeign: boolean, make: MakeSegment<S>): S {
  const { text, from, at } = segment
  const value = from === null ? undefined : bound.get(rootOf(from))
  const foreign = value === undefined ? from !== null && hasForeign : isForeign(value)
  if (!foreign) return make(segment, 'trusted', value?.secret ?? null)
  return make({ text: fenced(text), from, at }, 'untrusted', null)
}
