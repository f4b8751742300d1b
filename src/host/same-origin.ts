// Against pages that make a browser talk to this machine: the name it was called by, and the page that calls, must be ours.
import type { FastifyRequest } from 'fastify'
import { Fault } from '../errors.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** @param hosts further names, with port, that this host is reached by */
export function checkOrigin(request: FastifyRequest, hosts: readonly string[]): void {
  const { host, origin } = request.headers
  const port = request.socket.localPort
  const ours = [...LOOPBACK.flatMap(name => [`${name}:${port}`, ...(port === 80 ? [name] : [])]), ...hosts]
  if (host === undefined || !ours.includes(host.toLowerCase())) throw new Fault('host_unknown', { host: String(host ?? '').slice(0, 200) })
  if (origin !== undefined && !ours.some(name => origin === `http://${name}` || origin === `https://${name}`))
    throw new Fault('origin_foreign', { origin: origin.slice(0, 200) })
}
