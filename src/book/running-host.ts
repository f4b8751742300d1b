// Finds the host that runs on a folder, and the key for users who can read the folder. Both files are beside the record.
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwnProcess, isSameProcess, ownIdentity, type ProcessIdentity } from '../adapters/processes/process-identity.ts'
import { HOST_ACTOR, SCOPES } from '../core/access/keys.ts'
import { createKey } from '../engine/access/access.ts'
import type { Store } from '../ports.ts'
import { randomness } from './product-store.ts'
import { folderOf, tenantOf } from './record-folder.ts'
import type { Settings } from './settings.ts'

const OWNER_ONLY = { mode: 0o600, flush: true }
export const keyPath = (settings: Settings): string => join(folderOf(settings), 'local.key')
const hostPath = (settings: Settings): string => join(folderOf(settings), 'host.json')

/** Made once, readable by its owner alone. */
export async function localKey(store: Store, settings: Settings): Promise<{ readonly path: string; readonly key: string }> {
  const path = keyPath(settings)
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (found !== '') return { path, key: found }
  const { key } = await createKey(store, randomness, { tenant: tenantOf(settings), scopes: SCOPES, workspaces: ['*'], actor: HOST_ACTOR })
  await writeFile(path, `${key}\n`, OWNER_ONLY)
  return { path, key }
}

interface NotedHost extends ProcessIdentity {
  readonly url: string
}

/** For commands that look for the host: where it is. The last one that started is the one that is found. */
export async function noteRunning(settings: Settings, url: string): Promise<void> {
  const noted: NotedHost = { url, ...ownIdentity() }
  // An existing file would keep its mode.
  await rm(hostPath(settings), { force: true })
  await writeFile(hostPath(settings), `${JSON.stringify(noted)}\n`, OWNER_ONLY)
}

export async function noteStopped(settings: Settings): Promise<void> {
  if (readNote(settings)?.pid === process.pid) await rm(hostPath(settings), { force: true })
}

/** Null when there is no note, or one that a host of this user did not write. A checked-out or unpacked file could name any address. */
function readNote(settings: Settings): NotedHost | null {
  const path = hostPath(settings)
  try {
    const { mode, uid } = lstatSync(path)
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o7777) !== OWNER_ONLY.mode)) return null
    const { url, pid, started = null } = JSON.parse(readFileSync(path, 'utf8')) as Partial<NotedHost>
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid, started } : null
  } catch {
    return null
  }
}

/** The host that runs on the folder at this moment; null when none does. A host that was killed has left its note, and its number may be reused. */
export function livingHost(settings: Settings): NotedHost | null {
  const noted = readNote(settings)
  if (noted === null || noted.pid === process.pid) return null
  const isNamed = noted.started !== null || process.platform !== 'linux'
  return isNamed && isSameProcess(noted) && isOwnProcess(noted.pid) ? noted : null
}
