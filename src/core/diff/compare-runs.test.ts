// Tests the comparison of two runs: for all facts, nothing differs from itself, and both directions agree.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import { compareRuns, compareSteps, type RunFacts, type StepFacts } from './compare-runs.ts'
import type { Decision } from './difference.ts'
import { compareFacts, type Fact } from './facts.ts'

const value = fc.oneof(fc.constantFrom('one', 'two', null, 3), fc.constant({ x: 'one', y: 'two' }), fc.constant({ x: 'two', y: 'two' }))
const held: fc.Arbitrary<Fact> = fc.oneof(
  value.map(value => ({ what: 'model' as const, value })),
  fc.tuple(fc.constantFrom('topic', 'facts'), value).map(([variable, value]) => ({ what: 'variable' as const, variable, value })),
  fc.tuple(fc.constantFrom('1', '2'), value).map(([call, value]) => ({ what: 'verdict' as const, call, alike: call, value })),
)
const facts = fc.array(held, { maxLength: 4 })
const digest = fc.constantFrom('p', 'q').map(digestText)
const step = (number: number): fc.Arbitrary<StepFacts> =>
  fc.record({ step: fc.constant(number), held: facts, met: facts, own: facts, texts: fc.record({ task: digest }, { requiredKeys: [] }) })
const visit = (nodeId: string, number: number) =>
  fc.record({
    nodeId: fc.constant(nodeId),
    visit: fc.constant(number),
    facts,
    steps: fc.subarray([1, 2, 3]).chain(all => fc.tuple(...all.map(step))),
  })
const run: fc.Arbitrary<RunFacts> = fc.record({
  runId: fc.constantFrom('r1', 'r2'),
  workflow: fc.constantFrom('news 1.0.0', 'news 1.1.0'),
  document: fc.constantFrom<RunFacts['document']>(
    { id: 'news', nodes: [{ id: 'a', x: 1 }] },
    { id: 'news', nodes: [{ id: 'b' }, { id: 'a', x: 2 }] },
  ),
  agents: fc.constant({}),
  facts,
  visits: fc.tuple(visit('writer', 1), visit('writer', 2), visit('reader', 1)).chain(all => fc.subarray(all)),
})

const turned = (decisions: readonly Decision[]) => sorted(decisions.map(({ a, b, ...rest }) => ({ ...rest, a: b, b: a })))
const sorted = (decisions: readonly object[]) => decisions.map(one => JSON.stringify(Object.entries(one).sort())).sort()

describe('any two runs', () => {
  it('a run and itself are the same', () => {
    fc.assert(
      fc.property(run, one => {
        expect(compareRuns(one, one)).toEqual({ decisions: [], texts: [] })
      }),
    )
  })

  it('either side tells the same', () => {
    fc.assert(
      fc.property(run, run, (a, b) => {
        const [there, back] = [compareRuns(a, b), compareRuns(b, a)]
        expect(sorted(back.decisions)).toEqual(turned(there.decisions))
        expect(back.texts.map(({ a, b }) => [b, a]).sort()).toEqual(there.texts.map(({ a, b }) => [a, b]).sort())
      }),
    )
  })
})

it('what is named for the run is not named for its steps again', () => {
  const planned = (mode: string): RunFacts => {
    const facts: readonly Fact[] = [{ what: 'mode', value: mode }]
    const steps = [1, 2].map(number => ({ step: number, held: facts, met: [], own: [], texts: {} }))
    return { runId: 'r', workflow: 'w 1', document: null, agents: {}, facts, visits: [{ nodeId: 'a', visit: 1, facts: [], steps }] }
  }
  expect(compareRuns(planned('planning'), planned('implementation')).decisions).toEqual([
    { what: 'mode', a: 'planning', b: 'implementation' },
  ])
})

const found = (a: readonly Fact[], b: readonly Fact[]) => compareFacts(a, b).map(({ a, b }) => [a, b])

describe('one fact', () => {
  it('is told with both sides, and null where there is none', () => {
    expect(compareFacts([{ what: 'model', value: 'small' }], [])).toEqual([{ what: 'model', a: 'small', b: null }])
  })

  it('of two objects, only what differs', () => {
    const verdict = (decision: string, granted: string): readonly Fact[] => [
      { what: 'verdict', value: { decision, granted, mode: 'passed' } },
    ]
    expect(found(verdict('allowed', 'passed'), verdict('refused', 'failed: nobody grants it'))).toEqual([
      [
        { decision: 'allowed', granted: 'passed' },
        { decision: 'refused', granted: 'failed: nobody grants it' },
      ],
    ])
  })

  it('that reads the same and is another is told by its name', () => {
    const template = (text: string): readonly Fact[] => [{ what: 'template', value: 'prompt:a@1.0.0', hash: digestText(text) }]
    expect(found(template('x'), template('y'))).toEqual([[`prompt:a@1.0.0 (${digestText('x')})`, `prompt:a@1.0.0 (${digestText('y')})`]])
  })

  it('that is long is cut to where it differs', () => {
    const input = (end: string): readonly Fact[] => [{ what: 'input', name: 'text', value: `${'word '.repeat(1000)}${end}` }]
    const [[a, b] = []] = found(input('here'), input('there'))
    expect([String(a).length < 320, String(a).endsWith('word here'), String(b).endsWith('word there')]).toEqual([true, true, true])
  })

  it('about a call counts only where both made the call', () => {
    const result = (alike: string, value: string): readonly Fact[] => [{ what: 'result', call: '1', alike, value }]
    expect(found(result('same arguments', 'x'), result('same arguments', 'y'))).toEqual([['x', 'y']])
    expect(found(result('some arguments', 'x'), result('others', 'y'))).toEqual([])
  })
})

it('of two steps, what only tells steps apart is told too', () => {
  const at = (count: number): StepFacts => ({ step: count, held: [], met: [], own: [{ what: 'history', value: count }], texts: {} })
  expect(compareSteps(at(1), at(2), 'writer', { nodeId: 'writer', visit: 1, step: 2 })).toEqual({
    decisions: [{ what: 'history', nodeId: 'writer', a: 1, b: 2 }],
    texts: [],
  })
})
