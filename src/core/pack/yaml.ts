// One plain YAML document as JSON, with the position of every node. Whatever YAML can do beyond JSON is a problem, never a crash.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar } from 'yaml'
import type { Json } from '../digest/digest.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Place, Span } from './place.ts'
import { offsetInScalar } from './scalar.ts'

export interface YamlProblem extends Span {
  readonly message: string
}

/** A plain scalar that other YAML readers take for a date or a boolean. */
export interface AmbiguousScalar {
  readonly pointer: Pointer
  readonly value: string
  readonly readAs: 'date' | 'boolean'
}

export interface YamlDocument {
  readonly text: string
  /** Undefined when there is no JSON value to speak of. */
  readonly value: Json | undefined
  readonly problems: readonly YamlProblem[]
  readonly ambiguous: readonly AmbiguousScalar[]
  /** Where it stands in the text; the nearest place that exists, when the asked one does not. */
  locate(place: Place): Span
  /** The source of the scalar at this pointer: what an edit may replace. Null when there is none. */
  scalarSpan(pointer: Pointer): Span | null
}

const MAX_ALIASES = 100
const MAX_DEPTH = 100
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s]\S.*)?$/
const OLD_BOOLEAN = /^(?:yes|no|on|off)$/i

export function readYaml(text: string): YamlDocument {
  const document = parseDocument(text, {
    schema: 'core',
    version: '1.2',
    prettyErrors: false,
    logLevel: 'silent',
    stringKeys: true,
  })
  const problems: YamlProblem[] = [...document.errors, ...document.warnings].map(({ pos: [start, end], code, message }) => ({
    start,
    end: Math.max(end, start + 1),
    message: explain(code, message),
  }))
  const ambiguous: AmbiguousScalar[] = []
  const root = document.contents
  if (root === null && problems.length === 0) problems.push({ start: 0, end: 1, message: 'The file is empty' })
  const value = root === null ? undefined : toJson(document, problems, ambiguous)
  return {
    text,
    value,
    problems,
    ambiguous,
    locate: place => locate(text, root, place),
    scalarSpan: pointer => {
      const node = descend(root, pointer).value
      return isScalar(node) && node.range ? { start: node.range[0], end: node.range[1] } : null
    },
  }
}

function explain(code: string, message: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'This key stands here a second time'
    case 'MULTIPLE_DOCS':
      return 'The file holds more than one YAML document: keep one'
    case 'TAG_RESOLVE_FAILED':
      return `Tags are not supported: remove ${message.replace(/^Unresolved tag: /, '')}`
    default:
      return message
  }
}

/** Walks the tree once: a value for us, and a problem for each thing that JSON cannot say. */
function toJson(document: Document.Parsed, problems: YamlProblem[], ambiguous: AmbiguousScalar[]): Json | undefined {
  let aliases = 0
  const problem = (node: Node, message: string): null => {
    const [start, end] = node.range ?? [0, 1]
    problems.push({ start, end: Math.min(end, start + 80), message })
    return null
  }

  const visit = (node: unknown, pointer: Pointer): Json => {
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) return aliases === MAX_ALIASES + 1 ? problem(node, `More than ${MAX_ALIASES} aliases`) : null
      const target = node.resolve(document)
      // An alias inside what it names would never end.
      if (target === undefined || (target.range && node.range && target.range[0] <= node.range[0] && node.range[1] <= target.range[1]))
        return problem(node, `The alias *${node.source} names nothing that stands before it`)
      return visit(target, pointer)
    }
    if (pointer.length > MAX_DEPTH) return problem(node as Node, `Nested more than ${MAX_DEPTH} deep`)
    if (isMap(node)) {
      const entries: [string, Json][] = []
      for (const { key, value } of node.items as Pair<Scalar, Node | null>[]) {
        const name = String(isScalar(key) ? key.value : key)
        if (name === '<<') problem(key, 'Merge keys << are not supported')
        entries.push([name, visit(value, [...pointer, name])])
      }
      return Object.fromEntries(entries)
    }
    if (isSeq(node)) return node.items.map((item, index) => visit(item, [...pointer, index]))
    return isScalar(node) ? scalar(node, pointer) : null
  }

  const scalar = (node: Scalar, pointer: Pointer): Json => {
    const { value } = node
    if (typeof value === 'string') {
      if (node.type === 'PLAIN' && DATE.test(value)) ambiguous.push({ pointer, value, readAs: 'date' })
      if (node.type === 'PLAIN' && OLD_BOOLEAN.test(value)) ambiguous.push({ pointer, value, readAs: 'boolean' })
      return value.isWellFormed() ? value : problem(node, 'Half a surrogate pair: not valid Unicode')
    }
    if (typeof value === 'number') return Number.isFinite(value) ? value : problem(node, `${node.source} is not a JSON number`)
    return typeof value === 'boolean' ? value : null
  }

  for (const node of document.contents === null ? [] : tagged(document.contents, 0))
    problem(node, `Tags are not supported: remove ${node.tag}`)
  return visit(document.contents, [])
}

/** Nodes with a tag written by hand that the parser knows (`!!set`); those it does not know it reports itself. */
function* tagged(node: Node, depth: number): Iterable<Node> {
  if (node.tag?.startsWith('tag:yaml.org') && node.srcToken !== undefined) yield node
  if (depth > MAX_DEPTH) return
  if (isMap(node)) for (const { value } of node.items) if (value !== null) yield* tagged(value as Node, depth + 1)
  if (isSeq(node)) for (const item of node.items) yield* tagged(item as Node, depth + 1)
}

interface Found {
  readonly key: Node | null
  readonly value: Node | null
  /** Whether the whole pointer was walked. */
  readonly whole: boolean
}

/** As far along the pointer as the document goes. */
function descend(root: Node | null, pointer: Pointer): Found {
  let found: Found = { key: null, value: root, whole: true }
  for (const part of pointer) {
    const node = found.value
    const pair = isMap(node)
      ? node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(part))
      : isSeq(node) && typeof part === 'number' && part < node.items.length
        ? { key: null, value: node.items[part] }
        : undefined
    if (pair === undefined) return { ...found, whole: false }
    found = { key: pair.key as Node | null, value: pair.value as Node | null, whole: true }
  }
  return found
}

function locate(text: string, root: Node | null, place: Place): Span {
  if (place.source !== undefined) return place.source
  const { key, value, whole } = descend(root, place.pointer)
  // Of a missing field, its parent's key says more than its parent's whole body.
  const node = (place.key || !whole || value === null || isEmptyScalar(value)) && key !== null ? key : value
  const [start, end] = node?.range ?? [0, 1]
  if (place.within !== undefined && whole && isScalar(value)) {
    return { start: offsetInScalar(text, value, place.within.start), end: offsetInScalar(text, value, place.within.end) }
  }
  return { start, end: Math.max(start + 1, end) }
}

const isEmptyScalar = (node: Node): boolean => isScalar(node) && node.range?.[0] === node.range?.[1]
