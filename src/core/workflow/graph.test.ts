import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { readWorkflow } from './read-workflow.ts'

const nodes = ['a', 'b', 'c', 'd', 'e']
const read = (edges: readonly object[], more: object = {}) =>
  readWorkflow({ id: 'f', nodes: nodes.map(id => ({ id })), edges, ...more } as unknown as Json)
const back = (edges: readonly object[], more: object) => {
  const result = read(edges, more)
  return result.ok ? result.workflow.edges.map(({ repeats }) => repeats) : expect.fail(JSON.stringify(result.problems))
}
const loop = [
  { from: 'a', to: 'b' },
  { from: 'b', to: 'a' },
]
const bounded = { settings: { maxLoopbackIterations: 7 } }

describe('edges that lead back', () => {
  it.each<[string, (number | null)[], object[], object]>([
    ['say so', [null, 3], [loop[0]!, { from: 'b', to: 'a', repeats: 3 }], {}],
    ['may lead to their own node', [null, 2], [loop[0]!, { from: 'b', to: 'b', repeats: 2 }], {}],
    ['are bounded by the workflow where none says so', [null, 7], loop, bounded],
    ['are bounded by no more than a hundred', [null, 100], loop, { settings: { maxLoopbackIterations: 5000 } }],
    [
      'are only those on a cycle',
      [null, null],
      [
        { from: 'c', to: 'a' },
        { from: 'b', to: 'a' },
      ],
      bounded,
    ],
    [
      'are only those that say so, where one does',
      [null, 1, null],
      [loop[0]!, { from: 'b', to: 'a', repeats: 1 }, { from: 'b', to: 'c' }],
      bounded,
    ],
  ])('%s', (_, expected, edges, more) => expect(back(edges, more)).toEqual(expected))
})

interface Edge {
  readonly from: string
  readonly to: string
  readonly repeats?: number
}

it('takes exactly the graphs that lead on without cycles and back to where they came from', () => {
  const end = fc.constantFrom(...nodes)
  const edges = fc.array(fc.record({ from: end, to: end, repeats: fc.constantFrom(1, 2) }, { requiredKeys: ['from', 'to'] }), {
    maxLength: 8,
  })
  const some = fc.oneof(edges, fc.array(fc.record({ from: end, to: end }), { maxLength: 8 }))
  fc.assert(
    fc.property(some, fc.boolean(), (written, isBounded) => {
      const marked = markedBy(written, isBounded)
      const on = marked.filter(({ repeats }) => repeats === undefined)
      const isSound =
        nodes.every(id => !leads(on, id, id)) &&
        marked.every(({ from, to, repeats }) => repeats === undefined || from === to || leads(on, to, from))
      const result = read(written, isBounded ? bounded : {})
      expect([written, result.ok]).toEqual([written, isSound])
      if (result.ok) expect(result.workflow.edges.map(({ repeats }) => repeats ?? undefined)).toEqual(marked.map(({ repeats }) => repeats))
    }),
    { numRuns: 2000 },
  )
})

/** By the letter: where no edge says so, those on a cycle that do not lead to a later node. */
function markedBy(written: readonly Edge[], isBounded: boolean): readonly Edge[] {
  if (!isBounded || written.some(({ repeats }) => repeats !== undefined)) return written
  const isBack = ({ from, to }: Edge) => nodes.indexOf(to) <= nodes.indexOf(from) && (from === to || leads(written, to, from))
  return written.map(edge => (isBack(edge) ? { ...edge, repeats: 7 } : edge))
}

/** Whether there is a way, of at least one edge. */
function leads(edges: readonly Edge[], from: string, to: string): boolean {
  const reached = new Set<string>()
  for (const _ of nodes) for (const edge of edges) if (edge.from === from || reached.has(edge.from)) reached.add(edge.to)
  return reached.has(to)
}
