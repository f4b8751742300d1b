import { describe, expect, it } from 'vitest'
import { created, NOTHING, starting } from '../../../testing/arbitraries/any-graph.ts'
import { workflowOf } from '../../../testing/stories/test-runs.ts'
import type { Json } from '../../digest/digest.ts'
import { emitRun, type RunDraft } from '../draft.ts'
import { type GraphPlace, type Planned, planEdge, planHandoff, planSpawn } from './graph-plans.ts'
import { DEEPEST, grownWorkflow, MOST_EDGES, MOST_HANDOFFS, MOST_SPAWNED, type SpawnedNode } from './grown.ts'

const workflow = workflowOf({
  id: 'w',
  objective: 'x',
  nodes: ['a', 'b', 'c'].map(id => ({ id })),
  edges: [{ from: 'a', to: 'b', bidirectional: true, label: 'task' }],
})
const SETTINGS = { edgeManagement: 'all', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false } as const
const MODEL = { provider: 'p', model: 'm', maxTokens: null, reasoningEffort: null }
const ROLE = { name: 'planner', source: 'shipped', ref: 'prompt:role.planner@1.0.0', file: NOTHING, text: NOTHING, requests: [] } as const
const REST = { role: ROLE, model: MODEL, settings: SETTINGS, asks: false, tools: [], prompt: null }

const spawned = (draft: RunDraft, nodeId: string, by = 'a', depth = 1): RunDraft => {
  const node: SpawnedNode = { nodeId, by, depth, label: nodeId, alias: null, ...REST }
  return emitRun(draft, { type: 'node.spawned', ...node })
}
const at = (nodeId: string, { state }: RunDraft): GraphPlace => ({ state, workflow: grownWorkflow(workflow, state), nodeId })
const problem = (planned: Planned<unknown>): string | null => (planned.ok ? null : planned.problem)
const times = (count: number, draft: RunDraft, next: (draft: RunDraft, index: number) => RunDraft): RunDraft =>
  Array.from({ length: count }).reduce<RunDraft>((made, _, index) => next(made, index), draft)

const SPAWN: Json = { label: 'x', roleTemplate: 'planner' }
const EDGE: Json = { from: 'a', to: 'c' }
const HANDOFF: Json = { to: 'b', message: 'Hi' }

describe('a run that has grown', () => {
  it('takes so many nodes, edges and handoffs and no more', () => {
    const full = times(MOST_SPAWNED, created(workflow), (draft, index) => spawned(draft, `s${index}`))
    expect(problem(planSpawn(at('a', full), SPAWN))).toContain(`may add ${MOST_SPAWNED} nodes`)
    const edge = { from: 'a', to: 'c', edgeType: 'handoff', bidirectional: true } as const
    const joined = times(MOST_EDGES, created(workflow), (draft, index) =>
      emitRun(draft, { type: 'edge.created', nodeId: 'a', edgeId: `made-${index + 1}`, ...edge, label: `l${index}` }),
    )
    expect(problem(planEdge(at('a', joined), EDGE))).toContain(`may make ${MOST_EDGES} edges`)
    const sent = { ...created(workflow), state: { ...created(workflow).state, handoffs: MOST_HANDOFFS } }
    expect(problem(planHandoff(at('a', sent), HANDOFF))).toContain(`may send ${MOST_HANDOFFS} handoffs`)
  })

  it('is so deep and no deeper', () => {
    const deep = times(DEEPEST, created(workflow), (draft, index) => spawned(draft, `s${index + 1}`, `s${index}`, index + 1))
    expect(problem(planSpawn(at(`s${DEEPEST - 1}`, deep), SPAWN))).toBeNull()
    expect(problem(planSpawn(at(`s${DEEPEST}`, deep), SPAWN))).toContain(`${DEEPEST} deep`)
  })

  it('is the frozen workflow while nothing was added, and one object for as long as nothing more is', () => {
    const { state } = created(workflow)
    expect(grownWorkflow(workflow, state)).toBe(workflow)
    const one = spawned(created(workflow), 's1')
    const grown = grownWorkflow(workflow, one.state)
    expect(grown.nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 's1'])
    const later = emitRun(one, { type: 'handoff.sent', handoff: 'h', nodeId: 'a', to: 'b', body: NOTHING, ...NO_REPLY })
    expect(grownWorkflow(grown, later.state)).toBe(grown)
    expect(grownWorkflow(grown, spawned(later, 's2').state).nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 's1', 's2'])
  })

  it('takes nothing more while it is being ended', () => {
    const draft = created(workflow)
    const ending = at('a', { ...draft, state: { ...draft.state, phase: 'cancelling' } })
    expect([planSpawn(ending, SPAWN), planEdge(ending, EDGE), planHandoff(ending, HANDOFF)].map(problem)).toEqual(
      Array(3).fill('the run is being ended'),
    )
  })
})

const FIRST = { again: [], typeId: 't', visit: 1 } as const
const NO_REPLY = { expectation: 'none', answers: null, awaits: null } as const

describe('a wait', () => {
  const joined = (draft: RunDraft, from: string, to: string): RunDraft =>
    emitRun(draft, {
      type: 'edge.created',
      nodeId: 'a',
      edgeId: `${from}${to}`,
      from,
      to,
      edgeType: 'handoff',
      bidirectional: true,
      label: 'x',
    })
  const ring = joined(joined(created(workflow), 'b', 'c'), 'c', 'a')
  const busy = ['a', 'b', 'c'].reduce((draft, nodeId) => emitRun(draft, { ...starting(nodeId), type: 'node.started', ...FIRST }), ring)
  const ask = (to: string): Json => ({ to, message: 'Well?', response: { expectation: 'required' } })
  const waits = (draft: RunDraft, nodeId: string, to: string): RunDraft =>
    emitRun(draft, {
      type: 'handoff.sent',
      handoff: `${nodeId}-${to}`,
      nodeId,
      to,
      body: NOTHING,
      ...NO_REPLY,
      expectation: 'required',
      awaits: { call: '1', until: 1 },
    })

  it('that would close a ring, of two or of more, is refused', () => {
    expect(problem(planHandoff(at('b', waits(busy, 'a', 'b')), ask('a')))).toContain('node a waits for a reply of yours')
    expect(problem(planHandoff(at('c', waits(waits(busy, 'a', 'b'), 'b', 'c')), ask('a')))).toContain('node a waits for a reply of yours')
    expect(problem(planHandoff(at('c', waits(busy, 'a', 'b')), ask('a')))).toBeNull()
  })

  it('is over with what is sent back by whoever has read the question: that may ask in turn', () => {
    const read = emitRun(waits(busy, 'a', 'b'), { type: 'handoff.delivered', handoff: 'a-b', nodeId: 'b' })
    const planned = planHandoff(at('b', read), ask('a'))
    expect(planned).toMatchObject({ ok: true, plan: { answers: 'a-b' } })
  })
})
