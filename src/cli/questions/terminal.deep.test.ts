// No run file writes to a terminal what a terminal acts on: every word and number of a record in turn.
import { expect, it } from 'vitest'
import { actedOnIn } from '../../testing/fuzz/hostile-words.ts'

const PARTS = 8

it.each(Array.from({ length: PARTS }, (_, part) => part))('every word and number in turn, part %i', { timeout: 900_000 }, async part => {
  expect(await actedOnIn('fixtures/histories/newsroom.v0.1.jsonl', PARTS, part)).toEqual([])
})
