// Who is asking, and may they? Every request under /v1 carries a key.
import type { FastifyRequest } from 'fastify'
import type { Scope } from '../core/access/keys.ts'
import type { Json } from '../core/digest/digest.ts'
import { isObject, type JsonObject } from '../core/digest/is-object.ts'
import { authenticate, noteUse, type Principal } from '../engine/access.ts'
import { Fault } from '../errors.ts'
import type { Clock, Store } from '../ports.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
}

const NOTE_EVERY_MS = 60_000

export interface Access {
  /** Throws `unauthenticated`. */
  admit(request: FastifyRequest): Promise<void>
}

export function accessOf(store: Store, clock: Clock): Access {
  const noted = new Map<string, number>()

  const note = (id: string): void => {
    const now = Date.parse(clock())
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return
    noted.set(id, now)
    noteUse(store, id, clock()).catch(() => noted.delete(id))
  }

  return {
    async admit(request) {
      const text = /^Bearer ([!-~]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
      const principal = text === undefined ? null : await authenticate(store, clock, text)
      if (principal === null) throw new Fault('unauthenticated', {})
      note(principal.keyId)
      request.principal = principal
    },
  }
}

/** The one who asks, when they have the scope. */
export function principalOf(request: FastifyRequest, scope: Scope): Principal {
  const { principal } = request
  if (principal === null) throw new Fault('unauthenticated', {})
  if (!principal.scopes.includes(scope)) throw new Fault('forbidden', { scope })
  return principal
}

/** A workspace that a request names is never authority: whoever names one, in the query or the body, must be a member. */
export async function checkWorkspaces({ principal, query, body }: FastifyRequest): Promise<void> {
  const named = [query, body].flatMap(part => (isObject(part as Json) ? [(part as JsonObject).workspaceId] : [])).flat()
  for (const workspaceId of named)
    if (workspaceId !== undefined && !principal?.workspaces.includes(workspaceId as string))
      throw new Fault('workspace_membership_required', { workspaceId: String(workspaceId).slice(0, 128) })
}
