// Selects the streams that a question about a run may need, and how much of each. Does not look at their content.
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { libraryStream } from '../../core/library/events.ts'
import type { FiledStream, LeftOut } from '../../core/record/run-file.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import type { FrozenLookup } from '../../core/run/frozen.ts'
import { sessionStream } from '../../core/session/events.ts'
import { workspaceStream } from '../../core/workspace/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { HOST_POLICY } from '../policy/record-config.ts'
import { loadFrozen } from '../runs/start/frozen.ts'

/** The most events of one stream beside the run: a run file has to stay small. */
const MOST_EVENTS = 100_000
const MOST_LOOKS = 10

export interface RunStreams {
  readonly streams: readonly FiledStream[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * The run with its objects; and, without objects, the events up to its end of home sessions, workspaces,
 * libraries where a ref named a label, and the host's policy.
 */
export async function runStreams(store: Store, tenant: string, runId: string, withPolicy: boolean): Promise<RunStreams> {
  // A run that goes on meanwhile is looked at again, so that all streams are of one moment.
  for (let left = MOST_LOOKS; ; left--) {
    const { digest } = await store.head(tenant, runStream(runId))
    const found = await streamsNow(store, tenant, runId, withPolicy)
    if (left === 0 || digest === (await store.head(tenant, runStream(runId))).digest) return found
  }
}

async function streamsNow(store: Store, tenant: string, runId: string, withPolicy: boolean): Promise<RunStreams> {
  const { homes, workspaces, until, libraries } = await lookAt(store, tenant, runId)
  const streams = [...(await filed(store, tenant, runStream(runId), { objects: true }))]
  const leftOut: LeftOut[] = []
  const beside = [
    ...[...homes].map(sessionStream),
    ...[...workspaces].map(workspaceStream),
    ...[...libraries].map(library => libraryStream(library)),
  ].map(stream => ({ tenant, stream }))
  if (withPolicy) beside.push({ tenant: HOST_TENANT, stream: HOST_POLICY.stream })
  else leftOut.push({ tenant: HOST_TENANT, stream: HOST_POLICY.stream, reason: 'it belongs to the operator, and names other tenants' })
  for (const { tenant, stream } of beside) {
    const found = await filed(store, tenant, stream, { objects: false, until })
    if (found.some(isTooLong)) leftOut.push({ tenant, stream, reason: `it has more than ${MOST_EVENTS} events` })
    else streams.push(...found)
  }
  return { streams: streams.sort(inOrder), leftOut: leftOut.sort(inOrder) }
}

const isTooLong = ({ events }: FiledStream): boolean => events > MOST_EVENTS

const inOrder = (a: LeftOut | FiledStream, b: LeftOut | FiledStream): number =>
  Number(nameOf(a) > nameOf(b)) - Number(nameOf(a) < nameOf(b))
const nameOf = ({ tenant, stream }: LeftOut | FiledStream): string => JSON.stringify([tenant, stream])

interface Look {
  readonly homes: ReadonlySet<string>
  readonly workspaces: ReadonlySet<string>
  readonly libraries: ReadonlySet<string>
  /** When its last event was written. */
  readonly until: string
}

async function lookAt(store: Store, tenant: string, runId: string): Promise<Look> {
  const [homes, workspaces] = [new Set<string>(), new Set<string>()]
  const libraries = new Set<string>()
  let until = ''
  for await (const { event } of store.read(tenant, runStream(runId), -1)) {
    until = event.at
    const one = runEvent(event)
    if (one.type === 'node.started' && one.home !== null) homes.add(one.home)
    if ('snapshot' in one && isObject(one.snapshot as unknown as Json)) workspaces.add(one.snapshot!.workspace)
    if (one.type === 'run.created') for (const library of labelled(await lookupAt(store, tenant, one.frozen))) libraries.add(library)
  }
  if (until === '') throw new Fault('run_missing', { problem: `There is no run ${runId}; "onbook run list" lists them` })
  return { homes, workspaces, libraries, until }
}

/** Empty when the beginning of the run was erased. */
const lookupAt = (store: Store, tenant: string, frozen: Digest): Promise<FrozenLookup> =>
  loadFrozen(store, tenant, frozen).then(
    ({ lookup }) => lookup,
    (error: unknown) => {
      if (error instanceof Fault && error.code === 'object_missing') return { found: {}, defaults: {} }
      throw error
    },
  )

/** Libraries in which a label was followed: one that a ref names, or `active`. */
const labelled = ({ found }: FrozenLookup): readonly string[] =>
  Object.entries(found).flatMap(([key, one]) => {
    const [, , , label] = JSON.parse(key) as readonly Json[]
    return one.status === 'found' && (typeof label === 'string' || one.meant === 'active') ? [one.template.libraryId] : []
  })

/** The stream as far as it came; none when there was nothing yet. @param until no event after that moment */
async function filed(
  store: Store,
  tenant: string,
  stream: string,
  { objects, until }: { readonly objects: boolean; readonly until?: string },
): Promise<readonly FiledStream[]> {
  if (until === undefined) {
    const { seq, digest } = await store.head(tenant, stream)
    return digest === null ? [] : [{ tenant, stream, events: seq + 1, head: digest, objects }]
  }
  let [events, last]: [number, Uint8Array | null] = [0, null]
  for await (const { event, bytes } of store.read(tenant, stream, -1)) {
    if (event.at > until || events > MOST_EVENTS) break
    events++
    last = bytes
  }
  return last === null ? [] : [{ tenant, stream, events, head: digestBytes(last), objects }]
}
