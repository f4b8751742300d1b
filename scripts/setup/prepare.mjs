// Makes the checkout ready: packages, build, links. Does nothing when all of it is fresh.
// @ts-check
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, isBuilt } from './build.mjs'
import { install, isInstalled } from './install.mjs'
import { isLinked, link } from './link.mjs'
import { oneAtATime } from './one-at-a-time.mjs'

/** @param {string} root @param {boolean} verbose */
export async function prepare(root, verbose) {
  if (process.env.ONBOOK_READY === root) return
  if (isInstalled(root) && isLinked(root) && isBuilt(root)) return

  mkdirSync(join(root, '.setup'), { recursive: true })
  await oneAtATime(join(root, '.setup', 'busy'), async () => {
    // Checked again: the set-up that this one waited for has usually done it all.
    if (!isInstalled(root)) await install(root, verbose)
    if (!isLinked(root)) link(root)
    if (!isBuilt(root)) await build(root, verbose)
  })
}
