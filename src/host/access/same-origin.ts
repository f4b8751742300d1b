// Protects a local host against web pages of other origins: the Host header and the Origin must be ours.
import type { FastifyRequest } from 'fastify'
import { Fault } from '../../errors.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

interface Names {
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

/** @param hosts further names of this host, with port */
export function originChecker(hosts: readonly string[]): (request: FastifyRequest) => void {
  const byPort = new Map<number | undefined, Names>()
  const namesOn = (port: number | undefined): Names => {
    const names = [
      ...LOOPBACK.flatMap(name => [`${name}:${port}`, ...(port === 80 ? [name] : [])]),
      ...hosts.map(name => name.toLowerCase()),
    ]
    const known = { hosts: new Set(names), origins: new Set(names.flatMap(name => [`http://${name}`, `https://${name}`])) }
    byPort.set(port, known)
    return known
  }

  return ({ url, headers: { host: named, origin }, socket: { localPort } }) => {
    const host = url.startsWith('/') ? named : hostOf(url)
    const ours = byPort.get(localPort) ?? namesOn(localPort)
    if (host === undefined || !ours.hosts.has(host.toLowerCase()))
      throw new Fault('host_unknown', { host: String(host ?? '').slice(0, 200) })
    if (origin !== undefined && !ours.origins.has(origin)) throw new Fault('origin_foreign', { origin: origin.slice(0, 200) })
  }
}

/** In a request with an absolute URL, the URL's host counts, not the header. RFC 9112, section 3.2.2. */
const hostOf = (url: string): string | undefined => /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]

/**
 * A browser adds the cookie to requests of any page, and pages on other ports of this machine count as same-site. So only our own pages may use it.
 */
export function checkOwnPage({ method, headers }: FastifyRequest): void {
  const { host, origin } = headers
  const site = headers['sec-fetch-site']
  const own = origin === `http://${host}` || origin === `https://${host}`
  const reads = method === 'GET' || method === 'HEAD'
  const fine = site === 'same-origin' || (site === undefined && (own || (reads && origin === undefined))) || (site === 'none' && reads)
  if (!fine) throw new Fault('origin_foreign', { origin: String(origin ?? site ?? 'no name').slice(0, 200) })
}
