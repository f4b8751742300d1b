import { describe, expect, it } from 'vitest'
import { answering, created, NOTHING, ruled, starting } from '../../../testing/arbitraries/any-graph.ts'
import { workflowOf } from '../../../testing/stories/test-runs.ts'
import { emitRun, type RunDraft } from '../draft.ts'
import { nodeOf } from '../state.ts'
import { graphOf, nextIn } from './graph.ts'
import { grownWorkflow } from './grown.ts'

const workflow = workflowOf({ id: 'w', objective: 'x', nodes: [{ id: 'lead' }, { id: 'other' }] })
const child = {
  nodeId: 'child',
  by: 'lead',
  depth: 1,
  label: 'Child',
  alias: null,
  role: { name: 'planner', source: 'shipped', ref: 'prompt:role.planner@1.0.0', file: NOTHING, text: NOTHING, requests: [] },
  model: { provider: 'p', model: 'm', maxTokens: null, reasoningEffort: null },
  settings: { edgeManagement: 'none', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false },
  asks: false,
  tools: [],
  prompt: null,
} as const

const started = (draft: RunDraft, nodeId: string): RunDraft => ruled(draft, workflow, starting(nodeId))
const busy = started(started(emitRun(started(created(workflow), 'lead'), { type: 'node.spawned', ...child }), 'child'), 'other')
const asked = emitRun(busy, {
  type: 'handoff.sent',
  handoff: 'h1',
  nodeId: 'lead',
  to: 'child',
  body: NOTHING,
  expectation: 'required',
  answers: null,
  awaits: { call: '1', until: 9 },
})
const read = emitRun(asked, { type: 'handoff.delivered', handoff: 'h1', nodeId: 'child' })
const done = (draft: RunDraft, nodeId = 'child') => ruled(draft, workflow, answering(nodeId, null))
const failed = (draft: RunDraft) => ruled(draft, workflow, { type: 'failNode', nodeId: 'child', code: 'c', detail: 'd' })

describe('a reply', () => {
  it('is what a node gives that ends after it has read the question', () =>
    expect(done(read).state.awaited).toMatchObject([{ handoff: 'h1', reply: { kind: 'output', output: NOTHING } }]))

  it('is not what it gave before it read it: it starts once more', () => {
    const { state } = done(asked)
    expect([state.awaited[0]?.reply, state.phase]).toEqual([null, 'running'])
    expect(nextIn(graphOf(grownWorkflow(workflow, state)), state).start).toEqual(['child'])
  })

  it('is how a node failed, to the one that spawned it', () => {
    const { state } = failed(read)
    expect(state.awaited).toMatchObject([{ reply: { kind: 'failed', code: 'c' } }])
    expect(state.phase).toBe('running')
  })

  it('is not how it failed before it read the question: it starts once more', () => {
    const { state } = failed(asked)
    expect([state.awaited[0]?.reply, state.phase]).toEqual([null, 'running'])
    expect(nextIn(graphOf(grownWorkflow(workflow, state)), state).start).toEqual(['child'])
  })

  it('ends the wait when the call is settled with it', () => {
    const settled = emitRun(done(read), {
      type: 'call.settled',
      nodeId: 'lead',
      call: '1',
      tool: 'send_handoff',
      arguments: NOTHING,
      result: null,
      status: 'succeeded',
    })
    expect(settled.state.awaited).toEqual([])
  })
})

it('a spawned node that nobody waits for ends the run when it fails, and so does one that another waits for', () => {
  expect(failed(busy).state.phase).toBe('cancelling')
  const other = emitRun(busy, { ...asked.events.at(-1)!, nodeId: 'other' } as never, {
    type: 'handoff.delivered',
    handoff: 'h1',
    nodeId: 'child',
  })
  expect(failed(other).state.phase).toBe('cancelling')
})

it('when a run has ended nobody waits, and nothing is on its way', () => {
  const cancelled = ruled(asked, workflow, { type: 'cancel', reason: null })
  const { state } = ['lead', 'child', 'other'].reduce((draft, nodeId) => ruled(draft, workflow, answering(nodeId, null)), cancelled)
  expect([state.phase, state.inbox, state.awaited]).toEqual(['cancelled', [], []])
  expect(nodeOf(state, 'child').status).toBe('cancelled')
})
