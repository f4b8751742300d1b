// Tests records with arbitrary content on a sample. hostile-record.deep.test.ts has the many cases.
import { expect, it } from 'vitest'
import { crashesIn } from '../../testing/fuzz/ask-all.ts'

it('every question is answered or refused with a code, whatever one event of a run says: 12 of them', async () => {
  expect(await crashesIn('fixtures/histories/newsroom.v0.1.jsonl', 12, 1)).toEqual([])
})
