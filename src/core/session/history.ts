// The messages of a conversation, oldest first, as a list in chunks: appending and naming cost the same at any length.
import { canonicalJson, type Digest, digestText, isDigest, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { readJson } from '../schema/json-text.ts'

/** A piece that is full is closed and never written again. */
export const PIECE = 32

export interface History {
  /** The last closed piece; it names the one before it. */
  readonly closed: Digest | null
  /** Messages since, fewer than a piece holds. */
  readonly open: readonly Digest[]
  readonly count: number
}

/** A text to be stored, with its name. */
export interface StoredText {
  readonly digest: Digest
  readonly text: string
}

export interface HistoryHead {
  readonly head: Digest | null
  readonly count: number
}

export interface HistoryNode {
  readonly previous: Digest | null
  readonly messages: readonly Digest[]
  /** The number of messages up to here. */
  readonly count: number
}

export const emptyHistory: History = { closed: null, open: [], count: 0 }

export function appendMessage({ closed, open, count }: History, message: Digest): History {
  const longer: History = { closed, open: [...open, message], count: count + 1 }
  return longer.open.length < PIECE ? longer : { closed: nodeOf(longer).digest, open: [], count: count + 1 }
}

/** The chunks that these messages close: the store needs them before the history can be read from its head. */
export function closedPieces(before: History, messages: readonly Digest[]): readonly StoredText[] {
  const closed: StoredText[] = []
  let history = before
  for (const message of messages) {
    const { closed: previous, open, count } = history
    if (open.length === PIECE - 1) closed.push(nodeOf({ closed: previous, open: [...open, message], count: count + 1 }))
    history = appendMessage(history, message)
  }
  return closed
}

/** The whole history by one name; a text where that name is still to be stored. */
export function historyHead(history: History): HistoryHead & { readonly stored: StoredText | null } {
  const { closed, open, count } = history
  if (open.length === 0) return { head: closed, count, stored: null }
  const stored = nodeOf(history)
  return { head: stored.digest, count, stored }
}

function nodeOf({ closed, open, count }: History): StoredText {
  const text = canonicalJson({ $node: 'history', previous: closed, messages: open, count } as unknown as Json)
  return { digest: digestText(text), text }
}

const isNamed = (value: Json): boolean => typeof value === 'string' && isDigest(value)

/** Null for anything else than a piece of history. */
export function readHistoryNode(text: string): HistoryNode | null {
  const read = readJson(text)
  if (!read.ok || !isObject(read.value)) return null
  const { $node, previous = null, messages, count } = read.value
  const isNode = $node === 'history' && (previous === null || isNamed(previous)) && Array.isArray(messages) && messages.every(isNamed)
  return isNode ? { previous: previous as Digest | null, messages: messages as readonly Digest[], count: Number(count) } : null
}

/** All messages, oldest first. `read` returns the text of a stored chunk; null when a chunk is missing. */
export function readHistory({ head }: HistoryHead, read: (digest: Digest) => string | null): readonly Digest[] | null {
  const pieces: (readonly Digest[])[] = []
  for (let at = head; at !== null; ) {
    const text = read(at)
    const node = text === null ? null : readHistoryNode(text)
    if (node === null) return null
    pieces.push(node.messages)
    at = node.previous
  }
  return pieces.reverse().flat()
}
