// Reads and sends the cookie of a sign-in. Its name contains the port: cookies ignore ports, and two hosts on one machine must not sign each other
// out.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SIGN_IN_MS } from './login.ts'

const nameOn = ({ socket }: FastifyRequest): string => `onbook_${socket.localPort}`

/** The value is one of our own ids, so nothing in it needs unescaping. */
export function signInIdOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers
  const start = `${nameOn(request)}=`
  const pair = cookie?.split(';').find(one => one.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) ?? null
}

/** @param id null to remove the cookie */
export function sendSignInCookie(request: FastifyRequest, reply: FastifyReply, id: string | null): void {
  const maxAge = id === null ? 0 : SIGN_IN_MS / 1_000
  // Behind a TLS proxy the host sees plain HTTP; only the Origin shows https. The origin was checked before.
  const secure = (request.headers.origin?.startsWith('https://') ?? false) ? '; Secure' : ''
  reply.header('set-cookie', `${nameOn(request)}=${id ?? ''}; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Strict`)
}
