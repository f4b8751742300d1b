// One validator for all tests of a worker: a thread of its own for each would load ajv again, which takes longer than most tests.
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import type { Validator } from '../ports.ts'

let shared: Validator | null = null

/** One validator for all tests of a worker. A test that closes it leaves it open for the next test. */
export function sharedValidator(): Validator {
  shared ??= workerValidator()
  return { ...shared, close: async () => {} }
}
