// Folder: The common beginning of two requests, the first difference, and its cost. It shows no text of a prompt.
// Measures how many bytes of a prompt the next step repeats from the start, which a provider can cache, and finds where that ends.
import type { Block, BlockSegment } from '../compose/parts.ts'
import type { Digest } from '../digest/digest.ts'
import type { Layer } from '../resolve/layers.ts'
import type { Node } from '../template/ast.ts'
import { parseTemplate } from '../template/parse.ts'

export type SentPart = 'tools' | 'system' | 'prelude' | 'history' | 'user'

/**
 * A tool or a stored message, in the order in which they are counted: tools, system message, prelude, history, user message.
 * Its bytes are those of its canonical JSON, with secrets as slots.
 */
export interface SentPiece {
  readonly part: SentPart
  /** The name of a tool; null for other parts. */
  readonly name: string | null
  readonly digest: Digest
  readonly bytes: number
}

export const bytesOf = (pieces: readonly SentPiece[]): number => pieces.reduce((sum, { bytes }) => sum + bytes, 0)

export interface Kept {
  /** The bytes of whole pieces, from the start. */
  readonly bytes: number
  /** The first different piece; null when the whole earlier prompt is there. */
  readonly broken: { readonly before: SentPiece; readonly after: SentPiece | null; readonly index: number } | null
}

export function keptOf(before: readonly SentPiece[], after: readonly SentPiece[]): Kept {
  const index = before.findIndex(({ digest }, place) => digest !== after[place]?.digest)
  if (index < 0) return { bytes: bytesOf(before), broken: null }
  return { bytes: bytesOf(before.slice(0, index)), broken: { before: before[index]!, after: after[index] ?? null, index } }
}

const encoder = new TextEncoder()

/** How many bytes two texts begin with in common. */
export function commonBytes(one: string, other: string): number {
  const [first, second] = [encoder.encode(one), encoder.encode(other)]
  const differing = first.findIndex((byte, index) => byte !== second[index])
  return differing < 0 ? first.length : differing
}

/** The span where a system message differs from the earlier one. */
export interface BrokenSpan {
  readonly block: Block
  readonly template: string | null
  readonly layer: Layer | null
  readonly variable: string | null
  /** Where in the template. */
  readonly offset: number | null
  /** In bytes of the message's text: where it begins, and how long all is. */
  readonly at: number
  readonly of: number
}

const HEADER: readonly (Block | null)[] = ['system', 'role', 'mode']

/** @returns null when their system messages are equal */
export function brokenSpan(before: readonly BlockSegment[], after: readonly BlockSegment[]): BrokenSpan | null {
  const [was, is] = [headerOf(before), headerOf(after)]
  const most = Math.max(was.length, is.length)
  let index = 0
  while (index < most && was[index]?.text === is[index]?.text) index += 1
  const owner = ownerOf(was.slice(index), is.slice(index))
  if (owner === null) return null
  const { block, template, layer, from, at } = owner
  return { block: block!, template, layer, variable: from, offset: at?.start ?? null, at: sizeOf(is.slice(0, index)), of: sizeOf(is) }
}

const sizeOf = (segments: readonly BlockSegment[]): number => encoder.encode(segments.map(({ text }) => text).join('')).length

const headerOf = (segments: readonly BlockSegment[]): readonly BlockSegment[] =>
  segments.slice(0, segments.findLastIndex(({ block }) => HEADER.includes(block)) + 1)

/** The segment that causes a difference: it was replaced, removed or added. Separators cause none. */
function ownerOf(before: readonly BlockSegment[], after: readonly BlockSegment[]): BlockSegment | null {
  const [old, now] = [before, after].map(segments => segments.find(({ part }) => part !== null) ?? null)
  if (old == null || now == null) return now ?? old ?? null
  const isUsed = after.some(({ template }) => template === old.template)
  return isUsed && !after.some(one => isThere(one, old)) ? old : now
}

const isThere = (one: BlockSegment, other: BlockSegment): boolean => one.template === other.template && one.at?.start === other.at?.start

/** The variable that decides whether the text at this place of a template is rendered at all; null without one. */
export function decidedBy(source: string, offset: number): string | null {
  const parsed = parseTemplate(source)
  return parsed.ok ? deciderIn(parsed.template.nodes, offset) : null
}

function deciderIn(nodes: readonly Node[], offset: number): string | null {
  for (const node of nodes) {
    if (node.type !== 'block') continue
    const inside = [...node.body, ...(node.otherwise ?? [])]
    const inner = deciderIn(inside, offset)
    if (inner !== null) return inner
    if (inside.some(({ at }) => at.start === offset)) return node.subject.parts[0] ?? null
  }
  return null
}
