import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { pointerText } from '../schema/pointer.ts'
import { schemaFault } from '../schema/schema-fault.ts'
import { readWorkflow } from './read-workflow.ts'
import type { Workflow } from './workflow.ts'
import { workflowFormat } from './workflow-format.ts'

const sound = (value: object): Workflow => {
  const read = readWorkflow(value as Json)
  return read.ok ? read.workflow : expect.fail(read.problems.map(({ pointer, message }) => `${pointerText(pointer)} ${message}`).join('\n'))
}
const wrong = (value: Json | object): readonly string[] => {
  const read = readWorkflow(value as Json)
  return read.ok ? [] : read.problems.map(({ pointer, message }) => `${pointerText(pointer)} ${message}`)
}

/** As OpenWOP's schema requires it, with every field that may be left out. */
const OPENWOP = {
  id: 'news',
  name: 'News',
  version: '1.4.0',
  description: 'Writes the news.',
  type: 'editorial',
  isActive: true,
  status: 'active',
  tenantId: 'harbour-post',
  scopeId: 'city',
  slug: 'news',
  nodes: [
    {
      id: 'writer',
      typeId: 'core.ai.callPrompt',
      name: 'Writer',
      position: { x: 0, y: 0 },
      config: { systemPromptRef: 'prompt:writer@1.1.0', agentId: 'vendor.acme.news.writer', model: { foreign: true }, temperature: 1 },
      inputs: {
        topic: { type: 'variable', variableName: 'topic' },
        length: { type: 'static', value: 3 },
      },
      credentialsRef: 'c',
      settings: { timeout: 5, retry: { most: 2 } },
      outputRole: 'secondary',
      disabled: false,
      notes: 'Drafts.',
      groupId: 'g',
      agent: {
        agentId: 'vendor.acme.news.writer',
        name: 'Writer',
        modelClass: 'chat',
        memoryRef: 'm',
        version: '1',
        sourceManifestId: 's',
      },
      envelopeContract: {},
      artifactType: 'draft',
      cardType: 'card',
      outputSensitivity: { output: true },
    },
    {
      id: 'critic',
      typeId: 'core.ai.callPrompt',
      name: 'Critic',
      position: { x: 1, y: 0 },
      config: {},
      inputs: { draft: { type: 'connection', nodeId: 'writer', outputKey: 'draft', optional: true } },
    },
  ],
  edges: [
    {
      id: 'e1',
      sourceNodeId: 'writer',
      sourceOutput: 'draft',
      targetNodeId: 'critic',
      targetInput: 'draft',
      condition: { type: 'equals', left: 'status', right: 'completed', expression: '' },
      label: 'a draft',
      triggerRule: 'none_failed',
    },
    { id: 'e2', sourceNodeId: 'critic', targetNodeId: 'writer' },
  ],
  triggers: [{ id: 't', type: 'manual' }],
  variables: [
    {
      name: 'topic',
      type: 'string',
      description: 'What about.',
      required: true,
      defaultValue: 'ferries',
      sensitive: false,
      format: 'email',
    },
  ],
  groups: [{ id: 'g', name: 'G', nodeIds: ['writer'], position: { x: 0, y: 0 }, size: { width: 1, height: 1 } }],
  channels: { log: { reducer: 'append' } },
  configurableSchema: { type: 'object' },
  defaults: { promptRefs: { system: 'prompt:house', 'few-shot': { templateId: 'examples', version: '1.0.0' } } },
  acceptsInheritedArtifacts: [{}],
  metadata: { tags: ['news'] },
  settings: { timeout: 60_000, maxRetries: 1, logLevel: 'info', maxLoopbackIterations: 2 },
  createdAt: '2026-03-02T08:00:00Z',
  updatedAt: '2026-03-02T08:00:00Z',
}

const flow = (fields: object) => ({ id: 'f', nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], ...fields })
const flowOf = (node: object, more: object = {}) => flow({ nodes: [{ id: 'a', ...node }, { id: 'b' }], ...more })

describe('a workflow of OpenWOP', () => {
  it('is read with every field that it may have', () => {
    const { nodes, edges, ...rest } = sound(OPENWOP)
    expect(rest).toMatchObject({
      id: 'news',
      name: 'News',
      version: '1.4.0',
      description: 'Writes the news.',
      variables: [{ name: 'topic', type: 'string', required: true, defaultValue: 'ferries', trust: 'trusted' }],
      promptRefs: OPENWOP.defaults.promptRefs,
      budget: { steps: null, tokens: null, milliseconds: 60_000, stepsPerNode: 50 },
      configurableSchema: { type: 'object' },
    })
    expect(nodes[0]).toMatchObject({
      typeId: 'core.ai.callPrompt',
      label: 'Writer',
      agentId: 'vendor.acme.news.writer',
      config: OPENWOP.nodes[0]!.config,
      settings: null,
      inputs: { topic: { type: 'variable', variable: 'topic', optional: false }, length: { type: 'static', value: 3 } },
    })
    expect(nodes[1]?.inputs).toEqual({ draft: { type: 'connection', node: 'writer', output: 'draft', optional: true } })
    expect(edges[0]).toEqual({
      id: 'e1',
      from: 'writer',
      to: 'critic',
      input: 'draft',
      output: 'draft',
      condition: { type: 'equals', left: 'status', right: 'completed' },
      rule: 'none_failed',
      label: 'a draft',
      type: 'handoff',
      bidirectional: false,
      repeats: null,
      contextPacks: [],
    })
    expect(edges[1]).toMatchObject({ input: null, output: 'output', condition: null, rule: 'all_success', repeats: 2 })
  })

  it('leaves a config to a node of another kind, where it means something else by our words', () => {
    const { config, model } = sound(OPENWOP).nodes[0]!
    expect(config.model).toEqual({ foreign: true })
    expect(model).toEqual({ provider: null, model: null, maxTokens: null, reasoningEffort: null, temperature: 1 })
  })
})

describe('a workflow of ours', () => {
  it('needs an id and nodes, and fills in the rest', () => {
    const model = { provider: null, model: null, maxTokens: null, reasoningEffort: null }
    expect(sound({ id: 'f', nodes: [{ id: 'a' }] })).toEqual({
      id: 'f',
      name: 'f',
      version: '0.0.0',
      description: null,
      nodes: [
        {
          id: 'a',
          typeId: 'onbook.agent',
          label: 'a',
          alias: null,
          config: {},
          inputs: {},
          disabled: false,
          agentId: null,
          role: null,
          objective: null,
          definitionOfDone: null,
          session: null,
          model,
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
      budget: { steps: null, tokens: null, milliseconds: null, stepsPerNode: 50 },
      stallAfter: 5,
      rulesVersion: 2,
      configurableSchema: null,
    })
  })

  const said = {
    agent: 'local.news.writer',
    role: 'planner',
    alias: 'w',
    objective: 'Write.',
    definitionOfDone: 'It is written.',
    session: 'desk',
    provider: 'p',
    model: 'm',
    maxTokens: 9,
    reasoningEffort: 'low',
    settings: { writeCode: true },
    orchestration: 'interactive',
    systemPromptRef: 'prompt:writer@production',
    fewShotPromptRefs: ['prompt:a'],
    systemPrompt: 'Write.',
  }

  it('says the same at a node and in its config', () => {
    const { config: fromNode, ...atNode } = sound(flowOf(said)).nodes[0]!
    const { config: fromConfig, ...inConfig } = sound(flowOf({ config: said })).nodes[0]!
    expect(atNode).toEqual(inConfig)
    expect(sound(flowOf({ ...said, config: structuredClone(said) })).nodes[0]).toMatchObject(atNode)
    expect(atNode).toMatchObject({
      agentId: 'local.news.writer',
      role: 'planner',
      alias: 'w',
      objective: 'Write.',
      definitionOfDone: 'It is written.',
      session: 'desk',
      model: { provider: 'p', model: 'm', maxTokens: 9, reasoningEffort: 'low' },
      settings: { writeCode: true },
      orchestration: 'interactive',
    })
    const prompts = { systemPromptRef: 'prompt:writer@production', fewShotPromptRefs: ['prompt:a'], systemPrompt: 'Write.' }
    expect(fromNode).toEqual({ ...prompts, agentId: 'local.news.writer' })
    expect(fromConfig).toMatchObject({ ...prompts, agentId: 'local.news.writer' })
  })

  it('may call a node by its own id', () => expect(sound(flowOf({ alias: 'a' })).nodes[0]?.alias).toBe('a'))

  it('takes the agent from its config alone', () =>
    expect(sound(flowOf({ config: { agentId: 'local.news.writer' } })).nodes[0]?.agentId).toBe('local.news.writer'))

  it('names the edges that have no name, clear of those that have', () => {
    const edges = [
      { id: 'a->b#2', from: 'b', to: 'c' },
      { from: 'a', to: 'b' },
      { from: 'a', to: 'b' },
      { sourceNodeId: 'a', targetNodeId: 'c' },
    ]
    expect(sound(flow({ edges })).edges.map(({ id }) => id)).toEqual(['a->b#2', 'a->b', 'a->b#3', 'a->c'])
  })

  it('names no two edges alike, whatever their nodes are called', () => {
    const nodes = ['a', 'b', 'b#2'].map(id => ({ id }))
    const edges = ['b', 'b', 'b#2'].map(to => ({ from: 'a', to }))
    expect(sound({ id: 'f', nodes, edges }).edges.map(({ id }) => id)).toEqual(['a->b', 'a->b#2', 'a->b#2#2'])
  })

  it('reads what only our edges, variables and budgets say', () => {
    const { edges, variables, budget, mode, orchestration, stallAfter } = sound(
      flow({
        edges: [{ from: 'a', to: 'b', type: 'report', bidirectional: true, contextPacks: [{ ref: 'style', text: 'Short.' }] }],
        variables: [{ name: 'x', type: 'object', trust: 'untrusted' }],
        budget: { steps: 3, milliseconds: 9 },
        settings: { timeout: 1000 },
        mode: 'planning',
        orchestration: 'interactive',
        stallAfter: 0,
      }),
    )
    expect(edges[0]).toMatchObject({ type: 'report', bidirectional: true, contextPacks: [{ ref: 'style', text: 'Short.' }] })
    expect(variables).toEqual([{ name: 'x', type: 'object', required: false, defaultValue: null, trust: 'untrusted' }])
    expect({ budget, mode, orchestration, stallAfter }).toEqual({
      budget: { steps: 3, tokens: null, milliseconds: 9, stepsPerNode: 50 },
      mode: 'planning',
      orchestration: 'interactive',
      stallAfter: 0,
    })
  })

  it('has a budget without a timeout of 0', () => expect(sound(flow({ settings: { timeout: 0 } })).budget.milliseconds).toBeNull())
})

const loop = [
  { from: 'a', to: 'b' },
  { from: 'b', to: 'a' },
]

describe('what is wrong is said by place', () => {
  it.each<[string, Json | object, string[]]>([
    ['no object', [], [' The workflow must be an object, not an array']],
    ['nothing', {}, [' The workflow has no "id"', ' The workflow has no "nodes"']],
    ['no nodes', { id: 'f', nodes: [] }, ['/nodes "nodes" is empty']],
    ['an id of another form', { ...flow({}), id: 'News' }, ['/id "id" has the wrong form: "News"']],
    ['a key that nobody knows', flow({ egdes: [] }), ['/egdes There is no "egdes" here: did you mean "edges"?']],
    ['a key that nobody knows, at a node', flowOf({ goal: 'x' }), ['/nodes/0/goal There is no "goal" here']],
    [
      'a key that nobody knows, at an edge',
      flow({ edges: [{ form: 'a', to: 'b' }] }),
      ['/edges/0/form There is no "form" here: did you mean "from"?'],
    ],
    [
      'a setting that is nearly one',
      flowOf({ settings: { writecode: false } }),
      ['/nodes/0/settings/writecode There is no "writecode" here: did you mean "writeCode"?'],
    ],
    [
      'a setting that is no flag',
      flowOf({ settings: { writeCode: 'yes' } }),
      ['/nodes/0/settings/writeCode "nodes/0/settings/writeCode" must be a boolean, not a string'],
    ],
    [
      'the same in a config',
      flowOf({ config: { settings: { writeCode: 'yes' } } }),
      ['/nodes/0/config/settings/writeCode "settings/writeCode" must be a boolean, not a string'],
    ],
    [
      'a node whose config differs',
      flowOf({ role: 'planner', config: { role: 'reviewer' } }),
      ['/nodes/0/config/role The node and its config say different things about "role": keep one'],
    ],
    [
      'two agents',
      flowOf({ agent: 'local.a.b', config: { agentId: 'local.a.c' } }),
      ['/nodes/0/config/agentId The node and its config name different agents: keep one'],
    ],
    ['a role that is a device', flowOf({ role: 'con' }), ['/nodes/0/role "con" is no name of a role: on Windows it is a device']],
    ['a role that is a path', flowOf({ role: '../x' }), ['/nodes/0/role "nodes/0/role" has the wrong form: "../x"']],
    [
      'an id that is a digest',
      flowOf({ id: `sha256:${'0'.repeat(64)}` }),
      [expect.stringMatching(/^\/nodes\/0\/id .* has the wrong form/)],
    ],
    ['an id without end', flowOf({ id: 'x'.repeat(1025) }), ['/nodes/0/id "nodes/0/id" has 1025 characters: at most 1024 are allowed']],
    [
      'a text without end',
      flow({ objective: 'x'.repeat(65_537) }),
      ['/objective "objective" has 65537 characters: at most 65536 are allowed'],
    ],
    ['two nodes of one id', flow({ nodes: [{ id: 'a' }, { id: 'a' }] }), ['/nodes/1/id Another node is called "a": choose another name']],
    [
      'two of one alias',
      flow({
        nodes: [
          { id: 'a', alias: 'x' },
          { id: 'b', alias: 'x' },
        ],
      }),
      ['/nodes/1/alias Another alias is called "x": choose another name'],
    ],
    ['an alias that is a node', flowOf({ alias: 'b' }), ['/nodes/0/alias "b" is the id of another node: choose another alias']],
    ['an alias of another form', flowOf({ alias: 'B' }), ['/nodes/0/alias "nodes/0/alias" has the wrong form: "B"']],
    [
      'two edges of one id',
      flow({
        edges: [
          { id: 'e', from: 'a', to: 'b' },
          { id: 'e', from: 'a', to: 'c' },
        ],
      }),
      ['/edges/1/id Another edge is called "e": choose another name'],
    ],
    [
      'two variables of one name',
      flow({
        variables: [
          { name: 'x', type: 'string' },
          { name: 'x', type: 'number' },
        ],
      }),
      ['/variables/1/name Another variable is called "x": choose another name'],
    ],
    [
      'an edge without ends',
      flow({ edges: [{}] }),
      ['/edges/0 The edge has no "from": name a node', '/edges/0 The edge has no "to": name a node'],
    ],
    [
      'an edge from two nodes',
      flow({ edges: [{ from: 'a', sourceNodeId: 'b', to: 'c' }] }),
      ['/edges/0/sourceNodeId "from" and "sourceNodeId" name different nodes: keep one'],
    ],
    [
      'an edge to nowhere',
      flowOf({ id: 'writer' }, { edges: [{ from: 'b', to: 'writre' }] }),
      ['/edges/0/to There is no node "writre": did you mean "writer"?'],
    ],
    [
      'a connection to nowhere',
      flowOf({ inputs: { x: { type: 'connection', nodeId: 'zz', outputKey: 'output' } } }),
      ['/nodes/0/inputs/x/nodeId There is no node "zz": name one of "nodes"'],
    ],
    [
      'an input that lacks something',
      flowOf({ inputs: { x: { type: 'static' } } }),
      ['/nodes/0/inputs/x An input of type static has a "value": add it'],
    ],
    [
      'an input of two types',
      flowOf({ inputs: { x: { type: 'static', value: 1, nodeId: 'b' } } }),
      ['/nodes/0/inputs/x/nodeId An input of type static takes no "nodeId": remove it'],
    ],
    [
      'an agent without end, in a config',
      flowOf({ config: { agentId: 'x'.repeat(257) } }),
      ['/nodes/0/config/agentId "agentId" has 257 characters: at most 256 are allowed'],
    ],
    [
      'an input by expression',
      flowOf({ inputs: { x: { type: 'expression', expression: '1' } } }),
      [expect.stringMatching('^/nodes/0/inputs/x Expressions are not supported')],
    ],
    [
      'an edge by expression',
      flow({ edges: [{ from: 'a', to: 'b', condition: { type: 'expression', expression: '1' } }] }),
      [expect.stringMatching('^/edges/0/condition/type Conditions of type expression are not supported')],
    ],
    [
      'an edge by pattern',
      flow({ edges: [{ from: 'a', to: 'b', condition: { type: 'regex', left: 'output', right: '.*' } }] }),
      [expect.stringMatching('^/edges/0/condition/type Conditions of type regex are not supported')],
    ],
    [
      'a condition of nothing',
      flow({
        edges: [
          { from: 'a', to: 'b', condition: { type: 'truthy' } },
          { from: 'a', to: 'c', condition: {} },
        ],
      }),
      [
        expect.stringMatching('^/edges/0/condition The condition has no "left"'),
        expect.stringMatching('^/edges/1/condition The condition has no "type"'),
      ],
    ],
    [
      'a ref that is none',
      flowOf({ systemPromptRef: 'writer' }),
      ['/nodes/0/systemPromptRef Not a ref: "writer" is not a ref: write prompt:<id> or prompt:<id>@<version>'],
    ],
    [
      'a ref that is none, in a list of a config',
      flowOf({ config: { fewShotPromptRefs: ['prompt:a', 'b'] } }),
      [expect.stringMatching('^/nodes/0/config/fewShotPromptRefs/1 Not a ref')],
    ],
    [
      'a default that is no ref',
      flow({ defaults: { promptRefs: { system: { templateId: 'A' } } } }),
      ['/defaults/promptRefs/system Not a ref: its templateId is not one'],
    ],
    [
      'a default of no kind',
      flow({ defaults: { promptRefs: { sytem: 'prompt:a' } } }),
      ['/defaults/promptRefs/sytem There is no "sytem" here: did you mean "system"?'],
    ],
    [
      'an edge that repeats never',
      flow({ edges: [{ from: 'a', to: 'a', repeats: 0 }] }),
      ['/edges/0/repeats "edges/0/repeats" is 0: at least 1 is needed'],
    ],
    [
      'an edge that repeats without end',
      flow({ edges: [{ from: 'a', to: 'a', repeats: 101 }] }),
      ['/edges/0/repeats "edges/0/repeats" is 101: at most 100 is allowed'],
    ],
    [
      'a cycle without a bound',
      flow({ edges: [{ from: 'c', to: 'a' }, ...loop] }),
      ['/edges/2 A cycle without a bound: "b" leads back to "a". Say "repeats" at the edge that leads back'],
    ],
    [
      'cycles that hang together, said once',
      flow({
        nodes: ['z', 'a', 'b', 'c'].map(id => ({ id })),
        edges: [{ from: 'z', to: 'a' }, ...loop, { from: 'b', to: 'c' }, { from: 'c', to: 'b' }],
      }),
      [expect.stringMatching('^/edges/2 A cycle without a bound')],
    ],
    [
      'a cycle beside one that is bounded',
      flow({ edges: [...loop, { from: 'a', to: 'c' }, { from: 'c', to: 'a', repeats: 1 }] }),
      [
        expect.stringMatching('^/edges/1 A cycle without a bound'),
        expect.stringMatching('^/nodes/0 Nothing leads to "a"'),
        expect.stringMatching('^/nodes/1 Nothing'),
        expect.stringMatching('^/nodes/2 Nothing'),
      ],
    ],
    [
      'a node that leads only to itself',
      flow({ edges: [{ from: 'a', to: 'a' }] }),
      [expect.stringMatching('^/edges/0 A cycle'), expect.stringMatching('^/nodes/0 Nothing leads to "a"')],
    ],
    [
      'an edge that leads back to where nobody came from',
      flow({ edges: [{ from: 'a', to: 'b', repeats: 1 }] }),
      [expect.stringMatching('^/edges/0 "b" does not lead on to "a"')],
    ],
    [
      'too many nodes, said once',
      { id: 'f', nodes: Array.from({ length: 501 }, () => ({})) },
      ['/nodes "nodes" has 501 items: at most 500 are allowed'],
    ],
    [
      'too many edges, said once',
      flow({ edges: Array.from({ length: 5001 }, () => ({})) }),
      ['/edges "edges" has 5001 items: at most 5000 are allowed'],
    ],
    ['half a surrogate pair', flow({ objective: '\ud800' }), [' The workflow holds an invalid number, or half a surrogate pair']],
  ])('%s', (_, value, expected) => expect(wrong(value)).toEqual(expected))

  it('lists no more than a hundred', () => {
    const nodes = Array.from({ length: 400 }, (_, index) => ({ id: `n${index}`, x: 1 }))
    expect(wrong({ id: 'f', nodes })).toHaveLength(100)
  })
})

describe('a workflow from anywhere', () => {
  it('never throws', () => {
    const id = fc.constantFrom('a', 'b', 'c', '__proto__', '')
    const some = fc.jsonValue({ maxDepth: 2 })
    const edge = fc.record(
      { from: id, to: id, sourceNodeId: id, repeats: fc.constantFrom(1, 0, null), condition: some },
      { requiredKeys: [] },
    )
    const node = fc.record(
      { id, config: fc.oneof(some, fc.dictionary(id, some)), inputs: some, agent: some, alias: id },
      { requiredKeys: ['id'] },
    )
    const shaped = fc.record(
      {
        id,
        nodes: fc.array(fc.oneof(node, fc.record({ id })), { maxLength: 4 }),
        edges: fc.array(edge, { maxLength: 6 }),
        settings: some,
        defaults: some,
      },
      { requiredKeys: ['id', 'nodes'] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), value => {
        expect(typeof readWorkflow(value as Json).ok).toBe('boolean')
      }),
      { numRuns: 1000 },
    )
  })

  it('takes no key for anything but a key', () => {
    const value = JSON.parse(
      '{"id":"f","nodes":[{"id":"__proto__","config":{"__proto__":{"role":"x"}},"inputs":{"__proto__":{"type":"static","value":1}}}]}',
    )
    const { nodes } = sound(value)
    expect(nodes[0]).toMatchObject({ id: '__proto__', role: null })
    expect(Object.keys(nodes[0]!.inputs)).toEqual(['__proto__'])
    expect(Object.keys(nodes[0]!.config)).toEqual(['__proto__'])
    expect(wrong(JSON.parse('{"id":"f","nodes":[{"id":"a"}],"__proto__":1,"constructor":1}'))).toHaveLength(2)
  })

  it('is looked at no deeper than it may be', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(wrong(flowOf({ config: { deep } }))).toEqual([' The workflow is nested more than 64 deep'])
  })
})

it('has a schema that is one, and is published', () => {
  expect(schemaFault(workflowFormat as unknown as Json)).toBeNull()
  expect(JSON.parse(readFileSync('schemas/workflow.schema.json', 'utf8'))).toEqual(workflowFormat)
})
