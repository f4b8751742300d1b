// Readings of recorded histories and of small streams, as lines: one for a visit, one for a step with its calls.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Json } from '../../digest/digest.ts'
import { readingBuilder } from './build-reading.ts'
import { factsOf, type RunCall, type RunReading } from './reading.ts'

type Event = readonly [type: string, payload: Record<string, unknown>]

function readingOf(events: Iterable<Event>): RunReading {
  const { add, reading } = readingBuilder()
  let seq = 0
  for (const [type, payload] of events) add({ seq, at: `at ${seq++}`, actor: 'ada', type, payload: payload as Json })
  return reading
}

function recordedIn(path: string): readonly Event[] {
  const lines = readFileSync(`fixtures/histories/${path}`, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line)).flatMap(one => (one.stream?.startsWith('run/') ? [[one.type, one.payload] as const] : []))
}

const callLine = ({ id, verdicts, answers, outcome }: RunCall): string => {
  const judged = [...verdicts.map(({ verdict }) => verdict.decision), ...answers.map(({ decision }) => decision)].join(', ')
  return ` [${id} ${judged} > ${outcome?.status ?? 'open'}]`
}

function lines({ visits, steps }: RunReading): readonly string[] {
  const shown = [
    ...visits.map(({ sequence, nodeId, visit, outcome, steps }) => ({
      sequence,
      text: `${nodeId}.${visit} ${outcome?.status ?? 'at work'}: ${steps.length}`,
    })),
    ...steps.map(({ sequence, nodeId, visit, step, outcome, calls }) => ({
      sequence,
      text: `${nodeId}.${visit} step ${step} ${outcome === null ? 'open' : outcome.failure === null ? 'settled' : 'failed'}${calls.map(callLine).join('')}`,
    })),
  ]
  return shown.toSorted((a, b) => a.sequence - b.sequence).map(({ sequence, text }) => `${sequence} ${text}`)
}

const started = (nodeId: string, visit = 1): Event => ['node.started', { nodeId, visit, handoffs: null }]
const sent = (nodeId: string, step: number): Event => ['step.started', { nodeId, step, session: nodeId }]
const settled = (nodeId: string, failure: object | null = null): Event => ['step.settled', { nodeId, failure, reply: null }]
const judged = (nodeId: string, call: string, decision = 'allowed'): Event => [
  'call.judged',
  { nodeId, call, tool: 'probe', verdict: { decision } },
]
const asked = (nodeId: string, call: string, approval: string): Event => [
  'approval.requested',
  { nodeId, approval, wants: { kind: 'tool', call, tool: 'probe' } },
]
const answered = (nodeId: string, approval: string, decision: string): Event => ['approval.resolved', { nodeId, approval, decision }]
const ended = (nodeId: string, call: string, status = 'succeeded'): Event => [
  'call.settled',
  { nodeId, call, tool: 'probe', result: null, status },
]

const STREAMS: Readonly<Record<string, { readonly events: readonly Event[]; readonly reads: readonly string[] }>> = {
  'a history with spawned nodes, approvals, a refused call, a retry and an edge that leads back': {
    events: recordedIn('workshop.v0.1.jsonl'),
    reads: [
      '1 lead.1 completed: 3',
      '6 lead.1 step 1 settled [1 allowed > succeeded] [2 allowed > succeeded]',
      '13 measurer-1.1 completed: 1',
      '19 measurer-1.1 step 1 settled',
      '25 lead.1 step 2 settled [1 allowed > succeeded]',
      '30 measurer-1.2 completed: 1',
      '36 measurer-1.2 step 1 settled',
      '40 lead.1 step 3 settled',
      '43 writer.1 completed: 2',
      '48 writer.1 step 1 settled [1 waiting, allowed, approved > succeeded]',
      '57 writer.1 step 2 settled',
      '60 critic.1 completed: 2',
      '65 critic.1 step 1 settled [1 allowed > succeeded] [2 refused > failed]',
      '72 critic.1 step 2 settled',
      '76 writer.2 completed: 2',
      '81 writer.2 step 1 settled [1 waiting, refused, denied > failed]',
      '90 writer.2 step 2 settled',
      '93 critic.2 completed: 2',
      '98 critic.2 step 1 settled [1 allowed > succeeded] [2 refused > failed]',
      '105 critic.2 step 2 settled',
      '108 clerk.1 completed: 1',
      '114 clerk.1 step 1 settled',
      '118 joiner.1 completed: 2',
      '123 joiner.1 step 1 settled [1 allowed > succeeded]',
      '128 joiner.1 step 2 settled',
    ],
  },
  'nodes at work at the same time': {
    events: [
      started('a'),
      started('b'),
      sent('a', 1),
      sent('b', 1),
      settled('b', { code: 'provider_failed', detail: '' }),
      ['node.failed', { nodeId: 'b', code: 'provider_failed', detail: '' }],
      settled('a'),
      judged('a', '1'),
      started('b', 2),
      sent('b', 1),
      ended('a', '1'),
    ],
    reads: [
      '0 a.1 at work: 1',
      '1 b.1 failed: 1',
      '2 a.1 step 1 settled [1 allowed > succeeded]',
      '3 b.1 step 1 failed',
      '8 b.2 at work: 1',
      '9 b.2 step 1 open',
    ],
  },
  'a call with arguments that a person changed, judged three times': {
    events: [
      started('a'),
      sent('a', 1),
      settled('a'),
      judged('a', '1', 'waiting'),
      asked('a', '1', 'first'),
      ['approval.resolved', { nodeId: 'a', approval: 'first', decision: 'approved', arguments: 'sha256:1' }],
      judged('a', '1', 'waiting'),
      asked('a', '1', 'second'),
      answered('a', 'second', 'expired'),
      judged('a', '1', 'refused'),
      ended('a', '1', 'failed'),
    ],
    reads: ['0 a.1 at work: 1', '1 a.1 step 1 settled [1 waiting, waiting, refused, approved, expired > failed]'],
  },
  'calls of two steps have the same ids; one was interrupted, one was ended before it was judged': {
    events: [
      started('a'),
      sent('a', 1),
      settled('a'),
      judged('a', '1'),
      ended('a', '1', 'interrupted'),
      sent('a', 2),
      settled('a'),
      ended('a', '1', 'stale'),
      judged('a', '2'),
      ['node.cancelled', { nodeId: 'a' }],
    ],
    reads: ['0 a.1 cancelled: 2', '1 a.1 step 1 settled [1 allowed > interrupted]', '5 a.1 step 2 settled [1  > stale] [2 allowed > open]'],
  },
  'a skipped node has a visit': {
    events: [
      started('a'),
      ['node.completed', { nodeId: 'a' }],
      ['node.skipped', { nodeId: 'b', reason: 'no edge' }],
      started('b', 2),
      ['node.skipped', { nodeId: 'a', reason: 'no edge' }],
    ],
    reads: ['0 a.1 completed: 0', '2 b.1 skipped: 0', '3 b.2 at work: 0', '4 a.2 skipped: 0'],
  },
  'events of a node that was never started': {
    events: [settled('a'), judged('a', '1'), ['files.changed', { nodeId: 'a' }], ['node.completed', { nodeId: 'a' }], sent('a', 4)],
    reads: ['4 a.1 step 4 open'],
  },
}

it.each(Object.entries(STREAMS))('%s', (_, { events, reads }) => {
  expect(lines(readingOf(events))).toEqual(reads)
})

it('files that changed belong to the newest step of their node, without its names', () => {
  const change = { by: 'tool', call: '1', diff: 'sha256:1', cut: 0, files: [], more: 0, shared: false }
  const changed = (nodeId: string): Event => ['files.changed', { nodeId, step: 1, ...change }]
  const { steps } = readingOf([started('a'), sent('a', 1), changed('a'), sent('a', 2), sent('b', 1), changed('a')])
  expect(steps.map(({ changes }) => changes)).toEqual([[change], [change], []])
})

it('all other events are facts of the run, in order and with their actor', () => {
  const reading = readingOf(recordedIn('workshop.v0.1.jsonl'))
  expect(factsOf(reading, 'node.spawned', 'edge.created').map(({ sequence, event }) => [sequence, event.nodeId])).toEqual([
    [10, 'measurer-1'],
    [23, 'lead'],
  ])
  expect(reading.facts[0]).toMatchObject({ sequence: 0, actor: 'ada', at: 'at 0', event: { type: 'run.created' } })
  expect(reading.last).toEqual({ sequence: 131, at: 'at 131' })
  expect(reading.visits.find(({ nodeId }) => nodeId === 'clerk')).toMatchObject({
    traced: [{ sequence: 109 }, { sequence: 110 }, { sequence: 111 }, { sequence: 112 }],
    composed: [{ kind: 'user' }],
  })
})
