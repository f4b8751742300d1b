// node_modules, exactly as the lockfile says. Stale when the lockfile, a manifest, Node or the machine changed.
// @ts-check
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { phase } from './phase.mjs'
import { hashOf, readStamp, removeStamp, writeStamp } from './stamp.mjs'

const STAMP = 'installed'
const FILES = ['package-lock.json', 'package.json', 'web/package.json', '.npmrc']

/** @param {string} root */
export const installStamp = root => hashOf([process.version, process.platform, process.arch], root, FILES)

/** @param {string} root */
export const isInstalled = root => existsSync(join(root, 'node_modules')) && readStamp(root, STAMP) === installStamp(root)

/** @param {string} root @param {boolean} verbose */
export async function install(root, verbose) {
  const stamp = installStamp(root)
  removeStamp(root, STAMP)
  // Tests put their own program here. Windows starts npm through a shell only.
  const npm = process.env.ONBOOK_SETUP_NPM ?? 'npm'
  const shell = process.platform === 'win32'
  // Development packages also where NODE_ENV says production: set-up is for working on the project.
  await phase('Installing packages', npm, ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: root, verbose, shell })
  writeStamp(root, STAMP, stamp)
}
