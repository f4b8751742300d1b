// Makes the checkout ready: packages, build, links. Does nothing, and takes no lock, when all of it is fresh.
// @ts-check
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, isBuilt } from './build.mjs'
import { install, isInstalled } from './install.mjs'
import { isLinked, link } from './link.mjs'
import { takeLock } from './lock.mjs'

/** @param {string} root @param {boolean} verbose */
export async function prepare(root, verbose) {
  if (process.env.ONBOOK_READY === root) return
  if (isInstalled(root) && isLinked(root) && isBuilt(root)) return

  mkdirSync(join(root, '.setup'), { recursive: true })
  const lock = await takeLock(join(root, '.setup', 'lock'))
  try {
    // Asked again under the lock: the one we waited for has usually done it all.
    if (!isInstalled(root)) await install(root, { verbose, onStart: lock.share })
    if (!isLinked(root)) link(root)
    if (!isBuilt(root)) await build(root, verbose)
  } finally {
    lock.release()
  }
}
