// `npx onbook` in the project itself: npm links the commands of dependencies, not our own.
// @ts-check
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const WINDOWS = process.platform === 'win32'
const LINK = join('node_modules', '.bin', WINDOWS ? 'onbook.cmd' : 'onbook')

/** @param {string} root */
export const isLinked = root => existsSync(join(root, LINK))

/** @param {string} root */
export function link(root) {
  const path = join(root, LINK)
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  if (WINDOWS) writeFileSync(path, '@node "%~dp0\\..\\..\\bin\\onbook.mjs" %*\r\n')
  else symlinkSync('../../bin/onbook.mjs', path)
}
