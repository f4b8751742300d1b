// Maps a logical place to characters of the file, using the composed YAML tree.
import { CST, isMap, isScalar, isSeq, Lexer, type Node, type Pair, type YAMLMap } from 'yaml'
import type { Pointer } from '../schema/pointer.ts'
import type { Place, Span } from './place.ts'
import { offsetInScalar } from './scalar.ts'

interface Found {
  readonly key: Node | null
  readonly value: Node | null
  /** Whether the whole pointer was walked. */
  readonly whole: boolean
}

export function locate(text: string, root: Node | null, place: Place): Span {
  if (place.source !== undefined) return place.source
  const { key, value, whole } = descend(root, place.pointer)
  if (place.within !== undefined && whole && isScalar(value)) {
    const start = offsetInScalar(text, value, place.within.start)
    return { start, end: Math.max(start + 1, offsetInScalar(text, value, place.within.end)) }
  }
  // For a missing field, the key of its parent is a better place than the parent's whole body.
  const node = (place.key || !whole || value === null || isEmptyScalar(value)) && key !== null ? key : value
  const [start, end] = node?.range ?? [0, 1]
  return { start, end: Math.max(start + 1, end) }
}

export function scalarSpan(text: string, root: Node | null, pointer: Pointer): Span | null {
  const { value, whole } = descend(root, pointer)
  if (!whole || !isScalar(value) || !value.range) return null
  const [start, end] = value.range
  // A block scalar's range includes the line breaks behind it; the next node needs the last one.
  const isBlock = value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED'
  return { start, end: isBlock ? start + text.slice(start, end).trimEnd().length : end }
}

/** Where each comment of the file begins. */
export function commentStarts(text: string): ReadonlySet<number> {
  const starts = new Set<number>()
  let offset = 0
  let inScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!inScalar && lexeme[0] === '#') starts.add(offset)
    inScalar = lexeme === CST.SCALAR
    if (!inScalar && lexeme !== CST.DOCUMENT && lexeme !== CST.FLOW_END) offset += lexeme.length
  }
  return starts
}

/** As far along the pointer as the document goes. */
function descend(root: Node | null, pointer: Pointer): Found {
  let at: Found = { key: null, value: root, whole: true }
  for (const part of pointer) {
    const node = at.value
    const pair = isMap(node)
      ? pairsOf(node).get(String(part))
      : isSeq(node) && typeof part === 'number' && part < node.items.length
        ? { key: null, value: node.items[part] }
        : undefined
    if (pair === undefined) return { ...at, whole: false }
    at = { key: pair.key as Node | null, value: pair.value as Node | null, whole: true }
  }
  return at
}

const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

/** Cached once per map: a file may have thousands of keys and as many findings. The last of two equal keys wins. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const byKey = pairs.get(map) ?? new Map(map.items.flatMap(pair => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])))
  pairs.set(map, byKey)
  return byKey
}

const isEmptyScalar = (node: Node): boolean => isScalar(node) && node.range?.[0] === node.range?.[1]
