import { describe, expect, it } from 'vitest'
import { workflowOf } from '../../../testing/stories/test-runs.ts'
import { aliasProblem, findNode, newNodeId } from './node-names.ts'

const workflow = workflowOf({ id: 'w', objective: 'x', nodes: [{ id: 'a', alias: 'first' }, { id: 'First-1' }, { id: 'b', alias: 'c' }] })

describe('an alias', () => {
  it.each([
    'x',
    '9lives',
    'docs-agent',
    'Docs_Agent',
    'a'.repeat(64),
    // Nearly an id.
    '0b5c2a4e-6f1d-4c3b-9a8e-7d6c5b4a392',
  ])('may be %j', alias => expect(aliasProblem(workflow, alias)).toBeNull())

  it.each(['-x', '_x', 'a b', 'a\nb', 'é', 'a.b', 'a:b', 'sha256:0', 'a'.repeat(65), '', '0b5c2a4e-6f1d-4c3b-9a8e-7d6c5b4a3921'])(
    'may not be %j',
    alias => expect(aliasProblem(workflow, alias)).toMatch(/^invalid alias/),
  )

  it.each(['first', 'FIRST', 'a', 'A', 'first-1', 'C'])('%j is taken, whatever its case, by an alias or an id', alias =>
    expect(aliasProblem(workflow, alias)).toMatch(/^duplicate alias/),
  )
})

it.each([
  ['a', 'a'],
  [' a ', 'a'],
  ['first', 'a'],
  ['FIRST', 'a'],
  ['C', 'b'],
  ['First-1', 'First-1'],
])('%j is a name of node %s', (name, id) => expect(findNode(workflow, name)?.id).toBe(id))

it.each(['A', 'first-1', 'nobody', ''])('%j is no name: ids keep their case', name => expect(findNode(workflow, name)).toBeNull())

it.each([
  ['The Docs Agent!', null, 'the-docs-agent-1'],
  ['first', null, 'first-2'],
  ['x', 'X-1', 'x-2'],
  ['文档', null, 'node-1'],
  ['-- a --', null, 'a-1'],
  ['a'.repeat(60), null, `${'a'.repeat(40)}-1`],
])('a node labelled %j, called %j, has the id %s', (label, alias, id) => expect(newNodeId(workflow, label, alias)).toBe(id))
