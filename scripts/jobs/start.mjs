// `npm start`: checks and tests the example workspace that ships with the project.
// @ts-check
import { run as spawn } from '../setup/run.mjs'

const EXAMPLE = 'examples/newsroom'
const ACTS = [
  { command: 'check', says: 'Is every prompt pack well formed? Variables, schemas, examples, versions.' },
  { command: 'test', says: 'Does each example in the packs come out as promised? The model here is a script, so no key is needed.' },
]

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root }) {
  let worst = 0
  for (const { command, says } of ACTS) {
    console.log(`\nonbook ${command} ${EXAMPLE}\n${says}\n`)
    const { code } = await spawn(process.execPath, ['bin/onbook.mjs', command, EXAMPLE], { cwd: root })
    worst = Math.max(worst, code)
  }
  if (worst === 0) console.log(`\nBoth passed. The packs are YAML files in ${EXAMPLE}: change one and run npm start again.`)
  else console.log('\nSomething did not pass: see above.')
  console.log('Next, a workspace of your own: npx onbook init demo && npx onbook check demo && npx onbook test demo')
  return worst
}
