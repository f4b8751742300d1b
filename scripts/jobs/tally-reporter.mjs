// A vitest reporter that writes how many tests passed and failed to the file named by ONBOOK_TALLY, and prints nothing.
// @ts-check
import { writeFileSync } from 'node:fs'

/** @typedef {import('vitest/node').Reporter} Reporter */

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default class TallyReporter {
  /** @type {NonNullable<Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const passed = tests.filter(test => test.result().state === 'passed').length
    const failed = tests.filter(test => test.result().state === 'failed').length
    // A file that does not load, or a hook that fails, is a failure without a test.
    const broken = modules.filter(module => module.state() === 'failed' && ![...module.children.allTests('failed')].length).length
    writeFileSync(process.env.ONBOOK_TALLY ?? '', JSON.stringify({ passed, failed: failed + broken + errors.length }))
  }
}
