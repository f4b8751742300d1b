// Checks the form of a path from a model, before any access to the disk. The code that opens the path checks where it leads.

import { shown } from '../../core/resolve/prompt-ref.ts'
import { Fault } from '../../errors.ts'

/** The limits of file systems, in bytes. */
const MOST_NAME = 255
const MOST_PATH = 4096
/** Deeper folders are no trouble to make, and some to get rid of. */
const MOST_PARTS = 64

/** The names it goes through, from the root of the repo; none for the root itself. */
export function partsOf(path: string): readonly string[] {
  const invalid = (problem: string): Fault => new Fault('repo_path_invalid', { path: shown(path), problem })
  if (path === '') throw invalid('it is empty')
  if (/[\p{Cc}\p{Cs}\\]/u.test(path)) throw invalid('it holds a backslash, a control character or half a surrogate pair')
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  if (/^(?:\/|[A-Za-z]:)/.test(path) || parts.includes('..')) throw new Fault('repo_path_outside', { path: shown(path) })
  if (Buffer.byteLength(path) > MOST_PATH || parts.some(part => Buffer.byteLength(part) > MOST_NAME)) throw invalid('it is too long')
  if (parts.length > MOST_PARTS) throw invalid(`it goes through more than ${MOST_PARTS} folders`)
  return parts
}

/** Some disks drop these from names, or treat the text after a colon as a part of the file. */
const UNSTEADY = /[. ]$|:|\p{Default_Ignorable_Code_Point}/u

/** A path to change must have one name on every disk: another spelling could be a file that was not judged. */
export function steadyPartsOf(path: string): readonly string[] {
  const parts = partsOf(path)
  const unsteady = parts.find(part => UNSTEADY.test(part) || part !== part.normalize('NFC'))
  if (unsteady === undefined) return parts
  throw new Fault('repo_path_invalid', {
    path: shown(path),
    problem: `"${shown(unsteady)}" is another name on other disks; use one in Unicode NFC, without colons, invisible characters, or a dot or blank at its end`,
  })
}

/** One spelling for all that some disk takes for the same name. */
export const folded = (part: string): string =>
  part
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
