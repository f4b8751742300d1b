// `npm run test:deep`: the long fuzz, crash and kill loops, then the normal tests in clones of strangers, under a second Node.
// @ts-check
import { secondNode } from './second-node.mjs'
import { testAsStrangers } from './strangers.mjs'
import { add, close } from './tally.mjs'
import { runVitest } from './vitest.mjs'

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args }) {
  const deep = await runVitest(root, { args: ['-c', 'vitest.deep.config.ts', ...args] })
  if (args.length > 0) return close(deep)
  return close(add(deep, await testAsStrangers(root, (await secondNode(root)) ?? process.execPath)))
}
