// Types of /v1/workflows and /v1/agents.
import type { agentsAnswer, publishedAgentAnswer, publishedWorkflowAnswer, workflowsAnswer } from './definition-schema.ts'
import type { Document } from './document.ts'
import type { JsonValue } from './prompts.ts'

/** A workflow or an agent as it was published. */
export type DefinitionDocument = { readonly [field: string]: JsonValue }

export type WorkflowSummary = Document<typeof workflowsAnswer>['items'][number]
export type AgentSummary = Document<typeof agentsAnswer>['items'][number]
export type PublishedWorkflow = Document<typeof publishedWorkflowAnswer>
export type PublishedAgent = Document<typeof publishedAgentAnswer>
