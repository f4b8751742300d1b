// POST /v1/prompts:resolve: which prompt applies at a node, and why. Not part of OpenWOP, which has only a test seam for it.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { boundAgent } from '../../../core/resolve/bound-agent.ts'
import { configOf, type KindRefs, type ResolveRequest } from '../../../core/resolve/layers.ts'
import { KINDS, resolveNode } from '../../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../../core/resolve/snapshot-lookup.ts'
import { loadLookup } from '../../../engine/library/lookup.ts'
import { refsOf } from '../../../engine/library/refs-of.ts'
import { nodeConfig, refsByKind } from '../../../wire/onbook/resolve-schema.ts'
import { CLOSED } from '../../../wire/onbook/schema-parts.ts'
import { kindSchema, sessionField, workspaceQuery } from '../../../wire/onbook/template-schema.ts'
import { toPromptResolved } from '../../../wire/openwop/prompt-resolved.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers, resolveAnswer } from '../answers.ts'
import { gateOf } from '../gate.ts'
import { packsFor } from '../sessions/writes.ts'

const resolveBody = Type.Object(
  {
    node: Type.Object({ nodeId: Type.String({ minLength: 1, maxLength: 200 }), config: Type.Optional(nodeConfig) }, CLOSED),
    kind: Type.Optional(kindSchema),
    agent: Type.Optional(
      Type.Object(
        {
          agentId: Type.String({ minLength: 1, maxLength: 256 }),
          version: Type.Optional(Type.String({ maxLength: 128 })),
          systemPrompt: Type.Optional(Type.String({ maxLength: 65_536 })),
          promptOverrides: Type.Optional(refsByKind),
          promptLibraryRef: Type.Optional(Type.String({ maxLength: 128 })),
        },
        CLOSED,
      ),
    ),
    runOverrides: Type.Optional(refsByKind),
    workflowDefaults: Type.Optional(refsByKind),
    ...workspaceQuery,
    ...sessionField,
  },
  CLOSED,
)
type Body = Static<typeof resolveBody>

export function resolveRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const options = { onRequest: gateOf(config, 'resolve'), preValidation: workspacesHook(store) }
  app.post<{ Body: Body }>(
    '/v1/prompts::resolve',
    {
      ...options,
      schema: {
        operationId: 'resolvePrompt',
        body: resolveBody,
        querystring: Type.Object(workspaceQuery, CLOSED),
        response: answers(resolveAnswer, 'What applies, with every candidate of every layer.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'prompts:read')
      const asked = toRequest(request.body, config.agentBindings, config.hostDefaults)
      const library = await loadLookup(store, principal.tenant, refsOf(asked), request.workspaceId)
      const lookup = snapshotLookup(library, await packsFor(store, request, request.body.session))
      const { resolutions, warnings } = resolveNode(asked, lookup, request.body.kind === undefined ? KINDS : [request.body.kind])
      return {
        resolutions: resolutions.map(resolution => ({ ...resolution, event: toPromptResolved(resolution) })),
        warnings,
      }
    },
  )
}

function toRequest({ node, agent, runOverrides, workflowDefaults }: Body, agentBindings: boolean, hostDefaults: KindRefs): ResolveRequest {
  const nodeConfig = configOf(node.config as Json | undefined)
  const named = agent !== undefined && nodeConfig.agentId === agent.agentId
  return {
    nodeId: node.nodeId,
    config: nodeConfig,
    agent: named ? boundAgent(agent as JsonObject) : null,
    agentBindings,
    runOverrides: (runOverrides ?? {}) as JsonObject,
    workflowDefaults: (workflowDefaults ?? {}) as JsonObject,
    hostDefaults,
  }
}
