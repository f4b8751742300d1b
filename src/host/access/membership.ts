// Checks whether a key that is limited to workspaces may see the things that a request names. A hidden thing answers exactly as one that does not
// exist.
import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { isMember } from '../../core/access/keys.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { sessionStream } from '../../core/session/events.ts'
import type { Principal } from '../../engine/access/access.ts'
import { checkObject, isLimited, maySee } from '../../engine/access/membership.ts'
import { approvalStream } from '../../engine/runs/calls/approvals.ts'
import { sessionMissing } from '../../engine/sessions/requests.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the key may not see a thing that the request names. `principalOf` throws it after the scope check. */
    hidden: Fault | null
  }
}

type Names = Readonly<Record<string, unknown>>

/** Runs for every route. It recognises parameters by name, so it covers a new route that uses the same names. */
export const membershipHook =
  (store: Store): preHandlerAsyncHookHandler =>
  async request => {
    const { principal } = request
    if (principal !== null && isLimited(principal)) request.hidden = await hiddenIn(store, principal, request)
  }

/** Checked again before every event of a stream: a session may switch to another workspace while a reader follows it. */
export const isStillVisible = async (store: Store, request: FastifyRequest): Promise<boolean> =>
  request.principal === null || !isLimited(request.principal) || (await hiddenIn(store, request.principal, request)) === null

async function hiddenIn(store: Store, principal: Principal, request: FastifyRequest): Promise<Fault | null> {
  const [params, query, body] = [request.params, request.query, request.body].map(part => (part ?? {}) as Names)
  // A stream that does not exist is refused here too, so that both answers are the same by construction.
  const sees = async (stream: string): Promise<boolean> =>
    (await store.head(principal.tenant, stream)).seq >= 0 && (await maySee(store, principal, stream))
  const seesApproval = async (id: string): Promise<boolean> => {
    const place = await approvalStream(store, principal.tenant, id)
    return place !== null && (await sees(place))
  }
  const { workspace, session, runId, runAndVerb, stream, approval, token, digest } = params!
  if (typeof workspace === 'string' && !isMember(principal.workspaces, workspace))
    return new Fault('workspace_not_allowed', { workspace, operation: 'resolve', path: '', refused: 'workspace' })
  if (typeof session === 'string' && !(await sees(sessionStream(session)))) return sessionMissing(session)
  for (const name of [runId, query!.with, body!.runId, String(runAndVerb ?? '').replace(/:[a-z]+$/, '')])
    if (typeof name === 'string' && name !== '' && !(await sees(runStream(name)))) return runMissing(name)
  if (typeof stream === 'string' && !(await sees(stream))) return new Fault('stream_missing', { stream })
  if (typeof token === 'string' && !(await seesApproval(token)))
    return new Fault('interrupt_not_found', { problem: `No node waits for approval ${token}` })
  if (typeof approval === 'string' && !(await seesApproval(approval)))
    return new Fault('approval_missing', { problem: `No node waits for approval ${approval}` })
  if (typeof digest === 'string')
    return checkObject(store, principal, digest as Digest).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Fault) return error
        throw error
      },
    )
  return null
}

const runMissing = (runId: string): Fault => new Fault('run_missing', { problem: `There is no run ${runId}` })
