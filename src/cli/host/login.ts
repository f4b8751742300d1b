// onbook host login URL, onbook host logout URL: stores the key of a host for this user, so that no command line shows it.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { readKeyText } from '../../core/access/keys.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { hostTimeout } from './host-timeout.ts'
import { keysFile, storedKey, storeKey } from './stored-keys.ts'
import { withoutSlash } from './which-host.ts'

interface SignedIn {
  readonly keyId: string
  readonly tenant: string
  readonly scopes: readonly string[]
}

export async function login(input: Input): Promise<number> {
  const url = urlOf(input)
  const key = (process.stdin.isTTY ? await typedKey(url) : await text(process.stdin)).trim()
  if (readKeyText(key) === null)
    throw new Fault('usage_invalid', { problem: 'this is not a key: it begins with onbook_, as "onbook key create" printed it' })
  const { keyId, tenant, scopes } = await askedHost(url, key, hostTimeout(input))
  await storeKey(url, key)
  if (input.json) printJson({ url, keyId, tenant, scopes })
  else process.stdout.write(visible(`Signed in to ${url} with key ${keyId} of tenant ${tenant}. The key is in ${keysFile()}.`).concat('\n'))
  return 0
}

export async function logout(input: Input): Promise<number> {
  const url = urlOf(input)
  const known = storedKey(url) !== undefined
  if (known) await storeKey(url, null)
  if (input.json) printJson({ url, removed: known })
  else process.stdout.write(visible(known ? `Signed out of ${url}.` : `There is no key for ${url}.`).concat('\n'))
  return 0
}

function urlOf({ host }: Input): string {
  const given = String(host)
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new Fault('usage_invalid', { problem: `"${given}" is not the URL of a host, such as https://onbook.example` })
  return withoutSlash(given)
}

/** Reads the key without echo. */
async function typedKey(url: string): Promise<string> {
  process.stderr.write(`Key for ${visible(url)}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

async function askedHost(url: string, key: string, timeoutMs: number): Promise<SignedIn> {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/v1/sign-in`, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new Fault('usage_invalid', { problem: `${url} does not answer: ${reasonOf((error as Error).cause ?? error)}` })
  })
  if (answer.status === 401)
    throw new Fault('usage_invalid', { problem: `${url} does not accept this key: it is revoked, expired or of another host` })
  if (!answer.ok) throw new Fault('usage_invalid', { problem: `${url} answered ${answer.status}: is it a host of Onbook?` })
  return (await answer.json()) as SignedIn
}
