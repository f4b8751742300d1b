// Folder: Who may ask what: keys, scopes, workspaces, sign-in, audit.
// Authenticates every request under /v1 by its key, or by the cookie of a sign-in made with a key, and checks scopes.
import type { FastifyRequest, onRequestHookHandler, preValidationAsyncHookHandler } from 'fastify'
import type { Scope } from '../../core/access/keys.ts'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { authenticate, noteUse, type Principal, principalOfKey, provedPrincipal } from '../../engine/access/access.ts'
import { checkWorkspaceId } from '../../engine/access/membership.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Store } from '../../ports.ts'
import type { RateLimits } from '../limits/rate-limit.ts'
import type { Metrics } from '../operation/metrics.ts'
import type { Audit } from './audit.ts'
import type { Login } from './login.ts'
import { checkOwnPage } from './same-origin.ts'
import { signInIdOf } from './sign-in-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** The workspace that the request names, after its check. Its templates are visible to the request, and writes go there. */
    workspaceId: string | null
  }
}

const NOTE_EVERY_MS = 60_000
const BEARER = /^Bearer ([!-~]{1,200})$/i

/** The key of the program that embeds the host. Every process creates a new one, in memory only. */
export interface Embedded {
  readonly key: string
  readonly principal: Principal
}

export interface AccessParts {
  readonly store: Store
  readonly clock: Clock
  readonly login: Login
  readonly rates: RateLimits
  readonly audit: Audit
  readonly metrics: Metrics
  readonly embedded: Embedded | null
}

export interface Access {
  /** Refuses with `unauthenticated`, `origin_foreign`, `rate_limited`. */
  readonly admit: onRequestHookHandler
  /** Counts a failed attempt. Throws `rate_limited` after too many. */
  fail(request: FastifyRequest): void
  /** Authenticates without counting or recording anything: for public pages, and for streams that stay open. */
  recognise(request: FastifyRequest): Promise<Principal | null>
}

export function accessOf({ store, clock, login, rates, audit, metrics, embedded }: AccessParts): Access {
  const noted = new Map<string, number>()

  const note = (id: string): void => {
    const now = Date.now()
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return
    noted.set(id, now)
    noteUse(store, id, clock()).catch(() => noted.delete(id))
  }

  const recognise = async (request: FastifyRequest): Promise<Principal | null> => {
    const { authorization } = request.headers
    if (authorization !== undefined) {
      const text = BEARER.exec(authorization)?.[1]
      if (text === undefined) return null
      return text === embedded?.key ? embedded.principal : authenticate(store, clock, text)
    }
    const id = signInIdOf(request)
    const signIn = id === null ? null : login.find(id)
    if (signIn === null) return null
    checkOwnPage(request)
    return principalOfKey(store, clock, signIn.keyId)
  }

  const fail = (request: FastifyRequest): void => {
    audit.failed(request.ip)
    metrics.failed()
    rates.countFailure(request)
  }

  const letIn = (request: FastifyRequest, principal: Principal): void => {
    request.principal = principal
    rates.countRequest(request)
    note(principal.keyId)
  }

  const proveAndLetIn = async (request: FastifyRequest): Promise<void> => {
    const principal = await recognise(request)
    if (principal !== null) return letIn(request, principal)
    fail(request)
    throw new Fault('unauthenticated', {})
  }

  return {
    recognise,
    fail,
    admit(request, _reply, done) {
      const text = BEARER.exec(request.headers.authorization ?? '')?.[1]
      if (embedded !== null && text === embedded.key) {
        request.principal = embedded.principal
        done()
        return
      }
      const principal = text === undefined ? null : provedPrincipal(store, clock, text)
      if (principal === null) {
        proveAndLetIn(request).then(() => done(), done)
        return
      }
      letIn(request, principal)
      done()
    },
  }
}

/** The principal of the request. Throws without the scope. */
export function principalOf(request: FastifyRequest, scope: Scope): Principal {
  const { principal } = request
  if (principal === null) throw new Fault('unauthenticated', {})
  if (!principal.scopes.includes(scope)) throw new Fault('forbidden', { scope })
  if (request.hidden !== null) throw request.hidden
  return principal
}

/** `workspaceId` in a query or body never grants access. The hook checks it before any other check can answer. */
export const workspacesHook =
  (store: Store): preValidationAsyncHookHandler =>
  async request => {
    const parts = [request.query, request.body] as (Json | undefined)[]
    const named = new Set(
      parts.flatMap(part => (isObject(part) && part.workspaceId !== undefined ? [part.workspaceId].flat() : [])).map(String),
    )
    for (const workspaceId of named) await checkWorkspaceId(store, request.principal!, workspaceId)
    if (named.size > 1) throw new Fault('validation_error', { problem: 'workspaceId names more than one workspace' })
    request.workspaceId = [...named][0] ?? null
  }
