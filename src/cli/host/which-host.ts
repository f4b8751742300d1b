// Finds the host that a command uses: the named one, or the one that runs on the folder. Null for the folder itself.

import { readText } from '../../book/record-folder.ts'
import { keyPath, livingHost } from '../../book/running-host.ts'
import { ClientError } from '../../client/index.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { hostTimeout } from './host-timeout.ts'
import { storedKey } from './stored-keys.ts'

export interface WhichHost {
  readonly url: string
  readonly key: string
  /** The time limit for one answer. */
  readonly timeoutMs: number
}

export async function hostFor(input: Input): Promise<WhichHost | null> {
  const living = livingHost(input)?.url
  const timeoutMs = hostTimeout(input)
  const url = urlOf(input) ?? (input.tenant === undefined ? living : undefined)
  if (url === undefined) return null
  if (input.actor !== undefined)
    throw new Fault('usage_invalid', { problem: `The host at ${url} records the owner of the key as the actor: leave out --actor` })
  const key = keyFor(url, input) ?? storedKey(url)
  if (key !== undefined) return { url, key, timeoutMs }
  // The key of this folder is only sent to the host of this folder.
  if (url !== living)
    throw new Fault('usage_invalid', {
      problem: `Name the key that opens ${url} with --key or ONBOOK_KEY, or sign in: onbook host login ${url}`,
    })
  return { url, key: (await readText(keyPath(input))).trim(), timeoutMs }
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Whether an option or the environment names a host. */
export const isHostNamed = (input: Input): boolean => urlOf(input) !== undefined

/** A folder or tenant in an option overrides the environment. */
function urlOf({ url, data, tenant }: Input): string | undefined {
  if (typeof url === 'string') return withoutSlash(url)
  const { ONBOOK_URL: fallback = '' } = process.env
  return fallback === '' || data !== undefined || tenant !== undefined ? undefined : withoutSlash(fallback)
}

/** Where the environment names a host, its key is only for that host: no other host receives it. */
function keyFor(url: string, { key, url: named }: Input): string | undefined {
  if (typeof key === 'string') return key
  const { ONBOOK_URL: host = '', ONBOOK_KEY: fallback = '' } = process.env
  const isFor = host === '' ? named !== undefined : withoutSlash(host) === url
  return fallback !== '' && isFor ? fallback : undefined
}

/** Always closes the book. Prints a refusal of the host with its own code. */
export async function workAt<D extends { close(): Promise<void> }>(
  open: D,
  input: Input,
  work: (open: D) => Promise<number>,
): Promise<number> {
  try {
    return await work(open)
  } catch (error) {
    if (error instanceof ClientError && error.code === 'time_limit_reached') throw silent(input)
    if (error instanceof ClientError) return explain(error, input)
    throw error
  } finally {
    await open.close()
  }
}

const silent = (input: Input): Fault =>
  new Fault('host_silent', { where: String(input.url ?? livingHost(input)?.url ?? 'this folder'), seconds: hostTimeout(input) / 1_000 })

function explain({ code, message, details, status }: ClientError, input: Input): number {
  const url = urlOf(input)
  const isOld = code === 'unauthenticated' && url !== undefined && keyFor(url, input) === undefined && storedKey(url) !== undefined
  const said = isOld ? `The key that is kept for ${url} no longer works. Sign in again: onbook host login ${url}` : message
  if (input.json) printJson({ error: code, message: said, details })
  else process.stderr.write(`onbook: ${visible(said)}${status === null ? ' Is it running? See "onbook host serve".' : ''}\n`)
  return 2
}
