// Reads a run file once from its first byte to its last: indexes its parts, and reports every place that is not as written. Trusts nothing.
import type { FileHandle } from 'node:fs/promises'
import type { Digest } from '../../core/digest/digest.ts'
import { CHECKPOINTS, type Checkpoint, readCheckpoint } from '../../core/record/checkpoint.ts'
import { decodeEvent, type RecordedEvent } from '../../core/record/event.ts'
import { referencesIn } from '../../core/record/references.ts'
import { type FiledStream, nameWithLine, type RunFileHeader, readEndLine, readRunFileHeader } from '../../core/record/run-file.ts'
import { type BreakCode, endWalk, startWalk, step, type Walked } from '../../core/record/walk.ts'
import { type Line, linesIn, type Place } from './lines.ts'
import { type FiledObjects, objectReader } from './read-objects.ts'

export interface FileBreak {
  readonly tenant: string
  readonly stream: string | null
  readonly sequence?: number
  readonly digest?: string
  /** The line in the file, from 1. */
  readonly line?: number
  readonly code: BreakCode
}

export interface FiledCheckpoint {
  readonly event: RecordedEvent
  readonly place: Place
  readonly checkpoint: Checkpoint
}

export interface RunFile {
  readonly header: RunFileHeader
  /** By `streamKey`, in order of sequence. */
  readonly events: ReadonlyMap<string, readonly Place[]>
  readonly checkpoints: readonly FiledCheckpoint[]
  readonly objects: FiledObjects
}

export const streamKey = (tenant: string, stream: string): string => JSON.stringify([tenant, stream])

/** Null when it is not a run file at all. @param report may throw, to stop reading */
export async function readRunFile(file: FileHandle, report: (found: FileBreak) => void): Promise<RunFile | null> {
  const lines = withName(linesIn(file))
  const first = await lines.next()
  const header = first?.text === undefined ? null : readRunFileHeader(first.text)
  if (header === null) {
    report({ tenant: '', stream: null, line: 1, code: 'store_corrupt' })
    return null
  }
  const objects = objectReader(header.tenant, report)
  const events = new Map<string, readonly Place[]>()
  const names = new Map<string, readonly (Digest | null)[]>()
  for (const one of header.streams) events.set(streamKey(one.tenant, one.stream), await readStream(one))
  const checkpoints: FiledCheckpoint[] = []
  for (let due = header.checkpoints; due > 0; due--) if (!(await readOneCheckpoint())) break
  await readRest()
  return { header, events, checkpoints, objects: objects.end() }

  async function readStream({ tenant, stream, events: due, head, objects: isWhole }: FiledStream): Promise<readonly Place[]> {
    const places: Place[] = []
    const known: (Digest | null)[] = []
    const tell = ({ seq, code }: { readonly seq: number; readonly code: BreakCode }) => report({ tenant, stream, sequence: seq, code })
    let walked: Walked = startWalk(tenant, stream)
    for (let seq = 0; seq < due; seq++) {
      const line = await lines.next()
      if (line === null) break
      const { walked: next, event, flaws } = step(walked, seq, line.bytes ?? new Uint8Array())
      walked = next
      flaws.forEach(tell)
      places.push({ from: line.from, length: line.length })
      known.push(walked.head.digest)
      if (isWhole && event !== null) for (const digest of referencesIn(event.payload)) objects.speak(digest, stream, seq)
    }
    endWalk(walked, { seq: due - 1, digest: head }).forEach(tell)
    names.set(streamKey(tenant, stream), known)
    return places
  }

  /** False at the end of the file. */
  async function readOneCheckpoint(): Promise<boolean> {
    const line = await lines.next()
    if (line === null) return false
    const event = decodeEvent(line.bytes ?? new Uint8Array())
    const checkpoint = event?.stream === CHECKPOINTS ? readCheckpoint(event) : null
    if (event === null || checkpoint === null) {
      report({ tenant: '', stream: CHECKPOINTS, line: line.number, code: 'event_unreadable' })
      return true
    }
    const { tenant } = event
    if (!isSealed(checkpoint)) report({ tenant, stream: CHECKPOINTS, sequence: event.seq, line: line.number, code: 'checkpoint_forged' })
    checkpoints.push({ event, checkpoint, place: { from: line.from, length: line.length } })
    for (const { stream, seq, headHash } of checkpoint.statement.heads) {
      const name = names.get(streamKey(tenant, stream))?.[seq]
      if (name !== undefined && name !== headHash) report({ tenant, stream, sequence: seq, digest: headHash, code: 'checkpoint_differs' })
    }
    return true
  }

  async function readRest(): Promise<void> {
    for (;;) {
      const before = lines.name()
      const line = await lines.next()
      const end = line?.text === undefined ? null : readEndLine(line.text)
      if (line !== null && end === null) objects.read(line)
      else {
        // A run file has no lines after its end.
        if (end !== before || (await lines.next()) !== null)
          report({ tenant: '', stream: null, ...(line === null ? {} : { line: line.number }), code: 'store_corrupt' })
        return
      }
    }
  }
}

/** Whether it has the form of a signed checkpoint, which needs no key. It may name each stream once. */
function isSealed({ statement: { heads }, signature: { key, signature } }: Checkpoint): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  const isSigned = bytes.length === 64 && bytes.toString('base64url') === signature
  return isSigned && /^sign-[0-9a-f]{16}$/.test(key) && new Set(heads.map(({ stream }) => stream)).size === heads.length
}

/** A line that is text has it; what is not is named, and so cannot be part of an honest name. */
export interface TextLine extends Line {
  readonly text?: string
}

interface NamedLines {
  next(): Promise<TextLine | null>
  /** The digest of all lines so far. */
  name(): Digest | ''
}

function withName(lines: AsyncIterable<Line>): NamedLines {
  const all = lines[Symbol.asyncIterator]()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let name: Digest | '' = ''
  const textOf = (bytes: Buffer | null): string | undefined => {
    try {
      return bytes === null ? undefined : decoder.decode(bytes)
    } catch {
      return undefined
    }
  }
  return {
    async next() {
      const { done, value } = await all.next()
      if (done) return null
      const text = textOf(value.bytes)
      name = nameWithLine(name, text ?? '')
      return text === undefined ? { ...value, bytes: null } : { ...value, text }
    },
    name: () => name,
  }
}
