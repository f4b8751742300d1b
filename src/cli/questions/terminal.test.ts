// No run file writes to a terminal what a terminal acts on, whatever it says. A sample; every place is in the deep suite.
import { expect, it } from 'vitest'
import { actedOnIn } from '../../testing/fuzz/hostile-words.ts'

it('no page of a question has a control character in it, whichever word or number of the record has', async () => {
  expect(await actedOnIn('fixtures/histories/newsroom.v0.1.jsonl', 2503)).toEqual([])
})
