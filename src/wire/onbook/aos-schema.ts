// Schemas of session requests and answers in AgentOS's names.
import { Type } from 'typebox'
import { CLOSED, digest, jsonMap, limit, nullable } from './schema-parts.ts'

export const DIALECTS = ['onbook', 'aos'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Any text passes: the fault for an unknown dialect lists the known ones. */
export const dialect = Type.String({
  maxLength: 64,
  description: `Whose names bodies and answers use: ${DIALECTS.join(' or ')} (AgentOS). Default: onbook.`,
})
export const dialectQuery = Type.Object({ dialect: Type.Optional(dialect) }, CLOSED)
export const sessionEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: '^-1$|^[A-Za-z0-9_-]{1,200}$',
        description: 'The sequence of the last known event; in the dialect aos, the cursor after it. -1 for the beginning.',
      }),
    ),
    limit: Type.Optional(limit),
    dialect: Type.Optional(dialect),
  },
  CLOSED,
)

const count = Type.Integer({ minimum: 0 })
const binding = Type.Object({ workspace: Type.String(), version: nullable(count) }, CLOSED)
const variant = Type.Object({ $tag: Type.String(), $value: Type.Optional(Type.Unknown()) }, CLOSED)
const shared = {
  provider: Type.String(),
  model: Type.String(),
  reasoning_effort: nullable(variant),
  max_tokens: nullable(count),
  workspace_binding: nullable(binding),
}
const names = { text: nullable(Type.String()), refs: nullable(Type.Array(digest)) }
const sessionConfig = Type.Object(
  {
    ...shared,
    default_prompt_pack: names.text,
    default_prompt_refs: names.refs,
    default_tool_catalog: names.text,
    default_tool_refs: names.refs,
  },
  CLOSED,
)
const runConfig = Type.Object(
  { ...shared, prompt_pack: names.text, prompt_refs: names.refs, tool_catalog: names.text, tool_refs: names.refs },
  CLOSED,
)
const snapshot = Type.Object(
  {
    workspace: Type.String(),
    version: nullable(count),
    root_hash: nullable(digest),
    index_ref: nullable(digest),
    prompt_pack: names.text,
    tool_catalog: names.text,
    prompt_pack_ref: nullable(digest),
    tool_catalog_ref: nullable(digest),
  },
  CLOSED,
)
const runId = Type.Object({ session_id: Type.String(), run_seq: count }, CLOSED)

export const aosConfigAnswer = Type.Object({ session_id: Type.String(), session_config: sessionConfig }, CLOSED)
export const aosStateAnswer = Type.Object(
  {
    session_id: Type.String(),
    lifecycle: variant,
    session_config: sessionConfig,
    active_run_id: nullable(runId),
    active_run_config: nullable(runConfig),
    active_run_step_count: count,
    active_workspace_snapshot: nullable(snapshot),
    pending_workspace_snapshot: nullable(snapshot),
    pending_workspace_apply_mode: nullable(variant),
  },
  CLOSED,
)
export const aosEventsAnswer = Type.Object(
  {
    events: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    next: nullable(Type.String({ description: 'The cursor of the next page; null after the last one.' })),
    cursor: Type.String({ description: 'The cursor after the last event of this page: later events are read from there.' }),
  },
  CLOSED,
)

export const aosEventBody = Type.Object(
  {
    session_id: Type.Optional(Type.String({ maxLength: 128 })),
    run_id: Type.Optional(nullable(jsonMap)),
    turn_id: Type.Optional(nullable(jsonMap)),
    step_id: Type.Optional(nullable(jsonMap)),
    session_epoch: Type.Optional(count),
    step_epoch: Type.Optional(count),
    event: jsonMap,
  },
  { ...CLOSED, description: 'A SessionEvent of AgentOS. The names beside `event` may be left out.' },
)
export const aosAcceptedAnswer = Type.Object({ accepted: Type.String(), run_id: nullable(runId) }, CLOSED)
