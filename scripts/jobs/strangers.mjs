// The two commands of the README in clones of strangers: an ordinary user's, and one in a folder that only root may enter.
// @ts-check
import { delimiter, dirname, join, relative } from 'node:path'
import { run } from '../setup/run.mjs'
import { strangerClone } from './stranger-clone.mjs'
import { add } from './tally.mjs'
import { runVitest } from './vitest.mjs'

/** The suites that start processes of another user. */
const OTHER_USERS = ['src/adapters/sqlite-store/faults.test.ts']

/**
 * @param {string} root
 * @param {string} node the node that runs all tests in the ordinary user's clone
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function testAsStrangers(root, node) {
  const tallies = [await asOrdinaryUser(root, node)]
  if (process.getuid?.() === 0) tallies.push(await asRootInPrivate(root))
  return add(...tallies)
}

/** @param {string} root @param {string} node */
async function asOrdinaryUser(root, node) {
  const clone = strangerClone(root, 'ordinary')
  try {
    const started = await npm(clone, ['start', '--', '--no-serve'])
    // Tests that start "node" by name get the same one.
    const inside = node.startsWith(root) ? join(clone.root, relative(root, node)) : node
    const env = { ...clone.env, ONBOOK_READY: clone.root, PATH: `${dirname(inside)}${delimiter}${process.env.PATH ?? ''}` }
    return add(started, await runVitest(clone.root, { node: inside, env, user: clone.user }))
  } finally {
    clone.remove()
  }
}

/** @param {string} root */
async function asRootInPrivate(root) {
  const clone = strangerClone(root, 'same')
  try {
    return await npm(clone, ['test', '--', ...OTHER_USERS])
  } finally {
    clone.remove()
  }
}

/** @param {import('./stranger-clone.mjs').Clone} clone @param {readonly string[]} args */
async function npm(clone, args) {
  const { code, output } = await run('npm', args, { cwd: clone.root, env: clone.env, user: clone.user, capture: true })
  if (code === 0) return { passed: 1, failed: 0 }
  console.log(output)
  return { passed: 0, failed: 1, failures: [`npm ${args.join(' ')} in ${clone.root} ended with ${code}`] }
}
