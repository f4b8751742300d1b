// The gate against its model in a fair part of all situations. ONBOOK_EVERY_CASE=1 walks every situation that gets past policy.
import { expect, it } from 'vitest'
import { disagreementAt, GATE_CASES, OPEN_CASES } from '../../testing/oracles/gate-cases.ts'

/** Primes that divide no size of the table, so that a stride meets every value of every fact beside every other. */
const OPEN_STRIDE = process.env.ONBOOK_EVERY_CASE ? 1 : 29
const CLOSED_STRIDE = 4001
const start = Math.floor(Math.random() * OPEN_STRIDE)

function walk(from: number, to: number, stride: number): void {
  for (let number = from; number < to; number += stride) {
    const found = disagreementAt(number)
    if (found !== null) expect.fail(found)
  }
}

it(`situations of a call that is well-formed, visible, bound and granted are judged as the tables say, from ${start}, one in ${OPEN_STRIDE}`, () => {
  walk(start, OPEN_CASES, OPEN_STRIDE)
})

it(`of the others, one in ${CLOSED_STRIDE}`, () => {
  walk(OPEN_CASES + start, GATE_CASES, CLOSED_STRIDE)
})
