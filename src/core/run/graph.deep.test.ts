// The same as graph.test.ts, for longer.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyLuck, anyWorkflow, found, walk } from '../../testing/any-graph.ts'
import { expectedIn } from '../../testing/graph-oracle.ts'

it('walks twenty thousand graphs as the model says', () => {
  fc.assert(
    fc.property(anyWorkflow, anyLuck, (workflow, luck) => {
      walk(workflow, luck, (draft, history) => {
        expect(found(workflow, draft)).toEqual(expectedIn(workflow, history))
      })
    }),
    { numRuns: 20_000 },
  )
})
