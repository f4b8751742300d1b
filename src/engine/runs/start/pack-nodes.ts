// Finds nodes with a verbatim prompt from a pack with schemas: the schemas describe exactly their input.
import type { Agent } from '../../../core/agent/agent.ts'
import { type ComposeStyle, styleOf } from '../../../core/compose/compose-style.ts'
import { schemasIn } from '../../../core/library/pack-set.ts'
import type { TemplateVariable } from '../../../core/library/template.ts'
import type { ResolveRequest } from '../../../core/resolve/layers.ts'
import { resolveNode } from '../../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../../core/resolve/snapshot-lookup.ts'
import { type FrozenLookup, lookupOf } from '../../../core/run/frozen.ts'
import type { Workflow, WorkflowNode } from '../../../core/workflow/workflow.ts'
import type { Store } from '../../../ports.ts'
import { type PackSchemas, schemasFor } from '../../library/pack-schemas.ts'
import { HOST_TENANT } from '../../library/rows.ts'
import { homePacks } from '../../sessions/session-packs.ts'
import type { PackNode } from './check-input.ts'

interface Place {
  readonly workflow: Workflow
  readonly agents: ReadonlyMap<string, Agent>
  /** The requests of the pack's nodes, in order. */
  readonly requests: readonly ResolveRequest[]
  readonly lookup: FrozenLookup
  readonly compose: ComposeStyle
}

/** Whether the schemas of the pack describe exactly the node's input. */
export const isPackNode = (style: ComposeStyle, { inputs }: WorkflowNode): boolean =>
  style === 'verbatim' && !Object.values(inputs).some(({ type }) => type === 'connection')

export async function packNodes(
  store: Store,
  tenant: string,
  { workflow, agents, requests, lookup, compose }: Place,
): Promise<readonly (PackNode & { readonly text: string })[]> {
  const found: (PackNode & { readonly text: string })[] = []
  for (const [index, node] of workflow.nodes.entries()) {
    const agent = agents.get(node.agentId ?? '') ?? null
    if (!isPackNode(styleOf(compose, workflow, agent), node)) continue
    const packs = await homePacks(store, tenant, node.session ?? agent?.session ?? null)
    const [system] = resolveNode(requests[index]!, snapshotLookup(lookupOf(lookup), packs), ['system'], { labels: true }).resolutions
    const resolved = system?.resolved ?? null
    const owner = resolved?.owner === 'host' ? HOST_TENANT : tenant
    const applied = system?.trace.find(entry => entry.applied)
    const own = schemasIn(packs, applied?.ref ?? null, applied?.snapshot)
    const digest = own ?? (resolved === null ? null : await schemasFor(store, owner, resolved))
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
