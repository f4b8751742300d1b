// Folder: The bytes of an event, the chain, references, checkpoints, projections as data, and the walk that verifies a stream. It does not interpret events.
// Writes and reads events: their immutable bytes, and the chain that links them. Does not interpret payloads.

import { isDeeperThan } from '../digest/depth.ts'
import { type Digest, digestBytes, isDigest, type Json } from '../digest/digest.ts'
import { referencesIn } from './references.ts'

/** One recorded event. The keys are in the order in which they are written. */
export interface RecordedEvent {
  readonly v: 1
  readonly tenant: string
  readonly stream: string
  /** From 0, without gaps. */
  readonly seq: number
  /** `noun.pastVerb`. */
  readonly type: string
  /** ISO 8601. */
  readonly at: string
  readonly actor: string
  /** The cause of the event: another event, or a request; null without one. */
  readonly cause: string | null
  /** The digest of the event before it in the same stream; null for the first. */
  readonly prev: Digest | null
  /** Digests instead of bodies. */
  readonly payload: Json
}

/** Where the next event of a stream goes. */
/** The first part of a stream's name: its kind (`run`, `library`, `access`). */
export function streamFamily(stream: string): string {
  const end = stream.indexOf('/')
  return end === -1 ? stream : stream.slice(0, end)
}

export interface StreamHead {
  readonly tenant: string
  readonly stream: string
  /** The sequence of the last event; -1 for an empty stream. */
  readonly seq: number
  readonly digest: Digest | null
}

export const emptyHead = (tenant: string, stream: string): StreamHead => ({ tenant, stream, seq: -1, digest: null })

/** The caller's part of an event; the store adds the rest from its position. */
export interface EventDraft {
  readonly type: string
  readonly actor: string
  readonly cause?: string | null
  readonly payload: Json
}

export interface WrittenEvent {
  readonly event: RecordedEvent
  readonly text: string
  readonly bytes: Uint8Array
  /** The objects that it references. */
  readonly references: readonly Digest[]
  readonly head: StreamHead
}

const NONE: readonly Digest[] = []
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function writeEvent(head: StreamHead, { type, actor, cause = null, payload }: EventDraft, at: string): WrittenEvent {
  const { tenant, stream, digest: prev } = head
  const event: RecordedEvent = { v: 1, tenant, stream, seq: head.seq + 1, type, at, actor, cause, prev, payload }
  const text = JSON.stringify(event)
  const bytes = encoder.encode(text)
  // Most events have no references: a text search is faster than a walk through the payload.
  const references = text.includes('"sha256:', text.indexOf('"payload":')) ? referencesIn(payload) : NONE
  return { event, text, bytes, references, head: { tenant, stream, seq: event.seq, digest: digestBytes(bytes) } }
}

/** The maximum size of an event: bodies are objects, so a legitimate event is far smaller. */
const MOST_BYTES = 1024 * 1024
const MOST_CHARACTERS = 512
const MOST_DEPTH = 100
const NAME = /^[^\p{Cc}\p{Cs}]+$/u

/** The problem with a draft before it is written; null when it is valid. */
function draftProblem({ type, actor, cause = null, payload }: EventDraft): string | null {
  if (isDeeperThan(payload, MOST_DEPTH)) return `its payload is nested deeper than ${MOST_DEPTH} levels`
  return nameProblem('type', type) ?? nameProblem('actor', actor) ?? (cause === null ? null : nameProblem('cause', cause))
}

const nameProblem = (what: string, name: unknown): string | null =>
  isName(name) ? null : `its ${what} must be 1 to ${MOST_CHARACTERS} characters without control characters, and not a digest`

const isName = (text: unknown): boolean => typeof text === 'string' && text.length <= MOST_CHARACTERS && NAME.test(text) && !isDigest(text)

/** In JSON, half a surrogate pair is an escape that begins with `\ud`. Whole pairs can be such escapes as well, so a text with one needs a check of its strings. */
const isWellFormed = (text: string, value: Json): boolean =>
  !text.includes('\\ud') || stringsIn(value).every(string => string.isWellFormed())

const stringsIn = (value: Json): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(stringsIn)]
}

/** The events of one append, each chained to the one before; or the problem with one of them. */
export function writeEvents(head: StreamHead, drafts: readonly EventDraft[], at: string): readonly WrittenEvent[] | string {
  const misnamed = nameProblem('tenant', head.tenant) ?? nameProblem('stream', head.stream)
  if (misnamed !== null) return misnamed
  const written: WrittenEvent[] = []
  let last = head
  for (const draft of drafts) {
    const problem = draftProblem(draft)
    if (problem !== null) return problem
    const next = writeEvent(last, draft, at)
    if (!isWellFormed(next.text, draft.payload)) return 'its payload holds half a surrogate pair, which no text can'
    if (next.bytes.length > MOST_BYTES) return `it has ${next.bytes.length} bytes and may have ${MOST_BYTES}; put bodies into objects`
    written.push(next)
    last = next.head
  }
  return written
}

/** The problem with an event at its position. */
export type EventFault = 'event_unreadable' | 'event_misplaced' | 'sequence_broken' | 'chain_broken'

export type ReadEvent =
  | { readonly ok: true; readonly event: RecordedEvent; readonly head: StreamHead }
  | { readonly ok: false; readonly fault: EventFault }

/** Reads the event that must follow `head`: from its stream, next in number, and tied to the one before. */
export function readEvent(head: StreamHead, bytes: Uint8Array): ReadEvent {
  const event = decodeEvent(bytes)
  if (event === null) return { ok: false, fault: 'event_unreadable' }
  if (event.tenant !== head.tenant || event.stream !== head.stream) return { ok: false, fault: 'event_misplaced' }
  if (event.seq !== head.seq + 1) return { ok: false, fault: 'sequence_broken' }
  if (event.prev !== head.digest) return { ok: false, fault: 'chain_broken' }
  return { ok: true, event, head: { ...head, seq: event.seq, digest: digestBytes(bytes) } }
}

/** Null for anything but the exact bytes that `writeEvent` makes: other spellings of the same JSON are other bytes. */
export function decodeEvent(bytes: Uint8Array): RecordedEvent | null {
  try {
    const text = decoder.decode(bytes)
    const event = JSON.parse(text) as RecordedEvent
    return isEvent(event) && isTied(event) && !isDeeperThan(event.payload, MOST_DEPTH) && JSON.stringify(event) === text ? event : null
  } catch {
    return null
  }
}

/** Like `decodeEvent`, for readers that leave verification to `verify`: other spellings pass. */
export function parseEvent(bytes: Uint8Array): RecordedEvent | null {
  try {
    const event = JSON.parse(decoder.decode(bytes)) as RecordedEvent
    return isEvent(event) ? event : null
  } catch {
    return null
  }
}

const KEYS = ['v', 'tenant', 'stream', 'seq', 'type', 'at', 'actor', 'cause', 'prev', 'payload']

function isEvent(value: unknown): value is RecordedEvent {
  if (typeof value !== 'object' || value === null) return false
  let count = 0
  for (const key in value) if (key !== KEYS[count++]) return false
  if (count !== KEYS.length) return false
  const { v, tenant, stream, seq, type, at, actor, cause, prev } = value as Record<string, unknown>
  return (
    v === 1 &&
    isText(tenant) &&
    isText(stream) &&
    Number.isSafeInteger(seq) &&
    isText(type) &&
    isText(at) &&
    isText(actor) &&
    (cause === null || isText(cause)) &&
    (prev === null || isText(prev))
  )
}

const isTied = ({ prev }: RecordedEvent): boolean => prev === null || isDigest(prev)
const isText = (value: unknown): value is string => typeof value === 'string'
