// Lists the agents that a tenant can use, in the form of OpenWOP (RFC 0072): what they are, without their prompts.
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { Store } from '../../ports.ts'
import { agentAt, listAgents } from './agents.ts'

export interface AgentInventoryEntry {
  readonly agentId: string
  readonly persona: string
  readonly label: string
  readonly description?: string
  readonly modelClass: string
  readonly packName: string
  readonly packVersion: string
  readonly toolAllowlist: readonly string[]
  readonly hasHandoffSchemas: boolean
  readonly confidenceThreshold?: number
}

/** By id. */
export async function agentInventory(store: Store, tenant: string): Promise<readonly AgentInventoryEntry[]> {
  const entries: AgentInventoryEntry[] = []
  for await (const row of listAgents(store, tenant)) {
    const { agentId, persona, label, description, modelClass, version, toolAllowlist, manifest } = await agentAt(
      store,
      row.tenant,
      row.document,
    )
    const threshold = fieldOf(manifest.confidence, 'defaultThreshold')
    entries.push({
      agentId,
      persona,
      label: label ?? persona,
      ...(description === null ? {} : { description }),
      modelClass,
      // An agent of a pack has the name of its pack before its own.
      packName: agentId.slice(0, agentId.lastIndexOf('.')),
      packVersion: version ?? '0.0.0',
      toolAllowlist: toolAllowlist ?? [],
      hasHandoffSchemas: isObject(manifest.handoff),
      ...(typeof threshold === 'number' ? { confidenceThreshold: threshold } : {}),
    })
  }
  return entries
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined => (isObject(value) ? value[name] : undefined)
