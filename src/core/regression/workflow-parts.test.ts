// Parts of a workflow that are taken from another: all of them make the other, none of them leaves it as it was.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { readWorkflow } from '../workflow/read-workflow.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { changedParts, takeParts } from './workflow-parts.ts'

function workflow(document: Json): Workflow {
  const read = readWorkflow(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.workflow
}

const BASE = { id: 'story', objective: 'Write.', nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }

describe('changedParts', () => {
  it.each([
    ['nothing', BASE, []],
    ['a field', { ...BASE, objective: 'Read.' }, ['objective']],
    ['a node', { ...BASE, nodes: [{ id: 'a', role: 'planner' }, { id: 'b' }, { id: 'c' }] }, ['nodes/a']],
    ['the order of nodes', { ...BASE, nodes: [{ id: 'b' }, { id: 'a' }, { id: 'c' }] }, ['nodes']],
    ['a node that is new, at the end', { ...BASE, nodes: [...BASE.nodes, { id: 'd' }] }, ['nodes/d']],
    ['a node that is new, at the beginning', { ...BASE, nodes: [{ id: 'd' }, ...BASE.nodes] }, ['nodes', 'nodes/d']],
    ['a node that is gone', { ...BASE, nodes: [{ id: 'a' }, { id: 'c' }] }, ['nodes/b']],
    ['what no model is told', { ...BASE, version: '2.0.0', description: 'Other', mode: 'planning', budget: { steps: 3 } }, []],
  ])('%s', (_, document, parts) => {
    expect(changedParts(workflow(BASE), workflow(document))).toEqual(parts)
  })
})

it('all parts together make the proposed nodes and fields, whatever they are', () => {
  const anyWorkflow = fc
    .record({
      objective: fc.constantFrom('Write.', 'Read.'),
      nodes: fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), role: fc.constantFrom('planner', 'reviewer') }), {
        selector: ({ id }) => id,
        minLength: 1,
      }),
    })
    .map(document => workflow({ id: 'story', ...document }))
  fc.assert(
    fc.property(anyWorkflow, anyWorkflow, (one, other) => {
      const made = takeParts(one, other, changedParts(one, other))
      expect([made.objective, made.nodes]).toEqual([other.objective, other.nodes])
      expect(takeParts(one, other, [])).toBe(one)
    }),
  )
})
