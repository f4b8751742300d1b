// Decides where the host may listen. Beyond this machine only with an operator key and configured names.
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'

export interface Binding {
  readonly address: string
  /** Names of the host, with port, beside those of this machine. */
  readonly hosts: readonly string[]
  /** The URL that people open; null for the address where it listens. */
  readonly publicUrl: string | null
}

const LOCAL = '127.0.0.1'
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/i

export function bindingOf({ host = LOCAL, publicUrl, allowHost = [] }: Input): Binding {
  const url = publicUrl === undefined ? null : readPublicUrl(String(publicUrl))
  const given = allowHost as readonly string[]
  const wrong = given.find(name => !HOST_NAME.test(name))
  if (wrong !== undefined)
    throw new Fault('usage_invalid', {
      problem: `--allow-host must be a name such as onbook.example or onbook.example:8080, not "${wrong}"`,
    })
  return { address: String(host), hosts: [...given, ...(url === null ? [] : [url.host])], publicUrl: url?.origin ?? null }
}

function readPublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new Fault('usage_invalid', { problem: `--public-url must be such as https://onbook.example, not "${text}"` })
  return url
}

export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address)

/** Why the host must not listen there; null when it may. */
export function bindProblem({ address, hosts }: Binding, hasOperatorKey: boolean): string | null {
  if (isLoopback(address)) return null
  if (hosts.length === 0) return 'others could reach it, and it does not know by which name. Say so with --public-url or --allow-host'
  if (!hasOperatorKey)
    return 'other machines could reach it, and the only key is the one of this machine. Create a key for its users with "onbook key create"'
  return null
}
