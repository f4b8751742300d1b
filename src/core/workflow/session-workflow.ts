// The graph with one node for a run that sends a message directly to a session.
import { SESSION_TYPE } from './node-types.ts'
import { STALL_AFTER } from './read-workflow.ts'
import { RULES_VERSION } from './rules-version.ts'
import type { Workflow } from './workflow.ts'

/** The node of such a run. */
export const SESSION_NODE = 'session'

export const sessionWorkflow = (session: string): Workflow => ({
  id: `session:${session}`,
  name: session,
  version: '1',
  description: null,
  nodes: [
    {
      id: SESSION_NODE,
      typeId: SESSION_TYPE,
      label: session,
      alias: null,
      config: {},
      inputs: {},
      disabled: false,
      agentId: null,
      role: null,
      objective: null,
      definitionOfDone: null,
      session,
      model: { provider: null, model: null, maxTokens: null, reasoningEffort: null },
      settings: null,
      orchestration: null,
    },
  ],
  edges: [],
  variables: [],
  promptRefs: {},
  objective: null,
  definitionOfDone: null,
  mode: 'implementation',
  orchestration: 'auto',
  budget: { steps: null, tokens: null, milliseconds: null, stepsPerNode: null },
  stallAfter: STALL_AFTER,
  rulesVersion: RULES_VERSION,
  configurableSchema: null,
})
