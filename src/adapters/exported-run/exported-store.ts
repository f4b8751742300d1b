// Folder: A run file as a store to read, verified whole when it opens.
// Opens a run file as a read-only store of events and objects. A damaged file does not open. It has no tables.
import type { FileHandle } from 'node:fs/promises'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import { decodeEvent, emptyHead, type StreamHead } from '../../core/record/event.ts'
import { type RunFileHeader, readObjectLine } from '../../core/record/run-file.ts'
import { Fault } from '../../errors.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import { checkBegins, openFile, type Place, readAt } from './lines.ts'
import { type FileBreak, type RunFile, readRunFile, streamKey } from './read-run-file.ts'

export interface ExportedRun {
  readonly store: Store
  readonly header: RunFileHeader
  /** Objects that are only named here, in order. */
  readonly erased: readonly Digest[]
}

/** `run_file_unknown` for another file; `run_file_broken`, with the first place where it is not what was written. */
export async function exportedStore(path: string): Promise<ExportedRun> {
  const file = await openFile(path)
  try {
    await checkBegins(path, file)
    const run = await readRunFile(file, found => {
      throw new Fault('run_file_broken', { path, problem: placeOf(found) })
    })
    if (run === null) throw new Fault('run_file_broken', { path, problem: 'line 1 is not a header' })
    const erased = [...run.objects].flatMap(([digest, places]) => (places === null ? [digest] : []))
    return { store: storeOf(path, file, run), header: run.header, erased }
  } catch (error) {
    await file.close()
    throw error
  }
}

function placeOf({ stream, sequence, digest, line, code }: FileBreak): string {
  const parts = [
    line && `line ${line}`,
    sequence !== undefined && `event ${sequence}`,
    stream && `of ${stream}`,
    digest && `object ${digest}`,
  ]
  return `${[...parts.filter(part => typeof part === 'string'), code].join(' ')}`
}

function storeOf(path: string, file: FileHandle, { header, events, checkpoints, objects }: RunFile): Store {
  const refuse = (): never => {
    throw new Fault('run_file_read_only', { path })
  }
  const placesOf = (tenant: string, stream: string): readonly Place[] =>
    stream === CHECKPOINTS
      ? checkpoints.filter(({ event }) => event.tenant === tenant).map(({ place }) => place)
      : (events.get(streamKey(tenant, stream)) ?? [])

  const eventAt = async (stream: string, place: Place, index: number): Promise<StoredEvent> => {
    const bytes = await readAt(file, place)
    const event = decodeEvent(bytes)
    if (event === null) throw new Fault('event_corrupt', { stream, seq: index })
    return { event, bytes }
  }

  async function* read(tenant: string, stream: string, after: number): AsyncIterable<StoredEvent> {
    const places = placesOf(tenant, stream)
    // The file holds only some checkpoints, so a checkpoint's place does not give its sequence.
    for (let index = stream === CHECKPOINTS ? 0 : after + 1; index < places.length; index++) {
      const stored = await eventAt(stream, places[index]!, index)
      if (stored.event.seq > after) yield stored
    }
  }

  async function head(tenant: string, stream: string): Promise<StreamHead> {
    const places = placesOf(tenant, stream)
    const last = places.at(-1)
    if (last === undefined) return emptyHead(tenant, stream)
    const { event, bytes } = await eventAt(stream, last, places.length - 1)
    return { tenant, stream, seq: event.seq, digest: digestBytes(bytes) }
  }

  async function* pieces(tenant: string, digest: Digest): AsyncIterable<Uint8Array> {
    const places = tenant === header.tenant ? objects.get(digest) : undefined
    if (!places) throw new Fault('object_missing', { digest })
    for (const place of places) {
      const line = readObjectLine((await readAt(file, place)).toString())
      if (line === null || !('base64' in line)) throw new Fault('object_corrupt', { digest, found: 'nothing' })
      yield Buffer.from(line.base64, 'base64')
    }
  }

  return {
    commit: async () => refuse(),
    writeObject: async () => refuse(),
    collect: async () => refuse(),
    rebuild: async () => refuse(),
    inspect: async () => refuse(),
    unsealed: async () => refuse(),
    // biome-ignore lint/correctness/useYield: there is nothing to yield
    async *rows() {
      refuse()
    },
    projections: [],
    moment: () => '0',
    answer: async () => null,
    head,
    read,
    async *pages(tenant, stream, after) {
      for await (const stored of read(tenant, stream, after)) yield [stored]
    },
    follow: read,
    async object(tenant, digest) {
      const all: Uint8Array[] = []
      for await (const piece of pieces(tenant, digest)) all.push(piece)
      const bytes = Buffer.concat(all)
      const found = digestBytes(bytes)
      if (found !== digest) throw new Fault('object_corrupt', { digest, found })
      return bytes
    },
    readObject: pieces,
    tenants: async () => [...new Set(header.streams.map(({ tenant }) => tenant))].sort(),
    async *streams(tenant, after = '') {
      for (const one of header.streams) if (one.tenant === tenant && one.stream > after) yield head(tenant, one.stream)
    },
    close: () => file.close(),
  }
}
