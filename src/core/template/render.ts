// Renders values into text, in segments with their sources. Never escapes, never expands a value again, always terminates.

import { type Json, tryCanonicalJson } from '../digest/digest.ts'
import type { BlockNode, Node, Span, TemplateTree } from './ast.ts'
import { enter, find, itemPath, itemPathsOf, type Lookup, lookupOf, pathOf, type Scope, usesLoop } from './scope.ts'

/** One piece of a rendered text. */
export interface Segment {
  readonly text: string
  /** The variable path it came from; null for the template's own text. */
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
  /** Renders a missing value as empty text instead of refusing. */
  readonly lenient?: boolean
  /** In UTF-16 units. */
  readonly maxLength?: number
  readonly maxSteps?: number
}

const MAX_LENGTH = 16 * 1024 * 1024
const MAX_STEPS = 1_000_000
const MAX_VALUE_DEPTH = 200

/** A list of nodes with their lookups settled. Made once per template. */
interface Steps {
  readonly list: readonly Step[]
  readonly counts: boolean
  /** The tag of the enclosing block. */
  readonly at: Span
}

interface OutputStep {
  readonly type: 'output'
  readonly lookup: Lookup
  readonly at: Span
}

interface BlockStep extends Pick<BlockNode, 'type' | 'keyword' | 'includeZero' | 'at'> {
  readonly lookup: Lookup
  readonly binds: boolean
  /** Whether anything inside uses @index and its like: most loops do not. */
  readonly counts: boolean
  readonly body: Steps
  readonly otherwise: Steps
  readonly hasElse: boolean
}

type Step = { readonly type: 'text'; readonly segment: Segment } | OutputStep | BlockStep

interface Sink {
  readonly segments: Segment[]
  /** By place. Made when there is a first one: most renders have none. */
  problems: Map<string, RenderProblem> | null
  readonly lenient: boolean
  readonly maxLength: number
  length: number
  stepsLeft: number
  halted: boolean
}

const prepared = new WeakMap<TemplateTree, Steps>()

export function renderTemplate(template: TemplateTree, values: Readonly<Record<string, Json>>, options: RenderOptions = {}): Rendered {
  const steps = prepared.get(template) ?? prepareTemplate(template)
  const sink: Sink = {
    segments: [],
    problems: null,
    lenient: options.lenient ?? false,
    maxLength: options.maxLength ?? MAX_LENGTH,
    length: 0,
    stepsLeft: options.maxSteps ?? MAX_STEPS,
    halted: false,
  }
  run(steps, { context: values, path: '', up: null, loop: null, params: null, root: values }, sink)
  if (sink.problems !== null) return { ok: false, problems: [...sink.problems.values()] }
  return { ok: true, text: textOf(sink.segments), segments: sink.segments }
}

function textOf(segments: readonly Segment[]): string {
  let text = ''
  for (const segment of segments) text += segment.text
  return text
}

function prepareTemplate(template: TemplateTree): Steps {
  const steps = prepare(template.nodes, [], { start: 0, end: template.source.length })
  prepared.set(template, steps)
  return steps
}

/** `names`: the block parameters in view, innermost first. */
function prepare(nodes: readonly Node[], names: readonly (readonly string[])[], at: Span): Steps {
  const list = nodes.map(node => prepareNode(node, names))
  return { list, counts: list.some(asksForLoop), at }
}

function prepareNode(node: Node, names: readonly (readonly string[])[]): Step {
  switch (node.type) {
    case 'text':
      return { type: 'text', segment: { text: node.text, from: null, at: node.at } }
    case 'output':
      return { type: 'output', lookup: lookupOf(node.path, names), at: node.at }
    case 'block': {
      const { type, keyword, includeZero, params, at } = node
      const binds = params.length > 0
      const body = prepare(node.body, binds ? [params, ...names] : names, at)
      const otherwise = prepare(node.otherwise ?? [], names, at)
      const hasElse = node.otherwise !== null
      return { type, keyword, includeZero, at, lookup: lookupOf(node.subject, names), binds, counts: body.counts, body, otherwise, hasElse }
    }
  }
}

const asksForLoop = (step: Step): boolean =>
  step.type !== 'text' && (usesLoop(step.lookup) || (step.type === 'block' && (step.body.counts || step.otherwise.counts)))

function run({ list, at }: Steps, scope: Scope, sink: Sink): void {
  // One more than there are, so that a loop around nothing is not free.
  sink.stepsLeft -= list.length + 1
  if (sink.stepsLeft < 0) return halt(sink, 'too-many-steps', 'Rendering takes too many steps: loops inside loops over large lists', at)
  for (const step of list) {
    if (sink.halted) return
    if (step.type === 'text') emit(step.segment, sink)
    else if (step.type === 'output') runOutput(step, scope, sink)
    else runBlock(step, scope, sink)
  }
}

function runOutput({ lookup, at }: OutputStep, scope: Scope, sink: Sink): void {
  const value = find(lookup, scope)
  if (value === null || value === '') return
  if (value === undefined) return sink.lenient ? undefined : reportMissing(lookup, at, scope, sink)
  const text = typeof value === 'string' ? value : print(value)
  const from = pathOf(lookup, scope) || 'this'
  if (text === null) report(sink, 'value-not-json', `"${from}" is not plain JSON`, at)
  else if (!text.isWellFormed()) report(sink, 'value-not-json', `"${from}" is not valid Unicode`, at)
  else emit({ text, from, at }, sink)
}

function runBlock(block: BlockStep, scope: Scope, sink: Sink): void {
  const { keyword, lookup, body, otherwise, hasElse, at } = block
  const value = find(lookup, scope)
  if (keyword === 'if' || keyword === 'unless')
    return run(isTrue(value, block.includeZero) === (keyword === 'if') ? body : otherwise, scope, sink)
  if (value === undefined && !sink.lenient && !hasElse) return reportMissing(lookup, at, scope, sink)
  return keyword === 'with' ? runWith(block, value, scope, sink) : runEach(block, value, scope, sink)
}

function runWith({ lookup, binds, body, otherwise }: BlockStep, value: Json | undefined, scope: Scope, sink: Sink): void {
  if (isEmpty(value)) return run(otherwise, scope, sink)
  const path = pathOf(lookup, scope)
  const params = binds ? { values: [value], paths: [path], up: scope.params } : scope.params
  run(body, enter(scope, value, path, scope.loop, params), sink)
}

function runEach({ lookup, binds, counts, body, otherwise }: BlockStep, value: Json | undefined, scope: Scope, sink: Sink): void {
  if (typeof value !== 'object' || value === null) return run(otherwise, scope, sink)
  const items = value as Readonly<Record<string | number, Json>>
  const names = Array.isArray(value) ? null : Object.keys(value)
  const count = names === null ? (value as readonly Json[]).length : names.length
  if (count === 0) return run(otherwise, scope, sink)
  const base = pathOf(lookup, scope)
  const paths = itemPathsOf(lookup, base)
  for (let index = 0; index < count && !sink.halted; index++) {
    const key = names === null ? index : names[index]!
    const item = items[key]
    const path = itemPath(paths, base, key)
    const loop = counts ? { index, key, first: index === 0, last: index === count - 1, up: scope.loop } : scope.loop
    const params = binds ? { values: [item, key], paths: [path, '@key'], up: scope.params } : scope.params
    run(body, enter(scope, item, path, loop, params), sink)
  }
}

const isEmpty = (value: Json | undefined): boolean => (Array.isArray(value) ? value.length === 0 : !value && value !== 0)
const isTrue = (value: Json | undefined, includeZero: boolean): boolean => (includeZero || value !== 0) && !isEmpty(value)

/** Numbers and booleans as JavaScript prints them; lists and objects as canonical JSON. Null for any other value. */
function print(value: Json): string | null {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  return typeof value === 'object' ? tryCanonicalJson(value, MAX_VALUE_DEPTH) : null
}

function emit(segment: Segment, sink: Sink): void {
  sink.segments.push(segment)
  sink.length += segment.text.length
  if (sink.length > sink.maxLength)
    halt(sink, 'output-too-long', `The rendered text is longer than ${sink.maxLength} characters`, segment.at)
}

const reportMissing = (lookup: Lookup, at: Span, scope: Scope, sink: Sink): void =>
  report(sink, 'value-missing', `"${pathOf(lookup, scope) || 'this'}" has no value`, at)

/** Reports once per place: a list of a thousand items that all lack a field is one mistake, not a thousand. */
function report(sink: Sink, code: RenderProblemCode, message: string, at: Span): void {
  sink.problems ??= new Map()
  const place = `${code} ${at.start}`
  if (!sink.problems.has(place)) sink.problems.set(place, { code, message, ...at })
}

function halt(sink: Sink, code: RenderProblemCode, message: string, at: Span): void {
  sink.halted = true
  report(sink, code, message, at)
}
