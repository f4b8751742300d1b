// The events of a run: the walk over its graph, and the turn of each node. Past tense, digests instead of bodies.
import type { Mode } from '../compose/mode.ts'
import type { Digest, Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { EventDraft } from '../record/event.ts'
import { emptyConfig, type RunConfig } from '../session/config.ts'
import type { Failure, LeftMessage } from '../session/events.ts'
import type { History } from '../session/history.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { TurnEvent } from '../turn/events.ts'
import type { Budget, Orchestration } from '../workflow/workflow.ts'
import type { FilesChange, Worker } from './changes.ts'
import type { DivergenceKind, ForkOf } from './fork.ts'
import type { MadeEdge, SpawnedNode } from './graph/grown.ts'
import type { StallEvidence } from './stall.ts'
import type { RunWarning } from './warning.ts'

export type PauseReason = 'asked' | 'stalled'
/** Effect of a pause on working nodes: `immediate` begins no further step, `drain-current-node` lets them end. */
export type DrainPolicy = 'immediate' | 'drain-current-node'

/** A message that is sent directly to a session. */
export interface DirectRequest {
  readonly session: string
  readonly input: Digest | null
  readonly interactive: boolean
  /** In place of the session's config; null for that. */
  readonly config: RunConfig | null
  /** Taken for this run alone, where its config names another workspace than the session; null for the session's. */
  readonly snapshot: Snapshot | null
}

/** The events of a run: the walk over its graph, and the turns of its nodes. */
export type RunEvent = GraphEvent | TurnEvent

export type GraphEvent =
  | {
      readonly type: 'run.created'
      readonly runId: string
      readonly workflowId: string
      readonly version: string
      /** The workflow, its agents and roles, and the host's settings: later changes do not reach the run. */
      readonly frozen: Digest
      readonly inputs: Digest
      /** `configurable` of the request; null when there was none. */
      readonly configurable: Digest | null
      readonly metadata: Digest | null
      readonly tags: readonly string[]
      readonly mode: Mode
      readonly orchestration: Orchestration
      readonly budget: Budget
      readonly stallAfter: number
      /** Left out by runs that were started before there was a second version. */
      readonly rulesVersion?: number
      readonly owner: string
      /** Warnings at the start. Left out when there are no warnings. */
      readonly warnings?: readonly RunWarning[]
      /** Left out by a run that is not a fork. */
      readonly forkOf?: ForkOf
      /** Only for a run that sends a message directly to a session. */
      readonly direct?: DirectRequest
    }
  /** A new owner takes over the run. The previous owner cannot write any more. */
  | { readonly type: 'run.claimed'; readonly owner: string; readonly epoch: number }
  | {
      readonly type: 'node.started'
      readonly nodeId: string
      readonly typeId: string
      /** From 1; more than once where an edge leads back. */
      readonly visit: number
      /** The lasting session that it works in; null when the run has its messages. */
      readonly session: string | null
      /** The session that its config and its snapshot come from; null without one. */
      readonly home: string | null
      readonly config: RunConfig
      /** Whether it waits for more input after a reply without calls. */
      readonly interactive: boolean
      readonly snapshot: Snapshot | null
      /** The number of the apply that the snapshot came with; 0 without one. */
      readonly apply: number
      /** The message that it begins with; null for none. */
      readonly input: Digest | null
      /** Messages that were said before in its lasting session. Left out by any other node. */
      readonly history?: History
      /** Messages that were left in its lasting session. Left out when there are no messages. */
      readonly left?: readonly LeftMessage[]
      /** Handed over by other nodes; null for nothing. */
      readonly handoffs: Digest | null
      /** Where an edge led back here: nodes after it that have ended, and are to be done again. */
      readonly again: readonly string[]
    }
  /** Every candidate of every layer is in `trace`. */
  | {
      readonly type: 'prompt.traced'
      readonly nodeId: string
      readonly kind: PromptKind
      readonly slot: number
      readonly agentId: string | null
      readonly resolved: string | null
      readonly trace: Digest
    }
  | {
      readonly type: 'prompt.composed'
      readonly nodeId: string
      readonly ref: string
      readonly kind: PromptKind
      readonly template: Digest
      /** The text as it may be seen; its name is `templateHash`. */
      readonly body: Digest
      readonly variableHashes: Readonly<Record<string, Digest>>
      /** Values by variable, secrets redacted. */
      readonly values: Digest
      readonly contentTrust: 'trusted' | 'untrusted'
    }
  /** In the repo, while the node's model or its tool was at work. */
  | ({ readonly type: 'files.changed'; readonly nodeId: string; readonly step: number } & Worker & FilesChange)
  | { readonly type: 'node.cancelled'; readonly nodeId: string }
  /** `edges`: those whose condition holds. */
  | {
      readonly type: 'node.completed'
      readonly nodeId: string
      readonly output: Digest
      readonly edges: readonly string[]
    }
  | ({ readonly type: 'node.failed'; readonly nodeId: string; readonly edges: readonly string[] } & Failure)
  | { readonly type: 'node.skipped'; readonly nodeId: string; readonly reason: string }
  /** An edge that leads back was taken: its node starts again when nothing that follows it is under way. */
  | { readonly type: 'edge.followed'; readonly edgeId: string; readonly to: string; readonly time: number }
  /** An agent added it to the graph; it starts at once. */
  | ({ readonly type: 'node.spawned' } & SpawnedNode)
  /** @see MadeEdge: no node waits because of it */
  | ({ readonly type: 'edge.created'; readonly nodeId: string } & MadeEdge)
  /** On its way from here on, even when its sender ends. */
  | {
      readonly type: 'handoff.sent'
      readonly handoff: string
      /** The sender. */
      readonly nodeId: string
      readonly to: string
      readonly body: Digest
      readonly expectation: 'none' | 'optional' | 'required'
      /** The handoff that this one replies to, if a node waits for that reply; null otherwise. */
      readonly answers: string | null
      /** The call that stays open until there is a reply; null when the sender does not wait. */
      readonly awaits: { readonly call: string; readonly until: number } | null
    }
  /** `nodeId` has received it: in its session, in its starting input, or as the result of its call. */
  | { readonly type: 'handoff.delivered'; readonly handoff: string; readonly nodeId: string }
  /** `nodeId` has waited for a reply long enough. */
  | { readonly type: 'handoff.expired'; readonly handoff: string; readonly nodeId: string }
  | {
      readonly type: 'run.paused'
      readonly reason: PauseReason
      readonly nodeId: string | null
      /** Left out by runs of version 0.1.0, which paused at once. */
      readonly drainPolicy?: DrainPolicy
      /** The reason, in the caller's text. */
      readonly note?: string
    }
  | { readonly type: 'run.stalled'; readonly nodeId: string; readonly evidence: StallEvidence }
  | { readonly type: 'run.resumed' }
  | { readonly type: 'run.modeChanged'; readonly mode: Mode; readonly approval: string | null }
  /** For one node, or for all that have none of their own. Null takes it back. */
  | { readonly type: 'override.given'; readonly nodeId: string | null; readonly text: Digest | null }
  | {
      readonly type: 'log.appended'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly code: string
      readonly nodeId: string
    }
  /** A branch continues with this world from here on. The events before it used another. */
  | { readonly type: 'run.overlaid'; readonly frozen: Digest; readonly configurable: Digest | null }
  /** In a replayed run: a result differs from the record. Changes nothing. */
  | {
      readonly type: 'replay.diverged'
      readonly nodeId: string | null
      readonly sourceRunId: string
      /** In the stream of the source. */
      readonly atSequence: number
      /** Left out where the source's run has no such event. */
      readonly originalEventId?: string
      readonly divergenceKind: DivergenceKind
      /** The event that came out otherwise, as OpenWOP names it. */
      readonly divergencePoint: string
      /** Each field, and both of its values. */
      readonly details: Digest
    }
  /** In a replayed run: the host has another default by now, which does not reach the run. */
  | { readonly type: 'version.pinned'; readonly kind: string; readonly pinned: Json; readonly present: Json }
  /** Work under way is ended first; then the run fails or is cancelled. */
  | { readonly type: 'run.cancelling'; readonly reason: string | null; readonly failure: RunFailure | null }
  | { readonly type: 'run.completed'; readonly outputs: Digest }
  | ({ readonly type: 'run.failed' } & RunFailure)
  | { readonly type: 'run.cancelled'; readonly reason: string | null }

export interface RunFailure extends Failure {
  readonly failedNodeId: string | null
}

export const runStream = (runId: string): string => `run/${runId}`

/** The record leaves out fields of these events that have these values: most events of most runs have them. */
const UNSAID: Readonly<Record<string, JsonObject>> = {
  'run.created': { configurable: null, metadata: null, tags: [] },
  'node.started': { session: null, home: null, interactive: false, snapshot: null, apply: 0, input: null, handoffs: null, again: [] },
  'step.settled': { failure: null },
}

export function runDraft({ type, ...fields }: RunEvent, actor: string, cause: string | null = null): EventDraft {
  const payload = fields as unknown as JsonObject
  const recorded = without(payload, UNSAID[type] ?? {})
  const { config } = recorded
  const isStart = type === 'node.started' && isObject(config)
  return { type, actor, cause, payload: isStart ? { ...recorded, config: without(config, CONFIG) } : recorded }
}

export function runEvent({ type, payload }: { readonly type: string; readonly payload: Json }): RunEvent {
  const event: JsonObject = { ...UNSAID[type], ...(isObject(payload) ? payload : {}), type }
  const read = type === 'node.started' && isObject(event.config) ? { ...event, config: { ...CONFIG, ...event.config } } : event
  return read as unknown as RunEvent
}

const CONFIG = emptyConfig as unknown as JsonObject

const without = (fields: JsonObject, unsaid: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => !Object.hasOwn(unsaid, key) || !isSame(value, unsaid[key]!)))

const isSame = (a: Json, b: Json): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
