// Schemas of run requests and answers: OpenWOP's fields under its names, ours beside them. Types follow from the schemas.
import { Type } from 'typebox'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import { NAME } from '../../core/session/config-format.ts'
import { EVENT_LOG_SCHEMA_VERSION, RUN_STATUSES } from '../openwop/run-status.ts'
import type { Document } from './document.ts'
import { CLOSED, digest, jsonMap, limit, MOST_TEXT, nullable } from './schema-parts.ts'
import { message, waitingFor } from './sessions.ts'

export const free = Type.Record(Type.String(), Type.Unknown())
const count = Type.Integer({ minimum: 0 })
const most = Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })))
/** Text in an event that must not look like a digest: the store would take it for the name of an object. */
const words = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: NO_DIGEST })
const runId = Type.String({ pattern: NAME })
const nodeId = words(200)
export const mode = Type.Enum(['planning', 'implementation'])
const sequence = Type.String({ pattern: '^-1$|^[0-9]{1,15}$' })

export const runParams = Type.Object({ runId }, CLOSED)
export const nodeParams = Type.Object({ runId, nodeId }, CLOSED)
export const promptParams = Type.Object({ runId, nodeId, step: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) }, CLOSED)
export const promptQuery = Type.Object({ visit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$' })) }, CLOSED)
export const approvalParams = Type.Object({ approval: words(200) }, CLOSED)

export const createRunBody = Type.Object(
  {
    workflowId: words(200),
    inputs: Type.Optional(jsonMap),
    tenantId: Type.Optional(Type.String({ maxLength: 200 })),
    scopeId: Type.Optional(Type.String({ maxLength: 200, description: 'Kept as metadata.scopeId.' })),
    callbackUrl: Type.Optional(Type.String({ maxLength: 2_000, description: 'Not supported, and refused: follow the events.' })),
    configurable: Type.Optional(jsonMap),
    tags: Type.Optional(Type.Array(words(64), { maxItems: 32 })),
    metadata: Type.Optional(jsonMap),
    mode: Type.Optional(mode),
    budget: Type.Optional(Type.Object({ steps: most, tokens: most, milliseconds: most, stepsPerNode: most }, CLOSED)),
    override: Type.Optional(
      Type.String({ minLength: 1, maxLength: MOST_TEXT, description: 'What somebody adds for every node at the last minute.' }),
    ),
  },
  CLOSED,
)
/** The body is optional, because the reason is. */
export const cancelBody = nullable(Type.Object({ reason: Type.Optional(words(500)) }, CLOSED))
export const modeBody = Type.Object({ mode }, CLOSED)
export const overrideBody = Type.Object(
  { nodeId: Type.Optional(nullable(nodeId)), text: nullable(Type.String({ minLength: 1, maxLength: MOST_TEXT })) },
  CLOSED,
)
export const sayBody = Type.Object({ kind: Type.Enum(['steer', 'interrupt', 'follow-up']), message }, CLOSED)
export const approvalBody = Type.Object(
  {
    decision: Type.Enum(['approved', 'denied']),
    note: Type.Optional(nullable(words(2_000))),
    arguments: Type.Optional(nullable(jsonMap)),
  },
  CLOSED,
)

const PHASES = ['running', 'paused', 'cancelling', 'completed', 'failed', 'cancelled'] as const
export const runsQuery = Type.Object(
  {
    cursor: Type.Optional(runId),
    limit: Type.Optional(limit),
    workflowId: Type.Optional(Type.String({ maxLength: 200 })),
    status: Type.Optional(Type.Enum([...PHASES])),
    order: Type.Optional(Type.Enum(['oldest', 'newest'], { description: 'Default oldest.' })),
    since: Type.Optional(Type.String({ maxLength: 40, format: 'date-time', description: 'Only runs that were created then or later.' })),
    prefix: Type.Optional(Type.String({ maxLength: 100, description: 'Only runs whose id begins so.' })),
    details: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'Whether agents, prompts and decisions are named. Default false.' }),
    ),
  },
  CLOSED,
)
export const approvalsQuery = Type.Object({ cursor: Type.Optional(words(200)), limit: Type.Optional(limit) }, CLOSED)
export const promptsQuery = Type.Object({ after: Type.Optional(sequence), limit: Type.Optional(limit) }, CLOSED)
export const pollQuery = Type.Object(
  {
    lastSequence: Type.Optional(sequence),
    timeout: Type.Optional(
      Type.String({ pattern: '^(?:[1-9]|[1-5][0-9]|60)$', description: 'Seconds to wait for an event that is not there yet. Default 30.' }),
    ),
    limit: Type.Optional(limit),
  },
  CLOSED,
)
export const followQuery = Type.Object(
  {
    lastSequence: Type.Optional(sequence),
    streamMode: Type.Optional(Type.String({ maxLength: 100 })),
    bufferMs: Type.Optional(Type.String({ pattern: '^(?:[0-9]{1,3}|[1-4][0-9]{3}|5000)$' })),
  },
  CLOSED,
)

const status = Type.Enum([...RUN_STATUSES])
const warnings = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }, CLOSED), {
  description: 'What was said aloud when it started: the run goes on, but somebody probably meant something else.',
})
export const createdRunAnswer = Type.Object(
  { runId, status, eventsUrl: Type.String(), statusUrl: Type.String(), warnings: Type.Optional(warnings) },
  CLOSED,
)
export const runStatusAnswer = Type.Object({ runId, status }, CLOSED)
export const saidAnswer = Type.Object({ runId, nodeId: Type.String(), session: nullable(Type.String()), id: Type.String() }, CLOSED)
export const forkMode = Type.Enum(['replay', 'branch'])
export const runsAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          runId,
          workflowId: Type.String(),
          status: Type.Enum([...PHASES]),
          createdAt: Type.String(),
          changedAt: Type.String(),
          forkOf: Type.Optional(Type.Object({ runId, fromSeq: count, mode: forkMode }, CLOSED)),
          agents: Type.Optional(Type.Array(Type.String())),
          prompts: Type.Optional(Type.Array(Type.String(), { description: 'Pinned refs of the system prompts that were sent.' })),
          decisions: Type.Optional(
            Type.Object({ allowed: count, denied: count, waiting: count }, { ...CLOSED, description: 'Decisions about tool calls.' }),
          ),
        },
        CLOSED,
      ),
    ),
    nextCursor: Type.Optional(runId),
  },
  CLOSED,
)

const limitOf = nullable(count)
const wantsMode = Type.Object({ kind: Type.Literal('mode'), mode, reason: Type.String() }, CLOSED)
/** A run shows the digest of the arguments. An open approval shows the arguments to the person who decides. */
const wantsTool = <T extends Type.TSchema>(given: T) =>
  Type.Object(
    {
      kind: Type.Literal('tool'),
      call: Type.String(),
      tool: Type.String(),
      arguments: given,
      reason: Type.String(),
      by: nullable(Type.Array(Type.String())),
      expiresAt: nullable(Type.Integer({ description: 'Milliseconds since 1970.' })),
    },
    CLOSED,
  )
const openApproval = { approval: Type.String(), nodeId: Type.String(), wants: Type.Union([wantsMode, wantsTool(digest)]) }
const askedApproval = {
  approval: Type.String(),
  askedAt: Type.String(),
  runId,
  nodeId: Type.String(),
  session: nullable(Type.String({ description: 'The lasting session that the node works in.' })),
  wants: Type.Union([wantsMode, wantsTool(Type.Unknown())]),
}
const evidence = Type.Object(
  {
    signal: Type.String(),
    times: count,
    promptHashes: Type.Array(digest),
    replyHashes: Type.Array(digest),
    period: Type.Optional(count),
    calls: Type.Optional(Type.Array(Type.Object({ tool: Type.String(), status: Type.String() }, CLOSED))),
  },
  CLOSED,
)
/** OpenWOP's RunSnapshot allows further fields. */
export const runAnswer = Type.Object(
  {
    runId,
    workflowId: Type.String(),
    status,
    startedAt: Type.String(),
    completedAt: Type.Optional(Type.String()),
    forkOf: Type.Optional(Type.Object({ runId, fromSeq: count, mode: forkMode, copied: count }, CLOSED)),
    nodeStates: Type.Record(
      Type.String(),
      Type.Object(
        {
          status: Type.Enum(['idle', 'running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled']),
          visits: count,
          steps: count,
          session: nullable(Type.String()),
        },
        CLOSED,
      ),
    ),
    variables: free,
    outputs: Type.Optional(jsonMap),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() }, CLOSED)),
    failedNodeId: Type.Optional(Type.String()),
    tags: Type.Array(Type.String()),
    metadata: Type.Optional(jsonMap),
    configurable: Type.Optional(jsonMap),
    mode,
    orchestration: Type.Enum(['auto', 'interactive']),
    budget: Type.Object({ steps: limitOf, tokens: limitOf, milliseconds: limitOf, stepsPerNode: Type.Optional(limitOf) }, CLOSED),
    steps: count,
    tokens: count,
    overrides: Type.Array(
      Type.Object({ nodeId: nullable(Type.String()), text: nullable(Type.String()), actor: Type.String(), at: Type.String() }, CLOSED),
    ),
    paused: nullable(
      Type.Object(
        {
          reason: Type.Enum(['asked', 'stalled']),
          nodeId: nullable(Type.String()),
          drains: Type.Optional(Type.Literal(true)),
          evidence: nullable(evidence),
        },
        CLOSED,
      ),
    ),
    approvals: Type.Array(Type.Object(openApproval, CLOSED)),
    waiting: Type.Optional(waitingFor),
    lastSequence: count,
    eventLogSchemaVersion: Type.Literal(EVENT_LOG_SCHEMA_VERSION, { description: 'Of OpenWOP: the run has a log of events.' }),
  },
  CLOSED,
)
export const approvalsAnswer = Type.Object(
  {
    items: Type.Array(Type.Object(askedApproval, CLOSED)),
    nextCursor: Type.Optional(Type.String()),
  },
  CLOSED,
)
export const approvalAnswer = Type.Object(
  {
    approval: Type.String(),
    decision: Type.Enum(['approved', 'denied']),
    runId,
    session: nullable(Type.String()),
    status: Type.Optional(status),
  },
  CLOSED,
)

/** RunEventDoc. */
const eventDocument = Type.Object(
  {
    eventId: Type.String(),
    runId,
    nodeId: Type.Optional(Type.String()),
    type: Type.String(),
    payload: free,
    timestamp: Type.String(),
    sequence: count,
    causationId: Type.Optional(Type.String()),
  },
  CLOSED,
)
export const pollAnswer = Type.Object({ events: Type.Array(eventDocument), isComplete: Type.Boolean() }, CLOSED)

export type RunMode = Document<typeof mode>
export type StartRunRequest = Document<typeof createRunBody>
export type StartedRun = Document<typeof createdRunAnswer>
export type WireRunSummary = Document<typeof runsAnswer>['items'][number]
/** A run, with everything that it waits for. */
export type RunDescription = Document<typeof runAnswer>
/** The request of an agent to a person. */
export type WireApproval = RunDescription['approvals'][number]
/** An approval asked by a node of a run. A direct run of a session is a run with one node. */
export type AskedApproval = Document<typeof approvalsAnswer>['items'][number]
export type ApprovalReply = Document<typeof approvalBody>
/** OpenWOP's RunEventDoc. */
export type WireRunEvent = Document<typeof eventDocument>
