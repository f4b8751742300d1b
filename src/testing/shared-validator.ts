// One validator for all tests of a worker: a thread of its own for each would load ajv again, which takes longer than most tests.
import { workerValidator } from '../adapters/worker-validator.ts'
import type { Validator } from '../ports.ts'

let shared: Validator | null = null

/** It stays open for the next test, whoever closes it. */
export function sharedValidator(): Validator {
  shared ??= workerValidator()
  return { ...shared, close: async () => {} }
}
