// Tests graphs in every order of execution against an independent model.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answering, anyLuck, anyWorkflow, created, found, possible, ruled, starting, walk } from '../../../testing/arbitraries/any-graph.ts'
import { expectedIn, type Moment } from '../../../testing/oracles/graph-oracle.ts'
import { workflowOf } from '../../../testing/stories/test-runs.ts'
import { canonicalJson, type Json } from '../../digest/digest.ts'
import { decideRun, type RunCommand } from '../decide.ts'
import { draftRun, type RunDraft } from '../draft.ts'
import { foldRun } from '../reduce.ts'
import { emptyRun, isBusy, isEnded } from '../state.ts'

describe('a graph', () => {
  it('is walked as the model says, whatever it looks like, in whatever order its nodes end, and however', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        walk(workflow, luck, (draft, history) => {
          expect(found(workflow, draft)).toEqual(expectedIn(workflow, history))
        })
      }),
      { numRuns: 100 },
    )
  })

  it('is walked as the model says while its nodes write to one another', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        const look = (draft: RunDraft, history: readonly Moment[]) => {
          expect(found(workflow, draft)).toEqual(expectedIn(workflow, history))
        }
        walk(workflow, luck, look, true)
      }),
      { numRuns: 100 },
    )
  })

  it('comes to its end, and no node works more often than its edges may lead back', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        const { state } = walk(workflow, luck, () => {})
        const most = workflow.edges.reduce((sum, { repeats }) => sum + (repeats ?? 0), 1)
        for (const { visits } of Object.values(state.nodes)) expect(visits).toBeLessThanOrEqual(most)
        expect(Object.values(state.nodes).filter(isBusy)).toEqual([])
      }),
    )
  })

  it('is the same bytes when its events are folded again', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        walk(workflow, luck, ({ state, events }) => {
          expect(canonicalJson(foldRun(events) as unknown as Json)).toBe(canonicalJson(state as unknown as Json))
        })
      }),
    )
  })

  it('that has ended takes no command, and none that names a node which is not there', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        const ended = walk(workflow, luck, () => {})
        for (const command of everyCommand('n0')) expect(decideRun(ended, workflow, command)).toMatchObject({ code: 'run_ended' })
        const fresh = created(workflow)
        for (const command of everyCommand('nobody'))
          if ('nodeId' in command && !isEnded(fresh.state))
            expect(decideRun(fresh, workflow, command)).toMatchObject({ code: 'node_missing' })
        expect(decideRun(draftRun(emptyRun), workflow, { type: 'pause' })).toMatchObject({ code: 'run_missing' })
      }),
      { numRuns: 50 },
    )
  })

  it('takes no end of a node that is not at work', () => {
    const workflow = workflowOf({ id: 'w', nodes: [{ id: 'a' }, { id: 'b' }] })
    const ended = ruled(ruled(created(workflow), workflow, start('a')), workflow, complete('a'))
    for (const nodeId of ['a', 'b'])
      for (const command of everyCommand(nodeId))
        if (['turn', 'failNode'].includes(command.type))
          expect(decideRun(ended, workflow, command)).toMatchObject({ code: 'node_not_running' })
  })

  it('does not begin again in the middle when it begins again before that', () => {
    const workflow = workflowOf({
      id: 'nested',
      nodes: ['a', 'middle', 'end', 'beside'].map(id => ({ id })),
      edges: [
        { from: 'a', to: 'middle' },
        { from: 'middle', to: 'end' },
        { from: 'a', to: 'beside' },
        { from: 'end', to: 'middle', repeats: 1 },
        { from: 'beside', to: 'a', repeats: 1 },
      ],
    })
    const told = [start('a'), complete('a'), start('middle'), start('beside'), complete('middle'), start('end'), complete('end')]
    const both = [...told, complete('beside')].reduce((draft, command) => ruled(draft, workflow, command), created(workflow))
    expect(found(workflow, both)).toMatchObject({ start: new Set(['a']), followed: ['end->middle', 'beside->a'] })
    const begun = ruled(both, workflow, start('a'))
    expect(found(workflow, begun)).toMatchObject({ start: new Set(), busy: new Set(['a']) })
  })

  it('that is paused starts nothing, and takes what was under way', () => {
    fc.assert(
      fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
        walk(workflow, luck, draft => {
          if (draft.state.phase !== 'running') return
          const paused = ruled(draft, workflow, { type: 'pause' })
          for (const { command } of possible(found(workflow, paused), 5)) {
            const ruling = decideRun(paused, workflow, command)
            if (command.type === 'startNode') expect(ruling).toMatchObject({ code: 'run_paused' })
            else expect(ruling).toHaveProperty('events')
          }
          const resumed = ruled(paused, workflow, { type: 'resume' })
          expect(resumed.state).toEqual(draft.state)
        })
      }),
      { numRuns: 50 },
    )
  })
})

const start = starting
const complete = (nodeId: string): RunCommand => answering(nodeId, null)

const everyCommand = (nodeId: string): readonly RunCommand[] => [
  { type: 'claim', owner: 'other' },
  starting(nodeId),
  { type: 'failNode', nodeId, code: 'c', detail: 'd' },
  { type: 'checkStep', nodeId },
  answering(nodeId, null),
  { type: 'pause' },
  { type: 'resume' },
  { type: 'cancel', reason: null },
  { type: 'fail', code: 'c', detail: 'd' },
  { type: 'setMode', mode: 'planning' },
  { type: 'giveOverride', nodeId, text: null },
  { type: 'askApproval', approval: 'a', nodeId, wants: { kind: 'mode', mode: 'implementation', reason: '' } },
  { type: 'resolveMode', approval: 'a', decision: 'approved', by: 'ada', note: null },
]
