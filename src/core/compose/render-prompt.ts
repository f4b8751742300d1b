// One template into one text: rendered once, redacted, with foreign words fenced in. Everything that shows or sends a prompt goes through here.
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import type { TemplateVariable } from '../library/template.ts'
import { type Parsed, parseTemplate } from '../template/parse.ts'
import { renderTemplate, type Segment } from '../template/render.ts'
import { type BindOptions, type BindProblem, type BoundValue, bindVariables, type Trust } from './bind.ts'

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

/** A template that is rendered again is not parsed again. */
const parses = new WeakMap<Renderable, Parsed>()

export function renderPrompt(template: Renderable, options: BindOptions): RenderPromptResult {
  const parsed = parses.get(template) ?? parseTemplate(template.text)
  parses.set(template, parsed)
  if (!parsed.ok) return invalid(parsed.problems.map(({ message }) => message).join('; '))
  const variables = template.variables ?? []
  const binding = bindVariables(variables, options)
  if (!binding.ok) return { ok: false, problems: binding.problems }
  const values: Record<string, Json> = {}
  for (const [name, { value }] of binding.bound) values[name] = value
  const rendered = renderTemplate(parsed.template, values, { lenient: true })
  if (!rendered.ok) return invalid(rendered.problems.map(({ message }) => message).join('; '))

  const segments = rendered.segments.map(segment => observable(segment, binding.bound))
  const text = segments.map(segment => segment.text).join('')
  const used = new Set(segments.flatMap(({ from }) => (from === null ? [] : [rootOf(from)])))
  return {
    ok: true,
    rendered: {
      text,
      templateHash: digestText(text),
      variableHashes: Object.fromEntries([...used].sort().map(name => [name, digestText(printed(values[name] ?? null))])),
      segments,
      contentTrust: segments.some(({ trust }) => trust === 'untrusted') ? 'untrusted' : 'trusted',
      warnings: [...used].filter(name => !binding.bound.has(name)).map(name => `"${name}" is not declared and renders as empty text`),
    },
  }
}

const invalid = (message: string): RenderPromptResult => ({
  ok: false,
  problems: [{ code: 'prompt_template_invalid', variable: '', message }],
})

const rootOf = (path: string): string => /^[^.[]*/.exec(path)![0]
const printed = (value: Json): string => (value === null ? '' : typeof value === 'string' ? value : canonicalJson(value))

/** What would open or close a fence, whatever its case and blanks. */
const FENCE = /<(?=\s*\/?\s*untrusted)/gi

function observable({ text, from, at }: Segment, bound: ReadonlyMap<string, BoundValue>): PromptSegment {
  const value = from === null ? undefined : bound.get(rootOf(from))
  if (value?.trust !== 'untrusted') return { text, from, at, trust: 'trusted', secret: value?.secret ?? null }
  return { text: `<UNTRUSTED>${text.replace(FENCE, '&lt;')}</UNTRUSTED>`, from, at, trust: 'untrusted', secret: null }
}
