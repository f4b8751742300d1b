// Tests every event of a run on the wire: it is valid against OpenWOP's schemas in each of the three modes, and hides what the mode hides.

import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { type RunEvent, runDraft } from '../../core/run/events.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { toRunEventDoc } from './run-event.ts'

const OPENWOP = 'https://openwop.dev/spec/v1/'
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
for (const file of readdirSync('schemas/openwop')) ajv.addSchema(JSON.parse(readFileSync(`schemas/openwop/${file}`, 'utf8')) as AnySchema)
const isDocument = ajv.getSchema(`${OPENWOP}run-event.schema.json`)!
const known = ajv.getSchema(`${OPENWOP}run-event-payloads.schema.json`)!.schema as { $defs: { _typeIndex: { properties: object } } }

const objects = new Map<Digest, string>()
const put = (value: Json | string): Digest => {
  const text = typeof value === 'string' ? value : canonicalJson(value)
  objects.set(digestText(text), text)
  return digestText(text)
}
const SECRET = 'the whole prompt'
const output = put({ text: '{"a":1}', output: { a: 1 } })
const trace = put([
  { layer: 'node', applied: true, ref: 'prompt:a@1.0.0', template: null, code: 'applied', reason: 'first' },
  { layer: 'agent-intrinsic', applied: false, ref: null, template: null, code: 'agent_unset', reason: 'the node names no agent' },
  { layer: 'workflow-defaults', applied: false, ref: null, template: null, code: 'nothing_here', reason: 'nothing' },
  { layer: 'host-defaults', applied: false, ref: 'prompt:b@1.0.0', template: null, code: 'superseded', reason: 'superseded by node' },
])
const BUDGET = { steps: null, tokens: null, milliseconds: null }
const SAMPLE = digestText('something')
const COMPOSED: Extract<RunEvent, { readonly type: 'prompt.composed' }> = {
  type: 'prompt.composed',
  nodeId: 'writer',
  ref: 'prompt:a@1.0.0',
  kind: 'system',
  template: SAMPLE,
  body: put(SECRET),
  variableHashes: { topic: SAMPLE },
  values: put({ values: { topic: 'whales' } }),
  contentTrust: 'trusted',
}
const failed = { code: 'provider_failed', detail: 'the line is dead' }

const EVENTS: readonly RunEvent[] = [
  {
    type: 'run.created',
    runId: 'r',
    workflowId: 'w',
    version: '1.0.0',
    frozen: SAMPLE,
    inputs: SAMPLE,
    configurable: null,
    metadata: null,
    tags: [],
    mode: 'planning',
    orchestration: 'auto',
    budget: BUDGET,
    stallAfter: 5,
    owner: 'me',
  },
  { type: 'run.claimed', owner: 'me', epoch: 1 },
  {
    type: 'node.started',
    nodeId: 'writer',
    typeId: 'agent',
    visit: 2,
    session: null,
    home: null,
    config: emptyConfig,
    interactive: false,
    snapshot: null,
    apply: 0,
    input: null,
    handoffs: null,
    again: [],
  },
  { type: 'log.appended', level: 'warn', message: 'beside it', code: 'prompt_ref_supersedes_inline', nodeId: 'writer' },
  { type: 'prompt.traced', nodeId: 'writer', kind: 'system', slot: 0, agentId: null, resolved: 'prompt:a@1.0.0', trace },
  COMPOSED,
  { type: 'step.retried', nodeId: 'writer', step: 1, attempt: 1, ...failed },
  { type: 'step.settled', nodeId: 'writer', step: 1, reply: SAMPLE, receipt: null, failure: null, replyHash: SAMPLE, tokens: 3 },
  { type: 'calls.asked', nodeId: 'writer', step: 1, calls: [{ id: '1', name: 'look', arguments: SAMPLE }] },
  { type: 'call.judged', nodeId: 'writer', call: '1', tool: 'look', verdict: { decision: 'allowed', conditions: [] } as never },
  { type: 'call.settled', nodeId: 'writer', call: '1', tool: 'look', arguments: SAMPLE, result: SAMPLE, status: 'succeeded' },
  { type: 'message.received', nodeId: 'writer', message: { kind: 'steer', id: 'm', message: SAMPLE } },
  { type: 'message.taken', nodeId: 'writer', id: 'm' },
  { type: 'node.waiting', nodeId: 'writer' },
  { type: 'node.resumed', nodeId: 'writer' },
  { type: 'run.paused', reason: 'asked', nodeId: null },
  { type: 'run.resumed' },
  { type: 'run.modeChanged', mode: 'implementation', approval: null },
  { type: 'override.given', nodeId: null, text: SAMPLE },
  { type: 'approval.requested', approval: 'x', nodeId: 'writer', wants: { kind: 'mode', mode: 'implementation', reason: 'I must' } },
  { type: 'approval.resolved', approval: 'x', nodeId: 'writer', decision: 'denied', answeredBy: 'ada', note: null, arguments: null },
  { type: 'node.completed', nodeId: 'writer', output, edges: [] },
  { type: 'node.failed', nodeId: 'writer', edges: [], ...failed },
  { type: 'node.skipped', nodeId: 'editor', reason: 'disabled' },
  { type: 'run.overlaid', frozen: SAMPLE, configurable: null },
  { type: 'version.pinned', kind: 'system', pinned: 'prompt:a@1.0.0', present: null },
  {
    type: 'replay.diverged',
    nodeId: 'writer',
    sourceRunId: 'q',
    atSequence: 7,
    originalEventId: 'q:7',
    divergenceKind: 'output',
    divergencePoint: 'prompt.composed',
    details: put({ divergences: [{ sequence: 7, point: 'prompt.composed', nodeId: 'writer', expected: SECRET, found: 'another' }] }),
  },
  { type: 'run.cancelling', reason: 'enough', failure: null },
  { type: 'run.completed', outputs: put({ $node: 'outputs', nodes: { writer: output } }) },
  { type: 'run.failed', failedNodeId: 'writer', ...failed },
  { type: 'run.cancelled', reason: null },
]

const recorded = (event: RunEvent, seq: number): RecordedEvent => ({
  v: 1,
  tenant: 'acme',
  stream: 'run/r',
  seq,
  at: '2026-01-01T00:00:00.000Z',
  prev: null,
  cause: null,
  ...runDraft(event, 'test'),
})
const read = async (digest: Digest) => objects.get(digest) ?? null
const documents = (observability: 'off' | 'hashed' | 'full', reading = read) =>
  Promise.all(EVENTS.map((event, seq) => toRunEventDoc(recorded(event, seq), { observability, isReplay: false }, reading)))

describe.each(['off', 'hashed', 'full'] as const)('with observability %s', observability => {
  it('every event is a valid document with a valid payload, in its place', async () => {
    const made = await documents(observability)
    expect(made.map(({ sequence }) => sequence)).toEqual(EVENTS.map((_, seq) => seq))
    expect(new Set(made.map(({ eventId }) => eventId)).size).toBe(EVENTS.length)
    for (const document of [...made, ...(await documents(observability, async () => null))]) {
      expect(isDocument(document), JSON.stringify([document, isDocument.errors])).toBe(true)
      if (!(document.type in known.$defs._typeIndex.properties)) {
        expect(document.type).toMatch(/^onbook\.|^run\.(paused|resumed|cancelled)$|^version\.pinned$/)
        continue
      }
      const ref = `${OPENWOP}run-event-payloads.schema.json#/$defs/_typeIndex/properties/${document.type}`
      const fits = ajv.compile({ $ref: ref })
      expect(fits(document.payload), JSON.stringify([document, fits.errors])).toBe(true)
    }
  })

  it('a composed prompt shows what it may', async () => {
    const { type, payload } = (await documents(observability))[EVENTS.indexOf(COMPOSED)]!
    expect(type).toBe(observability === 'off' ? 'onbook.prompt.composed' : 'prompt.composed')
    expect(Object.keys(payload).sort()).toEqual(
      {
        off: ['kind', 'nodeId', 'ref'],
        hashed: ['contentTrust', 'hash', 'kind', 'nodeId', 'refs', 'variableHashes'],
        full: ['composed', 'contentTrust', 'hash', 'kind', 'nodeId', 'refs', 'systemPrompt', 'variableBindings', 'variableHashes'],
      }[observability],
    )
    if (observability !== 'full') expect(JSON.stringify(await documents(observability))).not.toContain(SECRET)
  })
})

it('says what each known event carries, exactly', async () => {
  const made = await documents('full')
  const payloadOf = (type: string) => made.find(document => document.type === type)?.payload
  // The run's id is in the document around the payload.
  expect(payloadOf('run.started')).toEqual({
    workflowId: 'w',
    version: '1.0.0',
    frozen: SAMPLE,
    inputs: SAMPLE,
    tags: [],
    mode: 'planning',
    orchestration: 'auto',
    budget: BUDGET,
    stallAfter: 5,
    owner: 'me',
  })
  expect(payloadOf('node.started')).toEqual({ nodeId: 'writer', typeId: 'agent', attempt: 1 })
  expect(payloadOf('node.completed')).toEqual({ nodeId: 'writer', outputs: { output: { a: 1 } } })
  expect(payloadOf('node.failed')).toEqual({ nodeId: 'writer', error: { code: failed.code, message: failed.detail } })
  expect(payloadOf('run.completed')).toEqual({ outputs: { writer: { a: 1 } } })
  expect(payloadOf('run.failed')).toEqual({ error: { code: failed.code, message: failed.detail }, failedNodeId: 'writer' })
  expect(payloadOf('run.cancelled')).toEqual({})
  expect(payloadOf('run.paused')).toEqual({ reason: 'asked', drainPolicy: 'immediate' })
  expect(payloadOf('log.appended')).toEqual({
    level: 'warn',
    message: 'beside it',
    code: 'prompt_ref_supersedes_inline',
    nodeId: 'writer',
  })
  expect(payloadOf('agent.promptResolved')).toEqual({
    nodeId: 'writer',
    kind: 'system',
    chain: [
      { layer: 'node', source: 'prompt:a@1.0.0', applied: true },
      { layer: 'agent-intrinsic', applied: false, reason: 'the node names no agent' },
      { layer: 'workflow-defaults', applied: false, reason: 'nothing' },
      { layer: 'host-defaults', source: 'prompt:b@1.0.0', applied: false, reason: 'superseded by node' },
    ],
    resolved: 'prompt:a@1.0.0',
  })
  expect(payloadOf('onbook.override.given')).toEqual({ nodeId: null, text: SAMPLE })
})

it('names the event that brought it about, and the node it is about', async () => {
  const event = { ...recorded({ type: 'node.waiting', nodeId: 'writer' }, 4), cause: 'request 7' }
  expect(await toRunEventDoc(event, { observability: 'full', isReplay: false }, read)).toEqual({
    eventId: 'r:4',
    runId: 'r',
    nodeId: 'writer',
    type: 'onbook.node.waiting',
    payload: { nodeId: 'writer' },
    timestamp: '2026-01-01T00:00:00.000Z',
    sequence: 4,
    causationId: 'request 7',
  })
})
