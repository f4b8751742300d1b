// Tests on a sample that a run file cannot send control characters to a terminal. terminal.deep.test.ts has every place.
import { expect, it } from 'vitest'
import { actedOnIn } from '../../testing/fuzz/hostile-words.ts'

it('no page of a question has a control character in it, whichever word or number of the record has', async () => {
  expect(await actedOnIn('fixtures/histories/newsroom.v0.1.jsonl', 2503)).toEqual([])
})
