// RunEventDoc: what a run recorded, in OpenWOP's words; what those have no word for, under our own name. Reads bodies through whoever asks.
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

/** The text of an object; null when it was erased. */
export type ReadBody = (digest: Digest) => Promise<string | null>

interface Told {
  readonly type: string
  readonly payload: unknown
}

const VENDOR = 'onbook.'
const RUN = 'run/'

export async function toRunEventDoc(recorded: RecordedEvent, observability: Observability, read: ReadBody): Promise<RunEventDoc> {
  const { stream, seq, at, cause } = recorded
  const runId = stream.slice(RUN.length)
  const event = runEvent(recorded)
  const { type, payload } = await told(event, observability, read)
  return {
    eventId: `${runId}:${seq}`,
    runId,
    ...('nodeId' in event && event.nodeId !== null ? { nodeId: event.nodeId } : {}),
    type,
    payload: payload as JsonObject,
    timestamp: at,
    sequence: seq,
    ...(cause === null ? {} : { causationId: cause }),
  }
}

async function told(event: RunEvent, observability: Observability, read: ReadBody): Promise<Told> {
  const { type, ...payload } = event
  switch (event.type) {
    case 'run.paused': {
      const { reason, note = reason, nodeId, drainPolicy = 'immediate' } = event
      return { type, payload: withoutNulls({ reason: note, nodeId, drainPolicy }) }
    }
    case 'run.started':
    case 'run.resumed':
    case 'run.cancelled':
    case 'log.appended':
      return { type, payload: withoutNulls(payload) }
    case 'node.started': {
      const { nodeId, typeId, visit } = event
      return { type, payload: { nodeId, typeId, attempt: visit - 1 } }
    }
    case 'node.completed': {
      const { nodeId, output } = event
      const given = await readJson<{ readonly output: Json }>(read, output)
      return { type, payload: { nodeId, ...(given === null ? {} : { outputs: { output: given.output } }) } }
    }
    case 'node.failed': {
      const { nodeId, code, detail } = event
      return { type, payload: { nodeId, error: { code, message: detail } } }
    }
    case 'run.completed':
      return { type, payload: { outputs: await runOutputs(event.outputs, read) } }
    case 'run.failed': {
      const { code, detail, failedNodeId } = event
      return { type, payload: { error: { code, message: detail }, ...(failedNodeId === null ? {} : { failedNodeId }) } }
    }
    case 'prompt.traced': {
      const { nodeId, kind, agentId, resolved } = event
      const trace = (await readJson<readonly TraceEntry[]>(read, event.trace)) ?? []
      return { type: 'agent.promptResolved', payload: { ...toPromptResolved({ nodeId, kind, agentId, trace }), resolved } }
    }
    case 'prompt.composed':
      return composed(event, observability, read)
    case 'version.pinned':
      return { type, payload }
    case 'replay.diverged':
      return diverged(event, observability, read)
    default:
      return { type: `${VENDOR}${type}`, payload }
  }
}

/** A host that shows nothing of prompts has no such event; its place in the sequence stays. */
async function composed(
  event: Extract<RunEvent, { readonly type: 'prompt.composed' }>,
  observability: Observability,
  read: ReadBody,
): Promise<Told> {
  const { type, nodeId, ref, kind, body, values, variableHashes, contentTrust } = event
  if (observability === 'off') return { type: `${VENDOR}${type}`, payload: { nodeId, ref, kind } }
  const text = observability === 'full' ? await read(body) : null
  const bound = observability === 'full' ? await readJson<{ readonly values: JsonObject }>(read, values) : null
  return {
    type,
    payload: {
      ...toPromptComposed(nodeId, kind, ref, { text, templateHash: body, variableHashes, contentTrust }, observability),
      ...(bound === null ? {} : { variableBindings: bound.values }),
    },
  }
}

/** Where it differs. What is on record there, and what came out, may be words of a prompt. */
async function diverged(
  event: Extract<RunEvent, { readonly type: 'replay.diverged' }>,
  observability: Observability,
  read: ReadBody,
): Promise<Told> {
  const { type, details, ...payload } = event
  const found = (await readJson<{ readonly divergences: readonly JsonObject[] }>(read, details))?.divergences ?? []
  const divergences = found.map(({ expected, found: made, ...where }) =>
    observability === 'full' ? { ...where, expected, found: made } : where,
  )
  return { type, payload: { ...withoutNulls(payload), divergences } }
}

/** What the last nodes gave, by node. What was erased is left out. */
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
