// Routes that OpenWOP's conformance suite calls directly. Only with --test-seams: production does not need them.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Trust } from '../../core/compose/bind.ts'
import { renderPrompt } from '../../core/compose/render-prompt.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { boundAgent } from '../../core/resolve/bound-agent.ts'
import { configOf, type ResolveRequest } from '../../core/resolve/layers.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import { type Found, type Lookup, resolveKind } from '../../core/resolve/resolve.ts'
import { type LoadedLookup, loadLookup } from '../../engine/library/lookup.ts'
import { refsOf } from '../../engine/library/refs-of.ts'
import { findTemplate } from '../../engine/library/render-ref.ts'
import { Fault } from '../../errors.ts'
import { nodeConfig, refsByKind } from '../../wire/onbook/resolve-schema.ts'
import { anyJson, jsonMap, MOST_KEYS } from '../../wire/onbook/schema-parts.ts'
import { kindSchema, TEMPLATE_ID } from '../../wire/onbook/template-schema.ts'
import { toPromptComposed } from '../../wire/openwop/prompt-composed.ts'
import { toPromptResolved } from '../../wire/openwop/prompt-resolved.ts'
import { principalOf } from '../access/access.ts'
import type { HostParts } from '../app.ts'
import { answers, promptComposedAnswer, promptResolvedAnswer } from './answers.ts'
import { gateOf } from './gate.ts'

const OPEN = { additionalProperties: anyJson, maxProperties: MOST_KEYS }
const resolveBody = Type.Object(
  {
    kind: kindSchema,
    node: Type.Object({ nodeId: Type.String({ minLength: 1, maxLength: 200 }), config: Type.Optional(nodeConfig) }, OPEN),
    agentManifest: Type.Optional(jsonMap),
    workflowDefaults: Type.Optional(Type.Object({ promptRefs: Type.Optional(refsByKind) }, OPEN)),
    hostDefaults: Type.Optional(refsByKind),
    agentBindingsSupported: Type.Optional(Type.Boolean()),
  },
  OPEN,
)
const composeBody = Type.Object(
  {
    templateId: Type.String({ pattern: TEMPLATE_ID }),
    bindings: jsonMap,
    bindingTrust: Type.Optional(Type.Record(Type.String(), Type.Enum(['trusted', 'untrusted']), { maxProperties: MOST_KEYS })),
    observability: Type.Optional(Type.Enum(['off', 'hashed', 'full'])),
    nodeId: Type.Optional(Type.String({ maxLength: 200 })),
  },
  OPEN,
)

export function seamRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const onRequest = gateOf(config, 'supported')
  const resolveSchema = {
    operationId: 'resolveSamplePrompt',
    body: resolveBody,
    response: answers(promptResolvedAnswer, 'agent.promptResolved'),
  }
  app.post<{ Body: Static<typeof resolveBody> }>('/v1/host/sample/prompt/resolve', { onRequest, schema: resolveSchema }, async request => {
    const principal = principalOf(request, 'prompts:read')
    const { kind, node, agentManifest, workflowDefaults, hostDefaults, agentBindingsSupported } = request.body
    const manifest = agentManifest as JsonObject | undefined
    const asked: ResolveRequest = {
      nodeId: node.nodeId,
      config: configOf(node.config as Json | undefined),
      agent: manifest === undefined ? null : boundAgent(manifest),
      agentBindings: agentBindingsSupported ?? config.agentBindings,
      workflowDefaults: (workflowDefaults?.promptRefs ?? {}) as JsonObject,
      hostDefaults: (hostDefaults ?? {}) as JsonObject,
    }
    const lookup = await loadLookup(store, principal.tenant, refsOf(asked))
    const [resolution] = resolveKind(asked, kind, trusting(lookup))
    return toPromptResolved(resolution!)
  })

  const composeSchema = {
    operationId: 'composeSamplePrompt',
    body: composeBody,
    response: answers(promptComposedAnswer, 'prompt.composed'),
  }
  app.post<{ Body: Static<typeof composeBody> }>('/v1/host/sample/prompt/compose', { onRequest, schema: composeSchema }, async request => {
    const principal = principalOf(request, 'prompts:render')
    const { templateId, bindings, bindingTrust = {}, observability = config.observability, nodeId = 'seam' } = request.body
    const { row, template } = await findTemplate(store, principal.tenant, { templateId })
    const given = bindings as JsonObject
    const result = renderPrompt(template, {
      sources: { input: given, variable: given, secret: given, context: given },
      trust: bindingTrust as Readonly<Record<string, Trust>>,
    })
    if (!result.ok) {
      const [first] = result.problems
      throw new Fault(first!.code, { problem: first!.message, variable: first!.variable })
    }
    return toPromptComposed(nodeId, template.kind, pinnedText(row.templateId, row.version), result.rendered, observability)
  })
}

/** The seam may name templates that do not exist, so a missing template counts as unchecked. */
const trusting = ({ find, findHost, defaultOf }: LoadedLookup): Lookup => {
  const trusted = (found: Found): Found => (found.status === 'missing' ? { status: 'unchecked' } : found)
  return { find: ref => trusted(find(ref)), findHost: ref => trusted(findHost(ref)), defaultOf }
}
