// One template into one text: rendered once, redacted, with foreign words fenced in. Everything that shows or sends a prompt goes through here.
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import type { TemplateVariable } from '../library/template.ts'
import type { TemplateTree } from '../template/ast.ts'
import { type Parsed, parseTemplate } from '../template/parse.ts'
import { renderTemplate, type Segment } from '../template/render.ts'
import { findUses } from '../template/uses.ts'
import { type BindOptions, type BindProblem, type BoundValue, bindVariables, type Trust } from './bind.ts'
import { FENCE } from './foreign.ts'

export interface PromptSegment extends Segment {
  readonly trust: Trust
  /** The id of the secret whose place this is. */
  readonly secret: string | null
}

export interface RenderedPrompt {
  /** What may be seen: secrets redacted, untrusted values between markers. */
  readonly text: string
  readonly templateHash: Digest
  /** Of every variable that the template uses. */
  readonly variableHashes: Readonly<Record<string, Digest>>
  readonly segments: readonly PromptSegment[]
  readonly contentTrust: Trust
  readonly warnings: readonly string[]
}

export type RenderPromptProblem =
  | BindProblem
  | { readonly code: 'prompt_template_invalid'; readonly variable: ''; readonly message: string }

export type RenderPromptResult =
  | { readonly ok: true; readonly rendered: RenderedPrompt }
  | { readonly ok: false; readonly problems: readonly RenderPromptProblem[] }

/** What rendering needs of a template. */
export interface Renderable {
  readonly text: string
  readonly variables?: readonly TemplateVariable[]
}

/** A template that is rendered again is not read again. */
const prepared = new WeakMap<Renderable, Prepared>()

interface Prepared {
  readonly parsed: Parsed
  readonly used: UsedNames
}

function prepare(template: Renderable): Prepared {
  const parsed = parseTemplate(template.text)
  const used = parsed.ok ? usedBy(parsed.template, template.variables ?? []) : { declared: [], undeclared: [] }
  prepared.set(template, { parsed, used })
  return { parsed, used }
}

export function renderPrompt(template: Renderable, options: BindOptions): RenderPromptResult {
  const { parsed, used } = prepared.get(template) ?? prepare(template)
  if (!parsed.ok) return invalid(parsed.problems.map(({ message }) => message).join('; '))
  const variables = template.variables ?? []
  const binding = bindVariables(variables, options)
  if (!binding.ok) return { ok: false, problems: binding.problems }
  const values: Readonly<Record<string, Json>> = Object.fromEntries([...binding.bound].map(([name, { value }]) => [name, value]))
  const rendered = renderTemplate(parsed.template, values, { lenient: true })
  if (!rendered.ok) return invalid(rendered.problems.map(({ message }) => message).join('; '))

  const { text, segments } = observed(rendered, binding.bound)
  return {
    ok: true,
    rendered: {
      text,
      templateHash: digestText(text),
      variableHashes: Object.fromEntries(used.declared.map(name => [name, digestText(printed(values[name] ?? null))])),
      segments,
      contentTrust: used.declared.some(name => isForeign(binding.bound.get(name))) ? 'untrusted' : 'trusted',
      warnings: used.undeclared.map(name => `"${name}" is not declared and renders as empty text`),
    },
  }
}

const invalid = (message: string): RenderPromptResult => ({
  ok: false,
  problems: [{ code: 'prompt_template_invalid', variable: '', message }],
})

interface UsedNames {
  readonly declared: readonly string[]
  readonly undeclared: readonly string[]
}

/** Which variables the template speaks of, whatever their values; all of them when it speaks of all values together. */
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
function observed(
  { text, segments }: { readonly text: string; readonly segments: readonly Segment[] },
  bound: ReadonlyMap<string, BoundValue>,
): Pick<RenderedPrompt, 'text' | 'segments'> {
  const values = [...bound.values()]
  const hasForeign = values.some(isForeign)
  if (!hasForeign && values.every(({ secret }) => secret === null))
    return {
      text,
      segments: segments.map(segment => ({ text: segment.text, from: segment.from, at: segment.at, trust: 'trusted', secret: null })),
    }
  const shown = segments.map(segment => observable(segment, bound, hasForeign))
  return { text: shown.map(segment => segment.text).join(''), segments: shown }
}

/** What no variable answers for alone, such as the key of an object, is as foreign as any of them. */
function observable({ text, from, at }: Segment, bound: ReadonlyMap<string, BoundValue>, hasForeign: boolean): PromptSegment {
  const value = from === null ? undefined : bound.get(rootOf(from))
  const foreign = value === undefined ? from !== null && hasForeign : isForeign(value)
  if (!foreign) return { text, from, at, trust: 'trusted', secret: value?.secret ?? null }
  return { text: `<UNTRUSTED>${text.replace(FENCE, '&lt;')}</UNTRUSTED>`, from, at, trust: 'untrusted', secret: null }
}
