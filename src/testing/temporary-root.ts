// One folder for everything that the tests leave behind: made before the first of them, removed after the last.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function setup(): () => void {
  const root = mkdtempSync(join(tmpdir(), 'onbook-tests-'))
  // Some tests run the product as another user, which makes temporary files of its own: the folder has the mode of /tmp.
  chmodSync(root, 0o1777)
  process.env.TMPDIR = root
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}
