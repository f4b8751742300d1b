// Tests the order of groups in a report.
import { expect, it } from 'vitest'
import { groupBy } from './groups.ts'

it('keeps groups in the order of their first item, and items in their own', () => {
  expect([...groupBy(['b1', 'a1', 'b2', 'a2'], text => text[0]!)]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1', 'a2']],
  ])
})
