// The same as graph.test.ts, for longer.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyLuck, anyWorkflow, found, walk } from '../../../testing/arbitraries/any-graph.ts'
import { expectedIn } from '../../../testing/oracles/graph-oracle.ts'

it.each([
  ['walks thousands of graphs as the model says', false],
  ['and thousands whose nodes write to one another', true],
])('%s', (_, mail) => {
  fc.assert(
    fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
      walk(workflow, luck, (draft, history) => expect(found(workflow, draft)).toEqual(expectedIn(workflow, history)), mail)
    }),
    { numRuns: 4_000 },
  )
})
