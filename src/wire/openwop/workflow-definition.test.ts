// Tests OpenWOP's WorkflowDefinition schema: the documents that it accepts and refuses, and that every accepted document can be read.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
formats.default(ajv)
for (const path of readdirSync('schemas/openwop')) ajv.addSchema(JSON.parse(readFileSync(`schemas/openwop/${path}`, 'utf8')))
const judge = ajv.getSchema('https://openwop.dev/spec/v1/workflow-definition.schema.json')!

const reasons = (document: object): readonly string[] => {
  judge(JSON.parse(JSON.stringify(document)))
  return (judge.errors ?? []).map(({ instancePath, keyword, params }) =>
    [instancePath || '/', keyword, params.missingProperty ?? params.additionalProperty ?? params.propertyName ?? ''].join(' ').trim(),
  )
}

const NODE = { id: 'n', typeId: 'core.ai.callPrompt', name: 'N', position: { x: 0, y: 0.5 }, config: { any: [1] }, inputs: {} }
const EDGE = { id: 'e', sourceNodeId: 'n', targetNodeId: 'm' }
const nodes = [NODE, { ...NODE, id: 'm' }]
const FLOW = { id: 'f', name: 'F', version: '1', nodes, edges: [EDGE], triggers: [], variables: [], metadata: {}, settings: {} }
const flow = (changes: object) => ({ ...FLOW, ...changes })
const withNode = (changes: object) => flow({ nodes: [{ ...NODE, ...changes }, nodes[1]] })
const withEdge = (changes: object) => flow({ edges: [{ ...EDGE, ...changes }] })
const withInput = (input: object) => withNode({ inputs: { x: input } })
const every = <T extends string>(words: readonly T[], within: (word: T) => object): [string, object][] =>
  words.map(word => [word, within(word)])

describe('a definition is taken, and read:', () => {
  it.each<[string, object]>([
    ['what it needs', FLOW],
    [
      'what it may have',
      flow({
        description: '',
        type: 't',
        isActive: false,
        tenantId: 't',
        scopeId: 's',
        slug: '0-a',
        groups: [
          { id: 'g', name: 'G', color: 'red', collapsed: true, nodeIds: ['n'], position: { x: 0, y: 0 }, size: { width: 1, height: 1 } },
        ],
        channels: { votes: { reducer: 'votes' } },
        configurableSchema: { type: 'object' },
        defaults: { promptRefs: { system: 'prompt:a', user: { templateId: 'a', version: '1.0.0' } } },
        acceptsInheritedArtifacts: [{}],
        createdAt: '2026-03-02T08:00:00Z',
        updatedAt: '2026-03-02T08:00:00Z',
        metadata: { tags: ['a'] },
        settings: { timeout: 0, maxRetries: 0, logLevel: 'warn', maxLoopbackIterations: 1, other: true },
        triggers: [{ id: 't', type: 'manual', name: '', description: '', config: {}, enabled: true, nodeId: 'n', eventType: 'e' }],
        variables: [{ name: 'v', type: 'string', description: '', required: true, defaultValue: null, sensitive: true, format: 'x' }],
      }),
    ],
    [
      'a node with all it may have',
      withNode({
        credentialsRef: '',
        settings: { retry: 1 },
        outputRole: 'primary',
        disabled: true,
        notes: '',
        groupId: '',
        agent: { agentId: 'host:a', name: 'A', modelClass: 'chat', memoryRef: 'm', version: '1', sourceManifestId: 's' },
        envelopeContract: {},
        artifactType: '',
        cardType: '',
        outputSensitivity: { output: true },
      }),
    ],
    [
      'an edge with all it may have',
      withEdge({ sourceOutput: 'a', targetInput: 'b', label: '', condition: { type: 'truthy', left: 'output' } }),
    ],
    ['a static input', withInput({ type: 'static', value: null })],
    ['an input from a node', withInput({ type: 'connection', nodeId: 'm', outputKey: 'a', optional: true })],
    ['an input from a variable', withInput({ type: 'variable', variableName: 'v', optional: false })],
    ['empty defaults', flow({ defaults: {} })],
    ['an id of 1024 characters', flow({ nodes: [{ ...NODE, id: 'x'.repeat(1024) }], edges: [] })],
    ...every(['active', 'inactive', 'draft', 'archived'], status => flow({ status })),
    ...every(['all_success', 'any_success', 'all_complete', 'none_failed', 'any_failed'], triggerRule => withEdge({ triggerRule })),
    ...every(['string', 'number', 'boolean', 'object', 'array'], type => flow({ variables: [{ name: 'v', type }] })),
    ...every(['equals', 'notEquals', 'contains', 'truthy', 'falsy'], type => withEdge({ condition: { type, left: 'status', right: 1 } })),
  ])('%s', (_, document) => {
    expect(reasons(document)).toEqual([])
    expect(readWorkflow(document as unknown as Json)).toMatchObject({ ok: true })
  })
})

describe('a definition is taken, and not run:', () => {
  it.each<[string, object]>([
    ['an input by expression', withInput({ type: 'expression', expression: '1' })],
    ['an edge by expression', withEdge({ condition: { type: 'expression', expression: '1' } })],
    ['an edge by pattern', withEdge({ condition: { type: 'regex', left: 'status', right: '.*' } })],
    ['a malformed ref, which OpenWOP refuses only when it runs', withNode({ config: { systemPromptRef: 'a' } })],
  ])('%s', (_, document) => {
    expect(reasons(document)).toEqual([])
    expect(readWorkflow(document as unknown as Json)).toMatchObject({ ok: false })
  })
})

describe('a definition is refused:', () => {
  it.each<[string, object]>([
    ...Object.keys(FLOW).map((key): [string, object] => [`/ required ${key}`, flow({ [key]: undefined })]),
    ...Object.keys(NODE).map((key): [string, object] => [`/nodes/0 required ${key}`, withNode({ [key]: undefined })]),
    ...Object.keys(EDGE).map((key): [string, object] => [`/edges/0 required ${key}`, withEdge({ [key]: undefined })]),
    ['/ additionalProperties objective', flow({ objective: 'x' })],
    ['/nodes/0 additionalProperties role', withNode({ role: 'planner' })],
    ['/edges/0 additionalProperties repeats', withEdge({ repeats: 1 })],
    ['/nodes minItems', flow({ nodes: [] })],
    ['/id pattern', flow({ id: 'F' })],
    ['/id maxLength', flow({ id: 'x'.repeat(129) })],
    ['/name maxLength', flow({ name: 'x'.repeat(257) })],
    ['/name minLength', flow({ name: '' })],
    ['/version minLength', flow({ version: '' })],
    ['/status enum', flow({ status: 'done' })],
    ['/slug pattern', flow({ slug: '-' })],
    ['/createdAt format', flow({ createdAt: 'today' })],
    ['/channels/c required reducer', flow({ channels: { c: {} } })],
    ['/nodes/0/typeId pattern', withNode({ typeId: 'Core' })],
    ['/nodes/0/position required y', withNode({ position: { x: 1 } })],
    ['/nodes/0/outputRole enum', withNode({ outputRole: 'third' })],
    ['/nodes/0/agent required agentId', withNode({ agent: {} })],
    ['/nodes/0/agent/agentId minLength', withNode({ agent: { agentId: 'ab' } })],
    ['/nodes/0/agent additionalProperties id', withNode({ agent: { agentId: 'abc', id: 1 } })],
    ['/nodes/0/inputs/x oneOf', withInput({ type: 'static' })],
    ['/nodes/0/inputs/x oneOf', withInput({ type: 'connection', nodeId: 'm' })],
    ['/nodes/0/inputs/x oneOf', withInput({ type: 'variable', variableName: 'v', value: 1 })],
    ['/edges/0/condition/type enum', withEdge({ condition: { type: 'like' } })],
    ['/edges/0/condition additionalProperties not', withEdge({ condition: { not: 1 } })],
    ['/edges/0/triggerRule enum', withEdge({ triggerRule: 'always' })],
    ['/triggers/0/type enum', flow({ triggers: [{ id: 't', type: 'cron' }] })],
    ['/triggers/0 required type', flow({ triggers: [{ id: 't' }] })],
    ['/variables/0/type enum', flow({ variables: [{ name: 'v', type: 'date' }] })],
    ['/variables/0 additionalProperties trust', flow({ variables: [{ name: 'v', type: 'string', trust: 'untrusted' }] })],
    ['/groups/0 required size', flow({ groups: [{ id: 'g', name: 'G', nodeIds: [], position: { x: 0, y: 0 } }] })],
    ['/settings/maxLoopbackIterations minimum', flow({ settings: { maxLoopbackIterations: 0 } })],
    ['/settings/logLevel enum', flow({ settings: { logLevel: 'loud' } })],
    ['/defaults additionalProperties temperature', flow({ defaults: { temperature: 1 } })],
    ['/defaults/promptRefs propertyNames fewShot', flow({ defaults: { promptRefs: { fewShot: 'prompt:a' } } })],
    ['/defaults/promptRefs/system pattern', flow({ defaults: { promptRefs: { system: 'a' } } })],
  ])('%s', (reason, document) => expect(reasons(document)).toContain(reason))
})
