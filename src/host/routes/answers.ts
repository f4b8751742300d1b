// Response schemas of the routes, for the OpenAPI document and for tests that check answers against it.
import { Type } from 'typebox'
import { MEANT_BY } from '../../core/library/meant.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import { CLOSED, digest, nullable } from '../../wire/onbook/schema-parts.ts'
import { snapshotSource } from '../../wire/onbook/sessions.ts'
import { kindSchema, templateSchema } from '../../wire/onbook/template-schema.ts'

const errorAnswer = Type.Object(
  {
    error: Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { ...CLOSED, description: 'What was refused, and what to do.' },
)

/** Every route can refuse. */
const refusals = { '4xx': errorAnswer, '5xx': errorAnswer }

export const withStatus = (status: number, schema: Type.TSchema) => ({ [status]: schema, ...refusals })

export const answers = (schema: Type.TSchema, description: string) => withStatus(200, { ...schema, description })
export const createdAnswers = (schema: Type.TSchema, description: string) => withStatus(201, { ...schema, description })
export const emptyAnswers = (description: string) => withStatus(204, { ...Type.Null(), description })

export const templateAnswer = templateSchema
export const listAnswer = Type.Object({ items: Type.Array(templateSchema), nextCursor: Type.Optional(Type.String()) }, CLOSED)

export const renderAnswer = Type.Object(
  {
    hash: digest,
    refs: Type.Array(Type.String()),
    variableHashes: Type.Record(Type.String(), digest),
    composed: Type.Optional(Type.String()),
    contentTrust: Type.Enum(['trusted', 'untrusted']),
  },
  CLOSED,
)

const layer = Type.Enum([...LAYERS])
const pinned = Type.Object(
  {
    libraryId: Type.String(),
    templateId: Type.String(),
    version: Type.String(),
    digest,
    owner: Type.Optional(Type.Literal('host', { description: "The library is the host's own." })),
  },
  CLOSED,
)
const meantBy = Type.Enum([...MEANT_BY], { description: 'The rule that gave the version of the template.' })
const traceEntry = Type.Object(
  {
    layer,
    applied: Type.Boolean(),
    ref: nullable(Type.String()),
    template: nullable(pinned),
    meant: Type.Optional(meantBy),
    snapshot: Type.Optional(snapshotSource),
    code: Type.String(),
    reason: Type.String(),
  },
  CLOSED,
)
const chainEntry = Type.Object(
  { layer, applied: Type.Boolean(), source: Type.Optional(Type.String()), reason: Type.Optional(Type.String()) },
  CLOSED,
)
/** agent.promptResolved, RFC 0029. */
export const promptResolvedAnswer = Type.Object(
  {
    nodeId: Type.String(),
    kind: kindSchema,
    agentId: Type.Optional(Type.String()),
    chain: Type.Array(chainEntry),
    resolved: nullable(Type.String()),
  },
  CLOSED,
)
/** prompt.composed, RFC 0027. */
export const promptComposedAnswer = Type.Object(
  {
    nodeId: Type.String(),
    refs: Type.Array(Type.String()),
    kind: Type.Enum(['system+user', 'system-only', 'user-only', 'agent-reasoning']),
    hash: digest,
    composed: Type.Optional(Type.String()),
    systemPrompt: Type.Optional(Type.String()),
    userPrompt: Type.Optional(Type.String()),
    variableHashes: Type.Optional(Type.Record(Type.String(), digest)),
    contentTrust: Type.Optional(Type.Enum(['trusted', 'untrusted'])),
  },
  CLOSED,
)
const resolution = Type.Object(
  {
    nodeId: Type.String(),
    kind: kindSchema,
    slot: Type.Integer({ minimum: 0 }),
    agentId: nullable(Type.String()),
    resolved: nullable(pinned),
    variableOverrides: nullable(Type.Record(Type.String(), Type.Unknown())),
    madeFor: Type.Optional(kindSchema),
    trace: Type.Array(traceEntry),
    fault: nullable(Type.Object({ code: Type.String(), layer, message: Type.String() }, CLOSED)),
    event: promptResolvedAnswer,
  },
  CLOSED,
)
const warning = Type.Object({ code: Type.String(), nodeId: Type.String(), message: Type.String() }, { additionalProperties: true })
export const resolveAnswer = Type.Object({ resolutions: Type.Array(resolution), warnings: Type.Array(warning) }, CLOSED)
