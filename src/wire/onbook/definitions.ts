// /v1/workflows and /v1/agents as they are on the wire. Types only.
import type { JsonValue } from './prompts.ts'

/** A workflow or an agent as it was published. */
export type DefinitionDocument = { readonly [field: string]: JsonValue }

interface Summary {
  readonly name: string
  readonly version: string | null
  /** 1, 2, 3 …: how often it was published anew. */
  readonly revision: number
  /** Of the document. */
  readonly digest: string
  readonly source: 'host' | 'user'
  readonly at: string
  readonly actor: string
}

export interface WorkflowSummary extends Summary {
  readonly workflowId: string
}

export interface AgentSummary extends Summary {
  readonly agentId: string
}

interface Published {
  readonly outcome: 'created' | 'replaced' | 'unchanged'
  readonly revision: number
  readonly digest: string
}

export interface PublishedWorkflow extends Published {
  readonly workflowId: string
}

export interface PublishedAgent extends Published {
  readonly agentId: string
}
