// Nodes whose system prompt comes from a pack with schemas, and whose prompt is verbatim: what they are sent is what the schemas describe.
import type { Agent } from '../../core/agent/agent.ts'
import { type ComposeStyle, styleOf } from '../../core/compose/compose-style.ts'
import type { TemplateVariable } from '../../core/library/template.ts'
import type { ResolveRequest } from '../../core/resolve/layers.ts'
import { resolveNode } from '../../core/resolve/resolve.ts'
import { type FrozenLookup, lookupOf } from '../../core/run/frozen.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { type PackSchemas, schemasFor } from '../library/pack-schemas.ts'
import { HOST_TENANT } from '../library/rows.ts'
import type { PackNode } from './check-input.ts'

interface Place {
  readonly workflow: Workflow
  readonly agents: ReadonlyMap<string, Agent>
  /** Of its nodes, in order. */
  readonly requests: readonly ResolveRequest[]
  readonly lookup: FrozenLookup
  readonly compose: ComposeStyle
}

export async function packNodes(
  store: Store,
  tenant: string,
  { workflow, agents, requests, lookup, compose }: Place,
): Promise<readonly (PackNode & { readonly text: string })[]> {
  const found: (PackNode & { readonly text: string })[] = []
  for (const [index, node] of workflow.nodes.entries()) {
    const agent = agents.get(node.agentId ?? '') ?? null
    const isFed = Object.values(node.inputs).some(({ type }) => type === 'connection')
    if (isFed || styleOf(compose, workflow, agent) !== 'verbatim') continue
    const [system] = resolveNode(requests[index]!, lookupOf(lookup), ['system'], { labels: true }).resolutions
    const resolved = system?.resolved ?? null
    const owner = resolved?.owner === 'host' ? HOST_TENANT : tenant
    const digest = resolved === null ? null : await schemasFor(store, owner, resolved)
    if (resolved === null || digest === null) continue
    const text = new TextDecoder().decode(await store.object(owner, digest))
    const { variables = [] } = JSON.parse(new TextDecoder().decode(await store.object(owner, resolved.digest))) as {
      readonly variables?: readonly TemplateVariable[]
    }
    const onMisfit = agent?.onMisfit ?? workflow.onMisfit ?? 'fail'
    found.push({ node, schemas: JSON.parse(text) as PackSchemas, variables, onMisfit, text })
  }
  return found
}
