// The commit that a command is called in, for the record.
import { execFileSync } from 'node:child_process'

/** The commit that is checked out in this folder; null outside a checkout, and without git. */
export function commitHere(): string | null {
  try {
    const id = execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    return /^[0-9a-f]{40,64}$/.test(id) ? id : null
  } catch {
    return null
  }
}
