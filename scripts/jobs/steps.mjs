// Checks that are one program each. Two at a time; what a program says is shown only when it fails.
// @ts-check
import { seconds } from '../setup/phase.mjs'
import { run } from '../setup/run.mjs'

/** @typedef {{ name: string, script: string, args: readonly string[] }} Step */

const AT_ONCE = 2

/** @param {string} root @param {readonly Step[]} steps @returns {Promise<import('./tally.mjs').Tally>} */
export async function runSteps(root, steps) {
  const waiting = [...steps]
  const tally = { passed: 0, failed: 0 }
  // The programs write to us and not to a terminal; whether there is one behind us, only we know.
  const env = { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { FORCE_COLOR: '0', NO_COLOR: '1' }) }

  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const began = performance.now()
      const { code, output } = await run(process.execPath, [step.script, ...step.args], { cwd: root, env, capture: true })
      tally[code === 0 ? 'passed' : 'failed']++
      const line = `${code === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(8)} ${seconds(performance.now() - began)}`
      console.log(code === 0 ? line : `${line}\n${output.trimEnd()}\n`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return tally
}
