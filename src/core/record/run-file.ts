// The line format of a file that contains one run. Checks the form of a line, never whether its content is true (spec/record).
import { type Digest, digestText, isDigest, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'

/** A stream, or its beginning. */
export interface FiledStream {
  readonly tenant: string
  readonly stream: string
  readonly events: number
  /** The name of the last event that is here. */
  readonly head: Digest
  /** Whether the file has the objects that its events reference. */
  readonly objects: boolean
}

export interface LeftOut {
  readonly tenant: string
  readonly stream: string
  readonly reason: string
}

export interface RunFileHeader {
  readonly tenant: string
  readonly run: string
  readonly streams: readonly FiledStream[]
  readonly checkpoints: number
  /** Content that is missing from this file, so that questions about it have no answer. */
  readonly leftOut: readonly LeftOut[]
}

/** By how it begins it is known: whether it is a good one is seen when it is read. */
export const RUN_FILE_BEGINS = '{"onbook":"run"'

export const runFileHeader = ({ tenant, run, streams, checkpoints, leftOut }: RunFileHeader): string =>
  JSON.stringify({
    onbook: 'run',
    v: 1,
    tenant,
    run,
    streams: streams.map(({ tenant, stream, events, head, objects }) => ({ tenant, stream, events, head, objects })),
    checkpoints,
    leftOut: leftOut.map(({ tenant, stream, reason }) => ({ tenant, stream, reason })),
  })

const MOST_STREAMS = 20_000
/** It becomes the name of a file where it is imported. */
const RUN_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

/** Null for anything but the exact text that `runFileHeader` makes. */
export function readRunFileHeader(text: string): RunFileHeader | null {
  const value = parsed(text)
  if (!isObject(value) || value.onbook !== 'run' || value.v !== 1) return null
  const header = value as unknown as RunFileHeader
  const { tenant, run, streams, checkpoints, leftOut } = header
  const isRight =
    areTexts(tenant, run) &&
    RUN_ID.test(run) &&
    isCount(checkpoints) &&
    isListOf(streams, isFiledStream) &&
    isListOf(leftOut, one => areTexts(one.tenant, one.stream, one.reason)) &&
    streams.some(one => one.tenant === tenant && one.stream === `run/${run}`) &&
    areInOrder(streams.map(one => JSON.stringify([one.tenant, one.stream])))
  return isRight && runFileHeader(header) === text ? header : null
}

/** Each once. */
const areInOrder = (names: readonly string[]): boolean => names.every((name, index) => index === 0 || names[index - 1]! < name)

const isFiledStream = ({ tenant, stream, events, head, objects }: Entry): boolean =>
  areTexts(tenant, stream) && isCount(events) && events !== 0 && isDigest(String(head)) && typeof objects === 'boolean'

type Entry = Readonly<Record<string, unknown>>

const isListOf = (value: unknown, isOne: (entry: Entry) => boolean): boolean =>
  Array.isArray(value) && value.length <= MOST_STREAMS && value.every(entry => isObject(entry as Json) && isOne(entry as Entry))

const areTexts = (...values: readonly unknown[]): boolean => values.every(value => typeof value === 'string' && value !== '')
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

export type ObjectLine =
  | { readonly digest: Digest; readonly base64: string; readonly more: boolean }
  | { readonly digest: Digest; readonly erased: true }

export const writeObjectLine = (line: ObjectLine): string => {
  if ('erased' in line) return JSON.stringify({ digest: line.digest, erased: true })
  const { digest, base64, more } = line
  return JSON.stringify(more ? { digest, base64, more } : { digest, base64 })
}

export function readObjectLine(text: string): ObjectLine | null {
  const value = parsed(text)
  if (!isObject(value) || typeof value.digest !== 'string' || !isDigest(value.digest)) return null
  const { digest, base64 } = value
  const line: ObjectLine | null =
    value.erased === true ? { digest, erased: true } : typeof base64 === 'string' ? { digest, base64, more: value.more === true } : null
  return line !== null && writeObjectLine(line) === text ? line : null
}

/** The name of all lines so far, made of the name of those before and the next one. Starts with an empty text. */
export const nameWithLine = (before: Digest | '', line: string): Digest => digestText(`${before}${line}\n`)

/** The last line names everything before it: a file that was cut off, or changed where nothing else would show it, is not whole. */
export const writeEndLine = (digest: Digest): string => JSON.stringify({ end: digest })

export function readEndLine(text: string): Digest | null {
  const value = parsed(text)
  return isObject(value) && typeof value.end === 'string' && isDigest(value.end) && writeEndLine(value.end) === text ? value.end : null
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
