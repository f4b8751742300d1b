// One run of vitest, counted. Its own report is streamed; the numbers come from a reporter beside it.
// @ts-check
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../setup/run.mjs'

/**
 * @param {string} root
 * @param {{ args?: readonly string[], node?: string, env?: NodeJS.ProcessEnv, user?: { uid: number, gid: number } | null }} [options]
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runVitest(root, { args = [], node = process.execPath, env = process.env, user = null } = {}) {
  const path = join(root, '.setup', `tally-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=./scripts/jobs/tally-reporter.mjs']
  const program = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args]
  const { code } = await run(node, program, { cwd: root, env: { ...env, ONBOOK_TALLY: path }, user })
  const tally = readTally(path)
  rmSync(path, { force: true })
  // Something outside any test went wrong: vitest did not start, or found no tests.
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

/** @param {string} path @returns {import('./tally.mjs').Tally} */
function readTally(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
}
