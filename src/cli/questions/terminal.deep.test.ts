// Tests that a run file cannot send control characters to a terminal: many texts and numbers of a record, each in turn.
import { expect, it } from 'vitest'
import { actedOnIn } from '../../testing/fuzz/hostile-words.ts'

const STRIDE = 61

it(`every ${STRIDE}st word and number in turn`, { timeout: 900_000 }, async () => {
  expect(await actedOnIn('fixtures/histories/newsroom.v0.1.jsonl', STRIDE, 7)).toEqual([])
})
