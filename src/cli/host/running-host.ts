// Which host runs on a folder, and the key for whoever can read the folder. Both lie beside the record.
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwnProcess, isSameProcess, ownIdentity, type ProcessIdentity } from '../../adapters/process-identity.ts'
import { randomness } from '../../book/product-store.ts'
import { folderOf, readText, tenantOf } from '../../book/record-folder.ts'
import { HOST_ACTOR, SCOPES } from '../../core/access/keys.ts'
import { createKey } from '../../engine/access.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { printJson } from '../terminal.ts'
import { hostAnswer } from './host-pages.ts'
import { hostTimeout } from './host-timeout.ts'

const OWNER_ONLY = { mode: 0o600, flush: true }
export const keyPath = (input: Input): string => join(folderOf(input), 'local.key')
const hostPath = (input: Input): string => join(folderOf(input), 'host.json')

/** Made once, readable by its owner alone. */
export async function localKey(store: Store, input: Input): Promise<{ readonly path: string; readonly key: string }> {
  const path = keyPath(input)
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (found !== '') return { path, key: found }
  const { key } = await createKey(store, randomness, { tenant: tenantOf(input), scopes: SCOPES, workspaces: ['*'], actor: HOST_ACTOR })
  await writeFile(path, `${key}\n`, OWNER_ONLY)
  return { path, key }
}

interface NotedHost extends ProcessIdentity {
  readonly url: string
}

/** For commands that look for the host: where it is. The last one that started is the one that is found. */
export async function noteRunning(input: Input, url: string): Promise<void> {
  const noted: NotedHost = { url, ...ownIdentity() }
  // An existing file would keep its mode.
  await rm(hostPath(input), { force: true })
  await writeFile(hostPath(input), `${JSON.stringify(noted)}\n`, OWNER_ONLY)
}

export async function noteStopped(input: Input): Promise<void> {
  if (readNote(input)?.pid === process.pid) await rm(hostPath(input), { force: true })
}

/** Null when there is no note, or one that a host of this user did not write. A checked-out or unpacked file could name any address. */
function readNote(input: Input): NotedHost | null {
  const path = hostPath(input)
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
export function livingHost(input: Input): { readonly url: string; readonly pid: number } | null {
  const noted = readNote(input)
  if (noted === null || noted.pid === process.pid) return null
  const isNamed = noted.started !== null || process.platform !== 'linux'
  return isNamed && isSameProcess(noted) && isOwnProcess(noted.pid) ? noted : null
}

/** onbook keys login: another link to sign in with. */
export async function printLoginLink(input: Input): Promise<void> {
  const { loginUrl, expiresAt } = await loginLink(input)
  if (input.json) printJson({ loginUrl, expiresAt })
  else process.stdout.write(`${loginUrl}\nIt works once, until ${expiresAt}.\n`)
}

export async function loginLink(input: Input): Promise<{ readonly loginUrl: string; readonly expiresAt: string }> {
  const url = typeof input.url === 'string' ? input.url.replace(/\/+$/, '') : livingHost(input)?.url
  if (url === undefined) throw new Fault('host_absent', { where: folderOf(input), reason: 'none has said that it runs on this folder' })
  const key = (await readText(keyPath(input))).trim()
  const answer = await hostAnswer({ url, key, timeoutMs: hostTimeout(input) }, '/v1/login-tokens', { method: 'POST' })
  if (answer.status !== 201) throw new Fault('host_absent', { where: url, reason: `what is there answered ${answer.status}` })
  const { path, expiresAt } = (await answer.json()) as { readonly path: string; readonly expiresAt: string }
  return { loginUrl: `${url}${path}`, expiresAt }
}
