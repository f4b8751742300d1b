// Counting by cause: every prompt once among the outcomes, under each of its causes, with a few examples, in a steady order.
import { expect, it } from 'vitest'
import type { Cause, PromptChange } from './cause.ts'
import { type StepVerdict, tallying } from './tally.ts'

const cause = (name: string): Cause => ({ cause: 'template', name, from: '1.0.0', to: '1.1.0' })
const change: PromptChange = { block: 'role', span: { start: 0, end: 1 }, expected: 'a', found: 'b', lines: [] }
const changedBy = (...names: readonly string[]): StepVerdict => ({
  outcome: 'changed',
  causes: names.map(name => ({ cause: cause(name), outcome: 'changed', change })),
})
const failing: StepVerdict = {
  outcome: 'failing',
  causes: [{ cause: cause('rare'), outcome: 'failing', change: { ...change, block: null } }],
}
const UNCHANGED: StepVerdict = { outcome: 'unchanged', causes: [] }
const step = (verdict: StepVerdict, number = 1) => ({ nodeId: 'writer', visit: 1, step: number, verdict })

it('counts outcomes once, and causes for every prompt they change', () => {
  const counted = tallying()
  counted.addRun('r1', [step(changedBy('b', 'a')), step(changedBy('a'), 2), step(UNCHANGED, 3)])
  counted.addRun('r2', [step(changedBy('b'))])
  counted.addRun('r3', [])
  const { causes, ...counts } = counted.tally()
  expect(counts).toEqual({ runs: 3, prompts: 4, unchanged: 1, changed: 3, failing: 0, gone: 0, untold: 0, unsound: 0, unsoundRuns: [] })
  expect(causes.map(({ name, runs, prompts, examples }) => [name, runs, prompts, examples.length])).toEqual([
    ['a', 1, 2, 2],
    ['b', 2, 2, 2],
  ])
})

it('counts apart what is gone and what cannot be told, whatever else changes the same prompt', () => {
  const counted = tallying()
  const gone: StepVerdict = { outcome: 'gone', causes: [{ cause: cause('a'), outcome: 'gone', change: null }] }
  const both: StepVerdict = {
    outcome: 'changed',
    causes: [
      { cause: cause('a'), outcome: 'changed', change },
      { cause: cause('b'), outcome: 'untold', change: null },
    ],
  }
  counted.addRun('r1', [step(gone), step(both, 2)])
  const { causes, ...counts } = counted.tally()
  expect(counts).toMatchObject({ prompts: 2, changed: 1, gone: 1, untold: 0, failing: 0 })
  expect(causes).toMatchObject([
    { name: 'a', prompts: 2, gone: 1, untold: 0 },
    { name: 'b', prompts: 1, gone: 0, untold: 1 },
  ])
})

it('puts what fails first, then what changes most', () => {
  const counted = tallying()
  counted.addRun('r1', [step(changedBy('common')), step(changedBy('common'), 2), step(failing, 3)])
  expect(counted.tally().causes.map(({ name, failing: count }) => [name, count])).toEqual([
    ['rare', 1],
    ['common', 0],
  ])
})

it('wants three examples of a cause and no more, and the runs that cannot be compared by name', () => {
  const counted = tallying()
  for (let n = 0; n < 9; n++) {
    expect([counted.wants(cause('a')), counted.wants(cause('a'), 1)]).toEqual([n < 3, n < 2])
    counted.addRun(`r${n}`, [step(changedBy('a'))])
  }
  expect(counted.tally().causes[0]!.examples.map(({ runId }) => runId)).toEqual(['r0', 'r1', 'r2'])
  for (let n = 0; n < 120; n++) counted.addUnsound({ runId: `u${n}`, problem: 'It is broken.' })
  expect(counted.tally()).toMatchObject({ runs: 9, unsound: 120, unsoundRuns: { length: 100 } })
})
