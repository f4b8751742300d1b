// Stamps say what was finished, and from what. Removed before work starts and written last, so that a broken-off run leaves none.
// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string} root @param {string} name @returns {string | null} */
export const readStamp = (root, name) => readOrNull(join(root, '.setup', name))?.toString() ?? null

/** @param {string} root @param {string} name */
export const removeStamp = (root, name) => rmSync(join(root, '.setup', name), { force: true })

/** @param {string} root @param {string} name @param {string} stamp */
export function writeStamp(root, name, stamp) {
  const path = join(root, '.setup', name)
  writeFileSync(`${path}.writing`, stamp)
  renameSync(`${path}.writing`, path)
}

/**
 * One hash over words and files. A missing file counts as such, so that adding one changes the hash.
 * @param {readonly string[]} words
 * @param {string} root
 * @param {readonly string[]} files
 */
export function hashOf(words, root, files) {
  const hash = createHash('sha256')
  for (const word of words) hash.update(`${word}\0`)
  for (const file of files) {
    const bytes = readOrNull(join(root, file))
    hash.update(`${file}\0${bytes === null ? 'missing' : bytes.length}\0`)
    if (bytes !== null) hash.update(bytes)
  }
  return hash.digest('hex')
}

/** @param {string} path */
function readOrNull(path) {
  try {
    return readFileSync(path)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
    throw error
  }
}
