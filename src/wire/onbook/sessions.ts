// Schemas of session requests and answers, and the types that follow from them.
import { Type } from 'typebox'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import { NAME, runConfigFormat, sessionConfigFormat } from '../../core/session/config-format.ts'
import type { Document } from './document.ts'
import { anyJson, CLOSED, digest, limit, MOST_KEYS, MOST_TEXT, nullable } from './schema-parts.ts'

/** Defaults for the runs of a session, or the config of one run. An absent field is unset. */
export interface WireSessionConfig {
  readonly provider?: string
  readonly model?: string
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | null
  readonly maxTokens?: number | null
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly providerOptions?: string
  readonly workspace?: { readonly name: string; readonly version?: number | null } | null
  readonly prelude?: string | null
  readonly promptDigests?: readonly string[] | null
  readonly catalog?: string | null
  readonly toolDigests?: readonly string[] | null
  readonly limits?: { readonly maxSteps?: number | null; readonly maxCalls?: number | null }
}

const count = Type.Integer({ minimum: 0 })
const name = Type.String({ pattern: NAME })
const version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** Removes `$schema` and `$id`, which a schema inside a body must not have. */
const unnamed = ({ $schema: _, $id: __, ...schema }: Readonly<Record<string, unknown>>) =>
  Type.Unsafe<WireSessionConfig>(schema as Type.TSchema)
const sessionConfig = unnamed(sessionConfigFormat)
export const runConfig = unnamed(runConfigFormat)

export const sessionParams = Type.Object({ session: name }, CLOSED)
export const sessionsQuery = Type.Object({ cursor: Type.Optional(name), limit: Type.Optional(limit) }, CLOSED)
export const createBody = Type.Object(
  {
    session: Type.Optional(name),
    agentId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: NO_DIGEST })),
    config: Type.Optional(sessionConfig),
  },
  CLOSED,
)
export const configBody = sessionConfig

/** A text, a message in the format of models, or the digest of a stored message. */
export const message = Type.Union([
  Type.String({ minLength: 1, maxLength: MOST_TEXT }),
  Type.Object({ digest }, CLOSED),
  Type.Object({ role: Type.String({ maxLength: 64 }), content: anyJson }, { additionalProperties: anyJson, maxProperties: MOST_KEYS }),
])
export const runBody = Type.Object(
  { input: Type.Optional(message), overrides: Type.Optional(runConfig), interactive: Type.Optional(Type.Boolean()) },
  CLOSED,
)
/** Fields of every command: an id that the caller chooses, and the run. */
const aboutCommand = {
  id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._~-]{1,128}$' })),
  run: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
}
const reason = Type.String({ minLength: 1, maxLength: 500, pattern: NO_DIGEST })
export const commandBody = Type.Union([
  Type.Object({ kind: Type.Enum(['steer', 'interrupt', 'follow-up']), message, ...aboutCommand }, CLOSED),
  Type.Object({ kind: Type.Enum(['pause', 'resume', 'complete']), ...aboutCommand }, CLOSED),
  Type.Object({ kind: Type.Literal('cancel'), reason: Type.Optional(reason), ...aboutCommand }, CLOSED),
])
export const inputBody = Type.Object({ message }, CLOSED)
export const syncBody = Type.Object(
  {
    workspace: Type.Optional(name),
    version: Type.Optional(nullable(version)),
    prelude: Type.Optional(nullable(name)),
    catalog: Type.Optional(nullable(name)),
    knownVersion: Type.Optional(nullable(version)),
  },
  CLOSED,
)
export const WHEN = ['next_run', 'next_step_boundary', 'immediate_if_idle'] as const
export const applyBody = Type.Object(
  {
    when: Type.Optional(Type.Enum([...WHEN])),
    untested: Type.Optional(Type.Boolean({ description: 'Also with packs whose tests did not pass. The event says so.' })),
  },
  CLOSED,
)
export const transcriptQuery = Type.Object(
  { from: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,14})$' })), limit: Type.Optional(limit) },
  CLOSED,
)

export const snapshot = Type.Object(
  {
    workspace: Type.String(),
    version,
    root: digest,
    index: nullable(digest),
    prelude: nullable(Type.Object({ name: Type.String(), digest, options: nullable(digest) }, CLOSED)),
    catalog: nullable(Type.Object({ name: Type.String(), digest }, CLOSED)),
    legacy: Type.Boolean(),
    packs: Type.Optional(digest),
  },
  CLOSED,
)
export const snapshotSource = Type.Object(
  { workspace: Type.String(), version, root: digest },
  { ...CLOSED, description: 'The version of a workspace that gave the template, in place of a library.' },
)
const packChange = Type.Object(
  {
    pack: Type.String(),
    from: nullable(Type.String({ description: 'The version that is active now.' })),
    to: nullable(Type.String({ description: 'Null when the workspace no longer has the pack.' })),
    errors: count,
    warnings: count,
    tests: nullable(Type.Object({ pass: count, fail: count, skip: count, error: count }, CLOSED)),
    proof: Type.Enum(['passed', 'failed', 'untested', 'removed']),
    report: nullable(digest),
  },
  CLOSED,
)
const selection = Type.Object(
  {
    workspace: Type.Object({ name: Type.String(), version: nullable(version) }, CLOSED),
    prelude: nullable(Type.String()),
    catalog: nullable(Type.String()),
  },
  CLOSED,
)
/** The run waits for a provider that lacks a key, a package or a script. */
export const waitingFor = Type.Object(
  {
    code: Type.Literal('provider_unready'),
    provider: Type.String(),
    message: Type.String(),
    since: Type.String({ format: 'date-time', description: 'When this host began to wait.' }),
  },
  CLOSED,
)
export const promptSource = Type.Enum(['workspace', 'direct', 'none'])
const SYNC_STAGE = Type.Enum(['resolve', 'index', 'prelude', 'catalog', 'packs', 'validate'])
const at = Type.Enum(['now', 'run', 'step'])
const runId = Type.String({ description: 'Its events, steps and calls are under /v1/runs/{runId}.' })
const runAnswer = Type.Object(
  {
    run: count,
    runId,
    nodeId: Type.String({ description: 'The node that works in the session: `session` where the session was asked directly.' }),
    phase: Type.Enum(['running', 'waiting', 'paused', 'cancelling']),
    config: nullable(runConfig),
    source: promptSource,
    snapshot: nullable(snapshot),
    interactive: Type.Boolean(),
    steps: count,
    approvals: Type.Array(Type.Object({ approval: Type.String(), call: Type.String(), tool: Type.String() }, CLOSED)),
  },
  CLOSED,
)
export const sessionAnswer = Type.Object(
  {
    session: Type.String(),
    agentId: nullable(Type.String()),
    lifecycle: Type.Enum(['idle', 'running', 'waiting', 'paused', 'cancelling', 'completed', 'failed', 'cancelled']),
    config: sessionConfig,
    workspace: Type.Object(
      {
        active: nullable(snapshot),
        pending: nullable(Type.Object({ snapshot, selection, packs: Type.Optional(Type.Array(packChange)) }, CLOSED)),
        approved: nullable(Type.Object({ snapshot, selection, at: Type.Enum(['run', 'step']), firstRun: count }, CLOSED)),
        syncing: Type.Boolean(),
      },
      CLOSED,
    ),
    run: nullable(runAnswer),
    runs: count,
    refused: nullable(Type.Object({ run: count, stage: SYNC_STAGE, code: Type.String(), detail: Type.String() }, CLOSED)),
    messages: count,
    seq: count,
    waiting: Type.Object({ steers: count, followUps: count }, CLOSED),
    unready: Type.Optional(waitingFor),
  },
  CLOSED,
)
export const sessionsAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          session: Type.String(),
          run: nullable(count),
          runId: nullable(runId),
          open: Type.Boolean({ description: 'Whether that run works in the session now.' }),
          workspace: nullable(Type.String()),
          version: nullable(version),
          createdAt: Type.String(),
          changedAt: Type.String(),
        },
        CLOSED,
      ),
    ),
    nextCursor: Type.Optional(Type.String()),
  },
  CLOSED,
)
export const createdAnswer = Type.Object({ session: Type.String(), config: sessionConfig }, CLOSED)
export const runRequestedAnswer = Type.Object({ session: Type.String(), run: count, runId }, CLOSED)
export const commandAnswer = Type.Object(
  {
    session: Type.String(),
    id: Type.String(),
    kind: Type.Enum(['steer', 'interrupt', 'follow-up', 'pause', 'resume', 'complete', 'cancel']),
  },
  CLOSED,
)
export const inputAnswer = Type.Object({ session: Type.String(), run: count }, CLOSED)
const warning = Type.Object({ code: Type.String(), message: Type.String() }, CLOSED)
export const syncAnswer = Type.Union([
  Type.Object(
    {
      outcome: Type.Literal('ready'),
      sync: count,
      snapshot,
      selection,
      packs: Type.Array(packChange, { description: 'Packs that would have another version or other text.' }),
      warnings: Type.Array(warning),
    },
    CLOSED,
  ),
  Type.Object({ outcome: Type.Literal('unchanged'), sync: count, workspace: Type.String(), version }, CLOSED),
  Type.Object(
    {
      outcome: Type.Literal('failed'),
      sync: count,
      workspace: Type.String(),
      stage: SYNC_STAGE,
      code: Type.String(),
      detail: Type.String(),
    },
    CLOSED,
  ),
])
const when = Type.Enum([...WHEN])
export const applyAnswer = Type.Union([
  Type.Object({ outcome: Type.Enum(['applied', 'approved', 'deferred']), when, at, firstRun: Type.Optional(count), snapshot }, CLOSED),
  Type.Object({ outcome: Type.Literal('refused'), when, code: Type.String(), message: Type.String() }, CLOSED),
])
export const transcriptAnswer = Type.Object(
  {
    session: Type.String(),
    entries: Type.Array(
      Type.Object(
        {
          index: count,
          digest,
          messages: Type.Array(Type.Object({ role: Type.String(), content: Type.Array(Type.Unknown()) })),
          problem: nullable(Type.String()),
        },
        CLOSED,
      ),
    ),
    next: nullable(count),
  },
  CLOSED,
)

export type SessionSummary = Document<typeof sessionsAnswer>['items'][number]
export type SessionDescription = Document<typeof sessionAnswer>
export type WireSnapshot = Document<typeof snapshot>
/** A pack whose version or text changes when a snapshot is applied. */
export type WirePackChange = Document<typeof packChange>
export type ProviderWait = Document<typeof waitingFor>
export type MessageInput = Document<typeof message>
export type RunRequest = Document<typeof runBody>
export type SyncRequest = Document<typeof syncBody>
export type SyncAnswer = Document<typeof syncAnswer>
export type ApplyWhen = (typeof WHEN)[number]
export type ApplyAnswer = Document<typeof applyAnswer>
export type SessionCommandRequest = Document<typeof commandBody>
export type TranscriptPage = Document<typeof transcriptAnswer>
