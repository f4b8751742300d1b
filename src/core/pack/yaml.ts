// Reads one plain YAML document as JSON, with the position of every node. A YAML feature beyond JSON is a reported
// problem, never a crash.
import { Composer, CST, type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, type Pair, Parser, type Scalar } from 'yaml'
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import type { Pointer } from '../schema/pointer.ts'
import { commentStarts, locate, scalarSpan } from './locate.ts'
import type { Place, Span } from './place.ts'

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
  /** Undefined when the document has no JSON value. */
  readonly value: Json | undefined
  readonly problems: readonly YamlProblem[]
  readonly ambiguous: readonly AmbiguousScalar[]
  /** The position in the text; for a missing place, the nearest one that exists. */
  locate(place: Place): Span
  /** The source of the scalar at this pointer, which an edit may replace. Null without one. */
  scalarSpan(pointer: Pointer): Span | null
  /** Offsets of each `#` that opens a comment and is not part of a text. */
  commentStarts(): ReadonlySet<number>
}

const MAX_DEPTH = 100
/** The maximum number of values that aliases expand to. A file that needs more is an attack, or generated. */
const MAX_ALIASED = 10_000
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s]\S.*)?$/
const OLD_BOOLEAN = /^(?:yes|no|on|off)$/i
const OPTIONS = {
  schema: 'core',
  version: '1.2',
  logLevel: 'silent',
  stringKeys: true,
  // The library compares every key with every other; ours is one set per map.
  uniqueKeys: false,
} as const

export function readYaml(text: string): YamlDocument {
  const problems: YamlProblem[] = []
  const ambiguous: AmbiguousScalar[] = []
  problems.push(...unprintable(text))
  const document = compose(text, problems)
  const root = document?.contents ?? null
  if (root === null && problems.length === 0) problems.push({ start: 0, end: 1, message: 'The file is empty' })
  return {
    text,
    value: root === null ? undefined : toJson(root, problems, ambiguous),
    problems,
    ambiguous,
    locate: place => locate(text, root, place),
    scalarSpan: pointer => scalarSpan(text, root, pointer),
    commentStarts: () => commentStarts(text),
  }
}

/** The characters that the YAML specification excludes. Other readers refuse such a file, so this one does too. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ud800-\udfff\ue000-\ufffd]/g
const MOST_UNPRINTABLE = 20

const unprintable = (text: string): readonly YamlProblem[] =>
  [...text.matchAll(UNPRINTABLE)].slice(0, MOST_UNPRINTABLE).map(({ 0: character, index }) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return {
      start: index,
      end: index + 1,
      message: `The control character U+${code} cannot stand in YAML: remove it, or write "\\u${code}" in quotes`,
    }
  })

/** Null when it is nested too deep to be looked at: the library recurses, and a full stack ends the whole process. */
function compose(text: string, problems: YamlProblem[]): Document.Parsed | null {
  const parser = new Parser()
  const composer = new Composer(OPTIONS)
  const documents: Document.Parsed[] = []
  let inScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!inScalar && lexeme[0] === '!')
      problems.push({ start: parser.offset, end: parser.offset + lexeme.length, message: `Tags are not supported: remove ${lexeme}` })
    inScalar = lexeme === CST.SCALAR
    for (const token of parser.next(lexeme)) documents.push(...(composer.next(token) as Iterable<Document.Parsed>))
    if (parser.stack.length > MAX_DEPTH + 2) {
      problems.push({ start: parser.offset - 1, end: parser.offset, message: `Nested more than ${MAX_DEPTH} deep` })
      return null
    }
  }
  for (const token of parser.end()) documents.push(...(composer.next(token) as Iterable<Document.Parsed>))
  documents.push(...(composer.end(true, text.length) as Iterable<Document.Parsed>))
  const [document, second] = documents
  for (const error of [...document!.errors, ...document!.warnings]) problems.push(...explain(error))
  if (second !== undefined) {
    const start = second.contents?.range[0] ?? second.range[0]
    problems.push({ start, end: start + 1, message: 'A second YAML document begins here: keep one' })
  }
  return document!
}

function explain({
  pos: [start, end],
  code,
  message,
}: Document.Parsed['errors'][number] | Document.Parsed['warnings'][number]): YamlProblem[] {
  // Each tag was already reported at its place.
  if (code === 'TAG_RESOLVE_FAILED') return []
  const text = code === 'NON_STRING_KEY' ? 'Keys must be text: put this one in quotes' : message
  return [{ start, end: Math.max(end, start + 1), message: text }]
}

/** Walks the tree once: returns the JSON value, and a problem for each YAML feature that JSON lacks. */
function toJson(root: Node, problems: YamlProblem[], ambiguous: AmbiguousScalar[]): Json {
  const anchored = new Map<string, { readonly value: Json; readonly size: number } | null>()
  let size = 0
  let aliased = 0
  const problem = (node: Node, message: string): null => {
    const [start, end] = node.range ?? [0, 1]
    problems.push({ start, end: Math.max(start + 1, Math.min(end, start + 80)), message })
    return null
  }

  const visit = (node: Node | null, pointer: Pointer): Json => {
    if (isAlias(node)) {
      const target = anchored.get(node.source)
      if (target === undefined) return problem(node, `The alias *${node.source} names no anchor before it`)
      if (target === null) return problem(node, `The alias *${node.source} is inside its own anchor`)
      aliased += target.size
      if (aliased > MAX_ALIASED)
        return aliased - target.size > MAX_ALIASED ? null : problem(node, `Aliases stand for more than ${MAX_ALIASED} values`)
      size += target.size
      return isDeeperThan(target.value, MAX_DEPTH - pointer.length) ? problem(node, `Nested more than ${MAX_DEPTH} deep`) : target.value
    }
    const anchor = node?.anchor
    if (anchor === undefined) return plain(node, pointer)
    const before = size
    anchored.set(anchor, null)
    const value = plain(node, pointer)
    anchored.set(anchor, { value, size: size - before })
    return value
  }

  const plain = (node: Node | null, pointer: Pointer): Json => {
    size++
    if (pointer.length > MAX_DEPTH) return problem(node!, `Nested more than ${MAX_DEPTH} deep`)
    if (isMap(node)) return object(node.items as Pair<Scalar, Node | null>[], pointer)
    if (isSeq(node)) return node.items.map((item, index) => visit(item as Node, [...pointer, index]))
    return isScalar(node) ? scalar(node, pointer) : null
  }

  const object = (pairs: readonly Pair<Scalar, Node | null>[], pointer: Pointer): Json => {
    const entries = new Map<string, Json>()
    for (const { key, value } of pairs) {
      const name = String(isScalar(key) ? key.value : key)
      if (entries.has(name)) problem(key, `The key "${name}" occurs here a second time`)
      if (name === '<<' && key.type === 'PLAIN') problem(key, 'Merge keys << are not supported')
      if (!name.isWellFormed()) problem(key, 'Half a surrogate pair: not valid Unicode')
      else entries.set(name, visit(value, [...pointer, name]))
    }
    return Object.fromEntries(entries)
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

  return visit(root, [])
}
