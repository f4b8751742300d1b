// How many passed and failed, and what every test job prints at its end: the failures again, by name, then one line.
// @ts-check

/** @typedef {{ passed: number, failed: number, failures?: readonly string[] }} Tally */

/** @param {readonly Tally[]} tallies @returns {Tally} */
export const add = (...tallies) => ({
  passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
  failed: tallies.reduce((sum, tally) => sum + tally.failed, 0),
  failures: tallies.flatMap(tally => tally.failures ?? []),
})

/** @param {Tally} tally @returns {number} the exit code */
export function close({ passed, failed, failures = [] }) {
  for (const failure of failures) console.log(`FAILED ${failure}`)
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
