// Signing in and out: a key creates a link, the link creates a sign-in, and the sign-in has the rights of its key.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { type Principal, principalOfKey } from '../../engine/access/access.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Store } from '../../ports.ts'
import { CLOSED, nullable } from '../../wire/onbook/schema-parts.ts'
import type { Access } from '../access/access.ts'
import type { Audit } from '../access/audit.ts'
import type { Login } from '../access/login.ts'
import { sendSignInCookie, signInIdOf } from '../access/sign-in-cookie.ts'
import { answers, createdAnswers, emptyAnswers } from './answers.ts'
import { homePage, loginPage, type Page } from './pages.ts'

const NO_STORE = 'no-store'

const signInBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, CLOSED)
const tokenAnswer = Type.Object({ token: Type.String(), path: Type.String(), expiresAt: Type.String() }, CLOSED)
const signInAnswer = Type.Object(
  {
    keyId: Type.String(),
    tenant: Type.String(),
    scopes: Type.Array(Type.String()),
    expiresAt: nullable(Type.String()),
  },
  CLOSED,
)

export interface SignInParts {
  readonly store: Store
  readonly clock: Clock
  readonly login: Login
  readonly access: Access
  readonly audit: Audit
  readonly version: string
}

/** Routes without authentication. */
export function openRoutes(app: FastifyInstance, { store, clock, login, access, audit, version }: SignInParts): void {
  app.post<{ Body: Static<typeof signInBody> }>(
    '/v1/sign-in',
    {
      schema: { operationId: 'signIn', body: signInBody, security: [], response: answers(signInAnswer, 'Signed in; the cookie says so.') },
    },
    async (request, reply) => {
      const signIn = login.redeem(request.body.token)
      const principal = signIn === null ? null : await principalOfKey(store, clock, signIn.keyId)
      if (signIn === null || principal === null) {
        access.fail(request)
        throw new Fault('login_token_invalid', {})
      }
      await audit.signedIn(signIn.keyId, request.ip)
      sendSignInCookie(request, reply, signIn.id)
      return reply.header('cache-control', NO_STORE).send(shownOf(principal, signIn.expiresAt))
    },
  )

  const show = (path: string, page: (signedIn: boolean) => Page) =>
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const { html, policy } = page((await access.recognise(request).catch(() => null)) !== null)
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', NO_STORE)
        .header('referrer-policy', 'no-referrer')
        .header('x-content-type-options', 'nosniff')
        .header('x-frame-options', 'DENY')
        .send(html)
    })
  show('/login', () => loginPage)
  show('/', signedIn => homePage(version, signedIn))
}

const shownOf = ({ keyId, tenant, scopes }: Principal, expiresAt: string | null) => ({ keyId, tenant, scopes, expiresAt })

/** Routes for authenticated callers. */
export function signInRoutes(app: FastifyInstance, { login, audit }: SignInParts): void {
  app.post(
    '/v1/login-tokens',
    { schema: { operationId: 'createLoginToken', response: createdAnswers(tokenAnswer, 'A link that works once.') } },
    async (request, reply) => {
      // A sign-in cannot create another link: otherwise it would never expire.
      if (request.headers.authorization === undefined) throw new Fault('unauthenticated', {})
      const { token, expiresAt } = login.issue(request.principal!.keyId)
      return reply
        .code(201)
        .header('cache-control', NO_STORE)
        .send({ token, path: `/login#${token}`, expiresAt })
    },
  )

  app.get(
    '/v1/sign-in',
    { schema: { operationId: 'getSignIn', response: answers(signInAnswer, 'Who is asking.') } },
    async (request, reply) => {
      const id = signInIdOf(request)
      const expiresAt = (id === null ? null : login.find(id))?.expiresAt ?? null
      return reply.header('cache-control', NO_STORE).send(shownOf(request.principal!, expiresAt))
    },
  )

  app.delete('/v1/sign-in', { schema: { operationId: 'signOut', response: emptyAnswers('Signed out.') } }, async (request, reply) => {
    const id = signInIdOf(request)
    if (id !== null && login.find(id)?.keyId === request.principal!.keyId) {
      login.end(id)
      await audit.signedOut(request.principal!.keyId)
    }
    sendSignInCookie(request, reply, null)
    return reply.code(204).send()
  })
}
