// The gate against its model in every situation that gets past policy, and in many of those that do not.
import { expect, it } from 'vitest'
import { disagreementAt, GATE_CASES, OPEN_CASES } from '../../testing/gate-cases.ts'

it('every situation of a call that is well-formed, visible, bound and granted is judged as the tables say', () => {
  for (let number = 0; number < OPEN_CASES; number++) {
    const found = disagreementAt(number)
    if (found !== null) expect.fail(found)
  }
  console.log(`${OPEN_CASES} situations`)
})

it('of the others, one in 211', () => {
  for (let number = OPEN_CASES; number < GATE_CASES; number += 211) {
    const found = disagreementAt(number)
    if (found !== null) expect.fail(found)
  }
})
