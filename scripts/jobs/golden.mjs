// `npm run golden`: writes golden files and snapshots anew. A person reviews the difference; CI never runs this.
// @ts-check
import { refuse } from '../setup/refuse.mjs'
import { close } from './tally.mjs'
import { runVitest } from './vitest.mjs'

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args }) {
  if (process.env.CI === 'true') throw refuse('Golden files are not rewritten in CI.')
  return close(await runVitest(root, { args: ['-u', ...args], env: { ...process.env, ONBOOK_GOLDEN: '1' } }))
}
