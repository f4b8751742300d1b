// `npm start`: the demo, until Ctrl-C. What follows `npm start --` is for it.
// @ts-check
import { run as spawn } from '../setup/run.mjs'

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args }) {
  return (await spawn(process.execPath, ['bin/onbook.mjs', 'demo', ...args], { cwd: root })).code
}
