// Folder: Runs, prompts and approvals in OpenWOP's names.
// Translates recorded run events to OpenWOP's RunEventDoc. Events that OpenWOP has no name for get a vendor name. Bodies are read through a callback.
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import { type RunEvent, runEvent } from '../../core/run/events.ts'
import { toPromptComposed } from './prompt-composed.ts'
import { toPromptResolved } from './prompt-resolved.ts'

export interface RunEventDoc {
  readonly eventId: string
  readonly runId: string
  readonly nodeId?: string
  readonly type: string
  readonly payload: JsonObject
  /** ISO 8601. */
  readonly timestamp: string
  /** From 0, without gaps. */
  readonly sequence: number
  readonly causationId?: string
}

export type Observability = 'off' | 'hashed' | 'full'

/** Reads the text of an object; null when it was erased. */
export type ReadBody = (digest: Digest) => Promise<string | null>

export interface RunEventView {
  readonly observability: Observability
  /** The run is a replay fork: its events must equal those of every other replay of the same run. */
  readonly isReplay: boolean
}

const RUN = 'run/'

export async function toRunEventDoc(
  recorded: RecordedEvent,
  { observability, isReplay }: RunEventView,
  read: ReadBody,
): Promise<RunEventDoc> {
  const { stream, seq, at, cause } = recorded
  const runId = stream.slice(RUN.length)
  const event = runEvent(recorded)
  const type = wireType(event.type, observability)
  const payload = withoutOwnNames((await payloadOf(event, observability, read)) as JsonObject, runId, isReplay)
  return {
    eventId: `${runId}:${seq}`,
    runId,
    ...('nodeId' in event && event.nodeId !== null ? { nodeId: event.nodeId } : {}),
    type,
    payload,
    timestamp: at,
    sequence: seq,
    ...(cause === null ? {} : { causationId: cause }),
  }
}

async function payloadOf(event: RunEvent, observability: Observability, read: ReadBody): Promise<object> {
  const { type: _, ...payload } = event
  switch (event.type) {
    case 'run.paused': {
      const { reason, note = reason, nodeId, drainPolicy = 'immediate' } = event
      return withoutNulls({ reason: note, nodeId, drainPolicy })
    }
    case 'run.created':
    case 'run.resumed':
    case 'run.cancelled':
    case 'log.appended':
      return withoutNulls(payload)
    case 'node.started': {
      const { nodeId, typeId, visit } = event
      return { nodeId, typeId, attempt: visit - 1 }
    }
    case 'node.completed': {
      const { nodeId, output } = event
      const given = await readJson<{ readonly output: Json }>(read, output)
      return { nodeId, ...(given === null ? {} : { outputs: { output: given.output } }) }
    }
    case 'node.failed': {
      const { nodeId, code, detail } = event
      return { nodeId, error: { code, message: detail } }
    }
    case 'run.completed':
      return { outputs: await runOutputs(event.outputs, read) }
    case 'run.failed': {
      const { code, detail, failedNodeId } = event
      return { error: { code, message: detail }, ...(failedNodeId === null ? {} : { failedNodeId }) }
    }
    case 'prompt.traced': {
      const { nodeId, kind, agentId, resolved } = event
      const trace = (await readJson<readonly TraceEntry[]>(read, event.trace)) ?? []
      return { ...toPromptResolved({ nodeId, kind, agentId, trace }), resolved }
    }
    case 'prompt.composed':
      return composed(event, observability, read)
    case 'replay.diverged':
      return diverged(event, observability, read)
    default:
      return payload
  }
}

/** A host that hides prompts does not send this event. Its sequence number stays. */
async function composed(
  event: Extract<RunEvent, { readonly type: 'prompt.composed' }>,
  observability: Observability,
  read: ReadBody,
): Promise<object> {
  const { nodeId, ref, kind, body, values, variableHashes, contentTrust } = event
  if (observability === 'off') return { nodeId, ref, kind }
  const text = observability === 'full' ? await read(body) : null
  const bound = observability === 'full' ? await readJson<{ readonly values: JsonObject }>(read, values) : null
  return {
    ...toPromptComposed(nodeId, kind, ref, { text, templateHash: body, variableHashes, contentTrust }, observability),
    ...(bound === null ? {} : { variableBindings: bound.values }),
  }
}

/** The places where a replay differs. The recorded and the new value may contain prompt text. */
async function diverged(
  event: Extract<RunEvent, { readonly type: 'replay.diverged' }>,
  observability: Observability,
  read: ReadBody,
): Promise<object> {
  const { type: _, details, divergencePoint, ...payload } = event
  const listed = (await readJson<{ readonly divergences: readonly JsonObject[] }>(read, details))?.divergences ?? []
  // For an event that is on one side only, the values are event types. For an object, they are digests.
  const isWhole = event.divergenceKind === 'extra' || event.divergenceKind === 'missing'
  const typeOf = (value: Json | undefined): Json => (typeof value === 'string' ? wireType(value, observability) : null)
  const divergences = listed.map(({ expected, found, ...where }) => {
    const named = isPlace(String(where.point)) ? where : { ...where, point: typeOf(where.point) }
    if (isWhole) return { ...named, expected: typeOf(expected), found: typeOf(found) }
    return observability === 'full' || where.point === 'object' ? { ...named, expected, found } : named
  })
  const point = isPlace(divergencePoint) ? {} : { divergencePoint: wireType(divergencePoint, observability) }
  return { ...withoutNulls(payload), ...point, divergences }
}

/** The outputs of the last nodes, by node. Erased outputs are left out. */
export async function runOutputs(outputs: Digest, read: ReadBody): Promise<JsonObject> {
  const listed = await readJson<{ readonly nodes: Readonly<Record<string, Digest>> }>(read, outputs)
  const found: [string, Json][] = []
  for (const [nodeId, digest] of Object.entries(listed?.nodes ?? {})) {
    const given = await readJson<{ readonly output: Json }>(read, digest)
    if (given !== null) found.push([nodeId, given.output])
  }
  return Object.fromEntries(found)
}

async function readJson<T>(read: ReadBody, digest: Digest): Promise<T | null> {
  const text = await read(digest)
  return text === null ? null : (JSON.parse(text) as T)
}

const withoutNulls = (payload: object): object => Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null))

const VENDOR = 'onbook.'
const OPENWOP: ReadonlySet<string> = new Set([
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'node.started',
  'node.completed',
  'node.failed',
  'log.appended',
  'agent.promptResolved',
  'prompt.composed',
  'version.pinned',
  'replay.diverged',
])

/** @param type the recorded type */
function wireType(type: string, observability: Observability): string {
  if (type === 'prompt.traced') return 'agent.promptResolved'
  if (type === 'run.created') return 'run.started'
  // A host that hides prompts does not send OpenWOP's event.
  const isHidden = type === 'prompt.composed' && observability === 'off'
  return OPENWOP.has(type) && !isHidden ? type : `${VENDOR}${type}`
}

const PLACES: ReadonlySet<string> = new Set(['event', 'object'])

/** Whether the point of a divergence names a place in the record, instead of an event type. */
const isPlace = (point: string): boolean => PLACES.has(point)

/**
 * The document around the payload has the run's id, and the run's snapshot has the session of each node. A caller cannot answer an approval of a
 * replay or wait for one of its handoffs, so a replay sends neither the approval's id nor the time limit of a handoff.
 */
function withoutOwnNames(payload: JsonObject, runId: string, isReplay: boolean): JsonObject {
  const isOwn = (key: string, value: Json | undefined): boolean =>
    (key === 'runId' && value === runId) ||
    (key === 'session' && typeof value === 'string' && value.startsWith(`${runId}.`)) ||
    (isReplay && key === 'approval' && value !== null)
  const rest = Object.fromEntries(Object.entries(payload).filter(([key, value]) => !isOwn(key, value)))
  const { awaits } = rest
  return isReplay && awaits != null ? { ...rest, awaits: { call: (awaits as JsonObject).call ?? null } } : rest
}
