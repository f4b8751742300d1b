// Which host runs on a folder, and the key for whoever can read the folder. Both lie beside the record.
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../adapters/reasons.ts'
import { HOST_ACTOR, SCOPES } from '../../core/access/keys.ts'
import { createKey } from '../../engine/access.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { folderOf, readText, tenantOf } from '../record/open-record.ts'
import { printJson } from '../terminal.ts'
import { randomness } from './product-store.ts'

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

/** For commands that look for the host: where it is. The last one that started is the one that is found. */
export const noteRunning = (input: Input, url: string): Promise<void> =>
  writeFile(hostPath(input), `${JSON.stringify({ url, pid: process.pid })}\n`, OWNER_ONLY)

export async function noteStopped(input: Input): Promise<void> {
  if (runningHost(input)?.pid === process.pid) await rm(hostPath(input), { force: true })
}

function runningHost(input: Input): { readonly url: string; readonly pid: number } | null {
  try {
    return JSON.parse(readFileSync(hostPath(input), 'utf8')) as { url: string; pid: number }
  } catch {
    return null // none runs, or it is only just starting
  }
}

/** The host that runs on the folder at this moment; null when none does. One that was killed has left its note behind. */
export function livingHost(input: Input): { readonly url: string; readonly pid: number } | null {
  const found = runningHost(input)
  if (found === null || found.pid === process.pid) return null
  try {
    process.kill(found.pid, 0)
    return found
  } catch (error) {
    return codeOf(error) === 'EPERM' ? found : null
  }
}

/** onbook keys login: another link to sign in with. */
export async function printLoginLink(input: Input): Promise<void> {
  const { loginUrl, expiresAt } = await loginLink(input)
  if (input.json) printJson({ loginUrl, expiresAt })
  else process.stdout.write(`${loginUrl}\nIt works once, until ${expiresAt}.\n`)
}

export async function loginLink(input: Input): Promise<{ readonly loginUrl: string; readonly expiresAt: string }> {
  const url = typeof input.url === 'string' ? input.url.replace(/\/+$/, '') : runningHost(input)?.url
  if (url === undefined) throw new Fault('host_absent', { where: folderOf(input), reason: 'none has said that it runs on this folder' })
  const key = (await readText(keyPath(input))).trim()
  const answer = await fetch(`${url}/v1/login-tokens`, { method: 'POST', headers: { authorization: `Bearer ${key}` } }).catch(
    (error: Error) => {
      throw new Fault(
        'host_absent',
        { where: url, reason: String((error.cause as Error | undefined)?.message ?? error.message) },
        { cause: error },
      )
    },
  )
  if (answer.status !== 201) throw new Fault('host_absent', { where: url, reason: `what is there answered ${answer.status}` })
  const { path, expiresAt } = (await answer.json()) as { readonly path: string; readonly expiresAt: string }
  return { loginUrl: `${url}${path}`, expiresAt }
}
