// The format of workflows as a JSON Schema: OpenWOP's WorkflowDefinition with fewer required fields, plus our own fields.
// schemas/workflow.schema.json is printed from this; the reader checks against this.
import { NO_DIGEST } from '../digest/digest.ts'
import {
  choice,
  closed,
  composeField,
  count,
  flag,
  formatName,
  kindRefs,
  MOST_KEYS,
  MOST_REFS,
  misfitField,
  name,
  promptRef,
  settingFields,
  text,
  workFields,
} from './fields.ts'
import { AGENT_TYPE, NODE_TYPES } from './node-types.ts'

export const MOST_NODES = 500
export const MOST_EDGES = 5000
export const MOST_REPEATS = 100
/** OpenWOP caps no node id, because expanding chains makes long ones. This is far beyond those, and keeps events small. */
const MOST_NODE_ID = 1024

const anything = { description: 'Of OpenWOP. Not used.' }
const nodeId = (description: string) => ({ type: 'string', minLength: 1, maxLength: MOST_NODE_ID, pattern: NO_DIGEST, description })
const port = (description: string) => name(description)

const agentId = { minLength: 3, maxLength: 256, pattern: NO_DIGEST }
const agent = {
  ...closed(
    {
      agentId: { type: 'string', ...agentId, description: 'Of an agent.' },
      name: anything,
      modelClass: anything,
      memoryRef: anything,
      version: anything,
      sourceManifestId: anything,
    },
    ['agentId'],
  ),
  ...agentId,
  type: ['string', 'object'],
  description: 'Who works here: an agentId, or an AgentRef of OpenWOP.',
}

const promptRefs = (description: string) => ({
  ...promptRef(description),
  type: ['array', 'string', 'object'],
  items: promptRef('One of them.'),
  maxItems: MOST_REFS,
})

/** Fields that may be at the node or in its config. */
export const nodeFields = {
  agent,
  ...workFields,
  alias: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', description: 'A short name, for messages between agents.' },
  objective: text('What this node is to do.'),
  definitionOfDone: text('When it is done.'),
  orchestration: choice('Whether it goes on by itself, or waits for a person after each turn.', 'auto', 'interactive'),
  // OpenWOP leaves these open, so other keys may appear beside ours.
  settings: {
    type: 'object',
    properties: settingFields,
    maxProperties: MOST_KEYS,
    description: 'What the node may do. Its role must ask for it, and the host grant it.',
  },
  systemPromptRef: promptRef('The template for its system prompt.'),
  userPromptRef: promptRef('The template for its user message.'),
  schemaHintPromptRef: promptRef('The template that says what a reply must look like.'),
  fewShotPromptRefs: promptRefs('Templates with examples.'),
  additionalPromptRefs: promptRefs('Further templates with examples.'),
  systemPrompt: text('A system prompt of its own. A ref beside it supersedes it.'),
  userPrompt: text('A user message of its own, sent as it is written. A ref beside it supersedes it.'),
  schemaHintPrompt: text('What a reply must look like, sent as it is written. A ref beside it supersedes it.'),
}

const input = closed(
  {
    type: choice('Where the value comes from.', 'static', 'variable', 'connection', 'expression'),
    value: { description: 'static: the value itself.' },
    variableName: name('variable: which one.'),
    nodeId: nodeId('connection: the node whose output it is.'),
    outputKey: port('connection: a field of that output; "output" is all of it.'),
    optional: flag('variable, connection: without a value it is left out.'),
    expression: text('expression: not supported.'),
  },
  ['type'],
)

const node = closed(
  {
    id: nodeId('Unique in the workflow.'),
    typeId: {
      type: 'string',
      maxLength: 256,
      pattern: '^[a-z][a-zA-Z0-9._-]*$',
      description: `What kind of node it is: ${NODE_TYPES.join(', ')}. Others are refused. Default ${AGENT_TYPE}.`,
    },
    name: name('For people. Default: its id.', 1024),
    label: name('The same, and goes before it.', 1024),
    config: {
      type: 'object',
      maxProperties: MOST_KEYS,
      description: 'Whatever its kind of node takes. What a node may say may stand here as well.',
    },
    inputs: {
      type: 'object',
      maxProperties: MOST_KEYS,
      propertyNames: port('A port.'),
      additionalProperties: input,
      description: 'Values by port.',
    },
    disabled: flag('It is passed over.'),
    ...nodeFields,
    position: anything,
    credentialsRef: anything,
    outputRole: anything,
    notes: anything,
    groupId: anything,
    envelopeContract: anything,
    artifactType: anything,
    cardType: anything,
    outputSensitivity: anything,
  },
  ['id'],
)

const edge = closed({
  id: name('Unique in the workflow. Default: from->to.'),
  from: nodeId('The node that hands over.'),
  to: nodeId('The node that takes over.'),
  sourceNodeId: nodeId('What OpenWOP calls from.'),
  targetNodeId: nodeId('What OpenWOP calls to.'),
  sourceOutput: port('Which field of the output is handed over. Default "output", which is all of it.'),
  targetInput: port('The port it fills. Without it, the output is only handed over.'),
  condition: closed({
    type: choice('How left and right are compared.', 'equals', 'notEquals', 'contains', 'truthy', 'falsy', 'expression', 'regex'),
    left: text('A dotted path into {status, output} of the source.', 1024),
    right: { description: 'What it is compared with.' },
    expression: text('Not supported.'),
  }),
  label: { type: 'string', maxLength: 1024, pattern: NO_DIGEST, description: 'For people.' },
  triggerRule: choice(
    'Which ends of its source let it through. Default all_success.',
    'all_success',
    'any_success',
    'all_complete',
    'none_failed',
    'any_failed',
  ),
  type: choice('Work that is handed over, or news of it. Default handoff.', 'handoff', 'report'),
  bidirectional: flag('The target may answer the source.'),
  repeats: count('This edge leads back, at most so often.', 1, MOST_REPEATS),
  contextPacks: {
    type: 'array',
    maxItems: 100,
    items: closed({ ref: name('What the text is called.'), text: text('The text.') }, ['ref', 'text']),
    description: 'Text handed over with it.',
  },
})

const variable = closed(
  {
    name: name('What inputs call it.'),
    type: choice('What its value is.', 'string', 'number', 'boolean', 'object', 'array'),
    description: text('For people.'),
    required: flag('A run must set it, or there is a default.'),
    defaultValue: { description: 'Its value when a run sets none.' },
    trust: choice('Untrusted values are fenced in, wherever they stand. Default trusted.', 'trusted', 'untrusted'),
    sensitive: anything,
    format: anything,
  },
  ['name', 'type'],
)

const budget = closed({
  steps: count('The most calls of models.'),
  tokens: count('The most tokens, of prompts and replies.'),
  milliseconds: count('The longest a run may take. Default: settings.timeout.'),
  stepsPerNode: count('Steps of one node before the run is paused for a person to look; 0 for no limit. Default 50.', 0),
})

export const workflowFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/workflow.json',
  title: 'Workflow',
  description: 'Nodes that are agents, and edges along which they hand over. Every WorkflowDefinition of OpenWOP is one.',
  ...closed(
    {
      $schema: formatName,
      id: {
        type: 'string',
        maxLength: 128,
        pattern: '^[a-z][a-z0-9_-]*$',
        description: 'Lower-case letters, digits, underscores and hyphens.',
      },
      name: name('For people. Default: its id.'),
      version: name('Its version. Default 0.0.0.', 128),
      description: text('What it is for.'),
      nodes: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_NODES,
        items: node,
        description: 'In the order in which they work, where there are cycles.',
      },
      edges: { type: 'array', maxItems: MOST_EDGES, items: edge, description: 'Who hands over to whom. Default: nobody.' },
      variables: { type: 'array', maxItems: 500, items: variable, description: 'What a run is given.' },
      defaults: {
        ...closed({ promptRefs: kindRefs('By kind: what applies when neither node nor agent has a say.') }),
        description: 'For all nodes.',
      },
      objective: text('What a run is to reach.'),
      definitionOfDone: text('When it is done.'),
      mode: choice('Default implementation.', 'planning', 'implementation'),
      orchestration: choice('Default auto.', 'auto', 'interactive'),
      compose: composeField,
      onMisfit: misfitField,
      budget: { ...budget, description: 'What ends a run that does not end by itself.' },
      stallAfter: count('How many turns without progress are a stall; 0 for never. Default 5.', 0, 1000),
      configurableSchema: { type: 'object', maxProperties: MOST_KEYS, description: 'A JSON Schema for what a run may be configured with.' },
      settings: {
        type: 'object',
        properties: {
          timeout: count('Milliseconds for a whole run; 0 for no limit.', 0),
          maxLoopbackIterations: count('How often edges lead back, where none has "repeats".'),
        },
        maxProperties: MOST_KEYS,
        description: 'Of OpenWOP.',
      },
      triggers: { type: 'array', maxItems: MOST_KEYS, ...anything },
      metadata: { type: 'object', maxProperties: MOST_KEYS, ...anything },
      type: anything,
      isActive: anything,
      status: anything,
      tenantId: anything,
      scopeId: anything,
      slug: anything,
      groups: anything,
      channels: anything,
      acceptsInheritedArtifacts: anything,
      createdAt: anything,
      updatedAt: anything,
    },
    ['id', 'nodes'],
  ),
}
