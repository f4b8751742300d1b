// Tests records with arbitrary content: events that are missing, doubled, out of order, of other types, or with other values.
import { expect, it } from 'vitest'
import { crashesIn } from '../../testing/fuzz/ask-all.ts'

const SEED = Number(process.env.ONBOOK_FUZZ_SEED ?? 2026)

it.each([0, 1, 2, 3])(`600 runs with one event that says something else, part %i, seed ${SEED}`, { timeout: 600_000 }, async part => {
  expect(await crashesIn('fixtures/histories/newsroom.v0.1.jsonl', 150, SEED + part)).toEqual([])
})
