// `npm run test:deep`: the long fuzz, crash and kill loops, then the normal tests under a second Node.
// @ts-check
import { delimiter, dirname } from 'node:path'
import { secondNode } from './second-node.mjs'
import { add, close } from './tally.mjs'
import { runVitest } from './vitest.mjs'

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args }) {
  const deep = await runVitest(root, { args: ['-c', 'vitest.deep.config.ts', ...args] })
  if (args.length > 0) return close(deep)

  const node = await secondNode(root)
  if (node === null) return close(deep)
  // Tests that start "node" by name get the same one.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  return close(add(deep, await runVitest(root, { node, env })))
}
