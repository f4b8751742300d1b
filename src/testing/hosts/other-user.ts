// Runs the product as another user, for tests that root may not pass by being root. The checkout may be in a folder that only root may enter,
// so the other user gets a copy of the product in a place it can reach.
import { chmodSync, cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** The user without rights of its own, when the tests run as root; null when the tests already run without them. */
export const OTHER_USER: number | null = isRoot ? NOBODY : null

/**
 * Arguments for node that give up root's rights before anything of the product is loaded.
 * The process starts as root, because node itself may be in a folder that only root may enter.
 */
export const asUser = (uid: number | null): readonly string[] =>
  uid === null ? [] : ['--import', `data:text/javascript,${dropRights(uid)}`]

/** A worker thread gets the same arguments, has the user of its process already, and may not change it. */
const dropRights = (uid: number) =>
  `if(process.getuid()===0){process.setgroups([]);process.setgid(${uid});process.setuid(${uid});process.env.HOME='${tmpdir()}'}`

let copy: string | null = null

/** A folder that every user may read, with the bundled product and the packages that it loads at run time. */
export function reachableProduct(): string {
  if (copy !== null) return copy
  const folder = mkdtempSync(join(tmpdir(), 'onbook-product-'))
  chmodSync(folder, 0o755)
  const platform = `${process.platform}-${process.arch}`
  for (const path of ['package.json', 'bin', 'scaffold', 'schemas', 'dist/bundle', 'node_modules/node-gyp-build'])
    cpSync(resolve(path), join(folder, path), { recursive: true })
  for (const path of ['package.json', 'dist', `prebuilds/${platform}`]) {
    const driver = join('node_modules/@photostructure/sqlite', path)
    cpSync(resolve(driver), join(folder, driver), { recursive: true })
  }
  copy = folder
  return folder
}
