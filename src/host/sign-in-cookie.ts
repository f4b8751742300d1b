// The cookie of whoever signed in. Its name has the port in it: cookies do not, and two hosts on one machine must not sign each other out.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SIGN_IN_MS } from './login.ts'

const nameOn = ({ socket }: FastifyRequest): string => `onbook_${socket.localPort}`

export function signInIdOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers
  return cookie === undefined ? null : (request.server.parseCookie(cookie)[nameOn(request)] ?? null)
}

/** @param id null to take it away */
export function sendSignInCookie(request: FastifyRequest, reply: FastifyReply, id: string | null): void {
  const cookie = request.server.serializeCookie(nameOn(request), id ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    maxAge: id === null ? 0 : SIGN_IN_MS / 1_000,
    // Behind a proxy that speaks TLS only the page knows how we are reached; where it comes from has been checked.
    secure: request.headers.origin?.startsWith('https://') ?? false,
  })
  reply.header('set-cookie', cookie)
}
