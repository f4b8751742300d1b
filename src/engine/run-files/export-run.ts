// Folder: One run with everything that questions need, in one file. It writes to no record.
// Exports one run to one file: its streams, the objects that they reference, and the checkpoints that cover them. The same record gives the same bytes.
import type { Digest } from '../../core/digest/digest.ts'
import { referencesIn } from '../../core/record/references.ts'
import { type FiledStream, nameWithLine, runFileHeader, writeEndLine } from '../../core/record/run-file.ts'
import { Fault } from '../../errors.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import { malformedRun } from '../reading/malformed.ts'
import { checkpointsOf } from './checkpoints-of.ts'
import { exportObjects, line, reachedFrom } from './export-objects.ts'
import { runStreams } from './run-streams.ts'

export interface ExportRun {
  readonly tenant: string
  readonly runId: string
  /** The host policy reveals something about other tenants: not every reader of a run may see it. */
  readonly withPolicy: boolean
  /** Objects whose bytes the recipient must not get. Refused if the run does not reference them. */
  readonly without?: ReadonlySet<Digest>
}

export async function* exportRun(store: Store, { tenant, runId, withPolicy, without }: ExportRun): AsyncIterable<string> {
  let name: Digest | '' = ''
  try {
    for await (const text of linesOf()) {
      name = nameWithLine(name, text.slice(0, -1))
      yield text
    }
  } catch (error) {
    throw malformedRun(runId, error)
  }
  if (name !== '') yield line(writeEndLine(name))

  async function* linesOf(): AsyncIterable<string> {
    const { streams, leftOut } = await runStreams(store, tenant, runId, withPolicy)
    if (without !== undefined && without.size > 0) await refuseUnspoken(store, { tenant, runId, without }, streams)
    const checkpoints = await checkpointsOf(store, streams)
    yield line(runFileHeader({ tenant, run: runId, streams, checkpoints: checkpoints.length, leftOut }))
    const spoken = new Set<Digest>()
    for (const one of streams)
      for await (const { event, bytes } of eventsOf(store, one)) {
        if (one.objects) for (const digest of referencesIn(event.payload)) spoken.add(digest)
        yield line(textOf(bytes))
      }
    for (const { bytes } of checkpoints) yield line(textOf(bytes))
    yield* exportObjects(store, tenant, spoken, without)
  }
}

async function* eventsOf(store: Store, { tenant, stream, events }: FiledStream): AsyncIterable<StoredEvent> {
  for await (const stored of store.read(tenant, stream, -1)) {
    if (stored.event.seq >= events) break
    yield stored
  }
}

/** Before anything is written: a misspelled digest would leave its object in the file. */
async function refuseUnspoken(
  store: Store,
  { tenant, runId, without }: Required<Pick<ExportRun, 'tenant' | 'runId' | 'without'>>,
  streams: readonly FiledStream[],
): Promise<void> {
  const spoken = new Set<Digest>()
  for (const one of streams.filter(({ objects }) => objects))
    for await (const { event } of eventsOf(store, one)) for (const digest of referencesIn(event.payload)) spoken.add(digest)
  const reached = await reachedFrom(store, tenant, spoken)
  for (const digest of without)
    if (!reached.has(digest))
      throw new Fault('usage_invalid', { problem: `run ${runId} does not reference ${digest}: nothing was written` })
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
