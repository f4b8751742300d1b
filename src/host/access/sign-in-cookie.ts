// The cookie of whoever signed in. Its name has the port in it: cookies do not, and two hosts on one machine must not sign each other out.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SIGN_IN_MS } from './login.ts'

const nameOn = ({ socket }: FastifyRequest): string => `onbook_${socket.localPort}`

/** Its value is one of our own ids, so it holds nothing that a cookie has to escape. */
export function signInIdOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers
  const start = `${nameOn(request)}=`
  const pair = cookie?.split(';').find(one => one.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) ?? null
}

/** @param id null to take it away */
export function sendSignInCookie(request: FastifyRequest, reply: FastifyReply, id: string | null): void {
  const maxAge = id === null ? 0 : SIGN_IN_MS / 1_000
  // Behind a proxy that speaks TLS only the page knows how we are reached; where it comes from has been checked.
  const secure = (request.headers.origin?.startsWith('https://') ?? false) ? '; Secure' : ''
  reply.header('set-cookie', `${nameOn(request)}=${id ?? ''}; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Strict`)
}
