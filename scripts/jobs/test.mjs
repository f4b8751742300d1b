// `npm test`: everything that must hold for a change to go in. With arguments only vitest runs, with these arguments.
// @ts-check
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runSteps } from './steps.mjs'
import { add, close } from './tally.mjs'
import { runVitest } from './vitest.mjs'

const STEPS = [
  { name: 'types', script: 'node_modules/typescript/bin/tsc', args: ['-p', 'tsconfig.json'] },
  {
    name: 'biome',
    script: 'node_modules/@biomejs/biome/bin/biome',
    args: ['ci', '.', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`],
  },
  { name: 'publint', script: 'node_modules/publint/src/cli.js', args: ['run', '.', '--pack', 'npm', '--strict'] },
  { name: 'knip', script: 'node_modules/knip/bin/knip.js', args: [] },
  { name: 'docs', script: 'scripts/docs.mjs', args: ['--check'] },
]

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args }) {
  if (args.length > 0) return close(await runVitest(root, { args }))
  const steps = await runSteps(
    root,
    STEPS.filter(step => existsSync(join(root, step.script))),
  )
  return close(add(steps, await runVitest(root)))
}
