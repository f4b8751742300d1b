// onbook key login: creates another link to sign in with.
import { folderOf, readText } from '../../book/record-folder.ts'
import { keyPath, livingHost } from '../../book/running-host.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { printJson } from '../terminal.ts'
import { hostAnswer } from './host-pages.ts'
import { hostTimeout } from './host-timeout.ts'

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
