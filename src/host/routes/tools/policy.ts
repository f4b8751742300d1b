// /v1/policy: the operator's policy for the caller's tenant, and why a call would be allowed or refused. Read-only.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { isMember } from '../../../core/access/keys.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { CONDITIONS } from '../../../core/gate/authorize.ts'
import { policyFor, type TenantPolicy } from '../../../core/gate/host-policy.ts'
import { READING } from '../../../core/workspace/policy.ts'
import { explainPolicy } from '../../../engine/policy/explain-policy.ts'
import { Fault } from '../../../errors.ts'
import type { RoleFiles } from '../../../ports.ts'
import { CLOSED, jsonMap, nullable } from '../../../wire/onbook/schema-parts.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'

const names = Type.Array(Type.String())
const number = Type.Integer({ minimum: 1 })
const place = { grant: number, line: nullable(number) }
const mode = Type.Enum(['planning', 'implementation'])

const grantAnswer = Type.Object(
  {
    ...place,
    tools: names,
    agents: Type.Optional(names),
    roles: Type.Optional(names),
    modes: Type.Optional(Type.Array(Type.Enum(['planning', 'implementation']))),
    arguments: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])))),
    approval: Type.Optional(
      Type.Union([Type.Boolean(), Type.Object({ by: Type.Optional(names), expireAfterMs: Type.Optional(number) }, CLOSED)]),
    ),
    deny: Type.Optional(Type.Boolean()),
  },
  CLOSED,
)
const readableAnswer = Type.Object(
  {
    sessions: Type.Optional(names),
    workspaces: names,
    operations: Type.Optional(Type.Array(Type.Enum([...READING]))),
    paths: Type.Optional(names),
  },
  CLOSED,
)
const policyAnswer = Type.Object(
  {
    grants: Type.Array(grantAnswer),
    workspaces: nullable(Type.Array(readableAnswer)),
    secrets: Type.Array(Type.Object({ secrets: names, workspaces: names, agents: Type.Optional(names) }, CLOSED)),
    offer: names,
    approvals: Type.Object({ expireAfterMs: nullable(number) }, CLOSED),
    planningCommands: names,
    orchestrator: Type.Object({ asks: Type.Boolean() }, CLOSED),
  },
  CLOSED,
)

const short = Type.String({ minLength: 1, maxLength: 256 })
const explainBody = Type.Object(
  {
    tool: short,
    agent: Type.Optional(short),
    role: Type.Optional(short),
    mode: Type.Optional(mode),
    arguments: Type.Optional(jsonMap),
    runId: Type.Optional(short),
    nodeId: Type.Optional(short),
  },
  CLOSED,
)
const explainAnswer = Type.Object(
  {
    tool: Type.String(),
    tenant: Type.String(),
    agent: Type.String(),
    role: nullable(Type.String()),
    mode: nullable(mode),
    decision: Type.Enum(['allowed', 'refused', 'waiting']),
    conditions: Type.Array(
      Type.Object(
        {
          condition: Type.Enum([...CONDITIONS]),
          outcome: Type.Enum(['passed', 'failed', 'not_reached', 'not_applicable', 'unknown']),
          reason: Type.String(),
        },
        CLOSED,
      ),
    ),
    grants: Type.Array(Type.Object({ ...place, outcome: Type.Enum(['decides', 'lacks', 'not_reached']), reason: Type.String() }, CLOSED)),
    asks: nullable(Type.Object({ by: nullable(names), expireAfterMs: nullable(number) }, CLOSED)),
  },
  CLOSED,
)

export function policyRoutes(app: FastifyInstance, { store, sessions }: SessionRouteParts, roles: RoleFiles | null): void {
  app.get(
    '/v1/policy',
    {
      schema: {
        operationId: 'getPolicy',
        response: answers(policyAnswer, 'What the operator allows. Of grants, those that concern the tenant that asks.'),
      },
    },
    async request => {
      const { tenant, workspaces } = principalOf(request, 'tools:read')
      return visiblePolicy(policyFor(sessions.policy, tenant), workspaces)
    },
  )

  app.post<{ Body: Static<typeof explainBody> }>(
    '/v1/policy::explain',
    {
      schema: {
        operationId: 'explainPolicy',
        body: explainBody,
        response: answers(explainAnswer, 'What the gate would say of the call, as far as it is known.'),
      },
    },
    async request => {
      const { runId, nodeId, arguments: given, ...asked } = request.body
      const { tenant } = principalOf(request, 'tools:read')
      if (runId !== undefined) principalOf(request, 'runs:read')
      if ((runId === undefined) !== (nodeId === undefined)) throw new Fault('usage_invalid', { problem: 'runId and nodeId go together' })
      const node = runId === undefined || nodeId === undefined ? undefined : { runId, nodeId }
      return explainPolicy({ store, roles, ...sessions }, tenant, { ...asked, arguments: given as JsonObject | undefined, node })
    },
  )
}

/** Leaves out workspaces that the key is not a member of. */
function visiblePolicy({ workspaces, secrets, ...policy }: TenantPolicy, member: readonly string[]): TenantPolicy {
  const visible = <T extends { readonly workspaces: readonly string[] }>(all: readonly T[]): readonly T[] =>
    all
      .map(one => ({ ...one, workspaces: one.workspaces.filter(name => name === '*' || isMember(member, name)) }))
      .filter(one => one.workspaces.length > 0)
  return { ...policy, workspaces: workspaces === null ? null : visible(workspaces), secrets: visible(secrets) }
}
