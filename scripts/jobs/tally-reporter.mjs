// A vitest reporter that writes how many tests passed, and which failed, to the file named by ONBOOK_TALLY, and prints nothing.
// @ts-check
import { writeFileSync } from 'node:fs'

/** @typedef {import('vitest/node').Reporter} Reporter */

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default class TallyReporter {
  /** @type {NonNullable<Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const passed = tests.filter(test => test.result().state === 'passed').length
    const failures = [...tests.flatMap(failureOf), ...modules.flatMap(broken), ...errors.map(error => error.message)]
    writeFileSync(process.env.ONBOOK_TALLY ?? '', JSON.stringify({ passed, failed: failures.length, failures }))
  }
}

/** @param {import('vitest/node').TestCase} test @returns {string[]} */
function failureOf(test) {
  const result = test.result()
  if (result.state !== 'failed') return []
  return [`${test.module.relativeModuleId} > ${test.fullName}\n    ${result.errors[0]?.message ?? ''}`]
}

/**
 * A file that does not load, or a hook that fails, is a failure without a test.
 * @param {import('vitest/node').TestModule} module
 * @returns {string[]}
 */
function broken(module) {
  if (module.state() !== 'failed' || [...module.children.allTests('failed')].length > 0) return []
  return [`${module.relativeModuleId}\n    ${module.errors()[0]?.message ?? 'a hook failed'}`]
}
