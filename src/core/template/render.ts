// Values into text, piece by piece, each piece knowing where it came from. Never escapes, never expands a value again, never runs away.
import type { Json } from '../digest/digest.ts'
import { canonicalJson } from '../digest/digest.ts'
import type { Block, Node, Output, Span, Template } from './ast.ts'
import { enter, itemPath, type Lookup, lookupOf, type Scope } from './scope.ts'

/** One piece of a rendered text. */
export interface Segment {
  readonly text: string
  /** The variable path it came from; null for the template's own words. */
  readonly from: string | null
  /** Where in the template's source it came from. */
  readonly at: Span
}

export type RenderProblemCode = 'value-missing' | 'value-not-json' | 'output-too-long' | 'too-many-steps'

export interface RenderProblem extends Span {
  readonly code: RenderProblemCode
  readonly message: string
}

export type Rendered =
  | { readonly ok: true; readonly text: string; readonly segments: readonly Segment[] }
  | { readonly ok: false; readonly problems: readonly RenderProblem[] }

export interface RenderOptions {
  /** Renders what is missing as empty text instead of refusing. */
  readonly lenient?: boolean
  /** In UTF-16 units. */
  readonly maxLength?: number
  readonly maxSteps?: number
}

const MAX_LENGTH = 16 * 1024 * 1024
const MAX_STEPS = 1_000_000
const MAX_VALUE_DEPTH = 200

interface Sink {
  text: string
  readonly segments: Segment[]
  readonly problems: RenderProblem[]
  readonly lenient: boolean
  readonly maxLength: number
  stepsLeft: number
  halted: boolean
}

type Step = (scope: Scope, sink: Sink) => void

const prepared = new WeakMap<Template, Step>()

export function renderTemplate(template: Template, values: Readonly<Record<string, Json>>, options: RenderOptions = {}): Rendered {
  let run = prepared.get(template)
  if (run === undefined) prepared.set(template, (run = prepareList(template.nodes, [])))
  const sink: Sink = {
    text: '',
    segments: [],
    problems: [],
    lenient: options.lenient ?? false,
    maxLength: options.maxLength ?? MAX_LENGTH,
    stepsLeft: options.maxSteps ?? MAX_STEPS,
    halted: false,
  }
  run({ context: values, path: '', up: null, loop: null, params: null, root: values }, sink)
  if (sink.problems.length > 0) return { ok: false, problems: sink.problems }
  return { ok: true, text: sink.text, segments: sink.segments }
}

function prepareList(nodes: readonly Node[], names: readonly (readonly string[])[]): Step {
  const steps = nodes.map(node => prepare(node, names))
  const at = { start: nodes[0]?.at.start ?? 0, end: nodes.at(-1)?.at.end ?? 0 }
  return (scope, sink) => {
    sink.stepsLeft -= steps.length
    if (sink.stepsLeft < 0) return halt(sink, 'too-many-steps', 'Rendering takes too many steps: loops inside loops over large lists', at)
    for (const step of steps) {
      if (sink.halted) return
      step(scope, sink)
    }
  }
}

function prepare(node: Node, names: readonly (readonly string[])[]): Step {
  switch (node.type) {
    case 'text': {
      const segment: Segment = { text: node.text, from: null, at: node.at }
      return (_, sink) => emit(sink, segment)
    }
    case 'output':
      return prepareOutput(node, lookupOf(node.path, names))
    case 'block':
      return prepareBlock(node, names)
  }
}

function prepareOutput({ at }: Output, { find, name }: Lookup): Step {
  return (scope, sink) => {
    const value = find(scope)
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return report(sink, 'value-not-json', `"${name(scope)}" is not valid Unicode`, at)
      if (value !== '') emit(sink, { text: value, from: name(scope), at })
    } else if (value === undefined) {
      if (!sink.lenient) report(sink, 'value-missing', `"${name(scope)}" has no value`, at)
    } else if (value !== null) {
      const text = print(value)
      if (text === null) report(sink, 'value-not-json', `"${name(scope)}" is not plain JSON`, at)
      else emit(sink, { text, from: name(scope), at })
    }
  }
}

function prepareBlock(block: Block, names: readonly (readonly string[])[]): Step {
  const { keyword, includeZero, at } = block
  const { find, name } = lookupOf(block.subject, names)
  const body = prepareList(block.body, block.params.length > 0 ? [block.params, ...names] : names)
  const otherwise = prepareList(block.otherwise, names)

  if (keyword === 'if' || keyword === 'unless') {
    const wanted = keyword === 'if'
    return (scope, sink) => (isTrue(find(scope), includeZero) === wanted ? body : otherwise)(scope, sink)
  }

  const hasOtherwise = block.otherwise.length > 0
  const bind = block.params.length > 0
  const missing = (scope: Scope, sink: Sink) => report(sink, 'value-missing', `"${name(scope)}" has no value`, at)

  if (keyword === 'with')
    return (scope, sink) => {
      const value = find(scope)
      if (value === undefined && !sink.lenient && !hasOtherwise) return missing(scope, sink)
      if (isEmpty(value)) return otherwise(scope, sink)
      const path = name(scope)
      const params = bind ? { values: [value], paths: [path], up: scope.params } : scope.params
      body(enter(scope, value, path, scope.loop, params), sink)
    }

  return (scope, sink) => {
    const value = find(scope)
    if (value === undefined && !sink.lenient && !hasOtherwise) return missing(scope, sink)
    const keys = keysOf(value)
    if (keys.length === 0) return otherwise(scope, sink)
    const base = name(scope)
    const items = value as Readonly<Record<string | number, Json>>
    for (let index = 0; index < keys.length && !sink.halted; index++) {
      const key = keys[index]!
      const item = items[key]
      const path = itemPath(base, key)
      const loop = { index, key, first: index === 0, last: index === keys.length - 1, up: scope.loop }
      const params = bind ? { values: [item, key], paths: [path, '@key'], up: scope.params } : scope.params
      body(enter(scope, item, path, loop, params), sink)
    }
  }
}

function keysOf(value: Json | undefined): readonly (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()]
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

const isEmpty = (value: Json | undefined): boolean => (Array.isArray(value) ? value.length === 0 : !value && value !== 0)
const isTrue = (value: Json | undefined, includeZero: boolean): boolean => (includeZero || value !== 0) && !isEmpty(value)

/** Numbers and booleans as JavaScript prints them; lists and objects as canonical JSON. Null when it is none of these. */
function print(value: Json): string | null {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'object' || isDeeper(value, MAX_VALUE_DEPTH)) return null
  try {
    return canonicalJson(value)
  } catch {
    return null // lone surrogates, functions: not JSON
  }
}

function isDeeper(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return limit === 0 || Object.values(value).some(inner => isDeeper(inner, limit - 1))
}

function emit(sink: Sink, segment: Segment): void {
  sink.text += segment.text
  sink.segments.push(segment)
  if (sink.text.length > sink.maxLength)
    halt(sink, 'output-too-long', `The rendered text is longer than ${sink.maxLength} characters`, segment.at)
}

function report(sink: Sink, code: RenderProblemCode, message: string, at: Span): void {
  // A list of a thousand items that all lack a field is one mistake, not a thousand.
  if (!sink.problems.some(problem => problem.code === code && problem.start === at.start)) sink.problems.push({ code, message, ...at })
}

function halt(sink: Sink, code: RenderProblemCode, message: string, at: Span): void {
  sink.halted = true
  sink.problems.push({ code, message, ...at })
}
