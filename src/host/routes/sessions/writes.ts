// Shared by the routes that write to a session: the principal, checks of named things, and idempotent answers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isMember } from '../../../core/access/keys.ts'
import type { Json } from '../../../core/digest/digest.ts'
import type { SnapshotPacks } from '../../../core/library/pack-set.ts'
import type { SessionCommand } from '../../../core/session/commands.ts'
import type { SessionConfig } from '../../../core/session/config.ts'
import type { SessionEvent } from '../../../core/session/events.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { checkNamedObjects, checkSentMessages } from '../../../engine/access/membership.ts'
import { type GivenMessage, type MessageObject, messageObject, refusalFault } from '../../../engine/sessions/requests.ts'
import { sessionPacks } from '../../../engine/sessions/session-packs.ts'
import type { SessionPlace } from '../../../engine/sessions/submit.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { principalOf } from '../../access/access.ts'
import type { HostedSessions } from '../../hosted-sessions.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'

export interface SessionRouteParts {
  readonly store: Store
  readonly sessions: HostedSessions
}

export interface SessionWriter {
  readonly principal: Principal
  readonly place: SessionPlace
}

export function writerOf(request: FastifyRequest, session: string): SessionWriter {
  const principal = principalOf(request, 'sessions:write')
  return { principal, place: { tenant: principal.tenant, session, actor: principal.actor } }
}

/** A workspace named in a request grants nothing: the key must be a member. The workspace need not exist yet. */
export function checkNamed({ workspaces }: Principal, workspace: string | undefined): void {
  if (workspace !== undefined && !isMember(workspaces, workspace))
    throw new Fault('workspace_membership_required', { workspaceId: workspace })
}

export async function checkConfig(store: Store, principal: Principal, config: SessionConfig): Promise<SessionConfig> {
  checkNamed(principal, config.workspace?.name)
  await checkNamedObjects(store, principal, [...(config.promptDigests ?? []), ...(config.toolDigests ?? [])])
  return config
}

/** A message of a request, ready to be stored. A limited key may only name objects that it uploaded. */
export async function givenMessage(store: Store, principal: Principal, given: GivenMessage): Promise<MessageObject> {
  const made = await messageObject(store, principal.tenant, given)
  if (made.objects.length === 0) await checkNamedObjects(store, principal, [made.digest])
  else await checkSentMessages(store, principal, made.objects)
  return made
}

export interface SessionWrite {
  readonly place: SessionPlace
  readonly command: SessionCommand
  readonly objects?: readonly Uint8Array[]
  readonly answer: (events: readonly SessionEvent[]) => Answer
  /** Waits for the rest of the answer. Also runs for a stored answer. */
  readonly complete?: (answer: Answer) => Promise<Answer>
}

/** A refusal throws a fault with its code. */
export function submitOnce(
  { store, sessions }: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { place, command, objects = [], answer, complete }: SessionWrite,
): Promise<FastifyReply> {
  const perform: Parameters<typeof answerDecided>[4] = async keep => {
    const done = await sessions.work.submit(place, command, { objects, idempotency: events => keep(answer(events)) })
    if (done.refusal !== null) throw refusalFault(done.refusal)
    // A concurrent request with the same key has decided. Its answer is read back.
    return { answer: done.replayed === null ? answer(done.events) : NOTHING, replayed: done.replayed !== null }
  }
  return answerDecided(store, place.tenant, request, reply, perform, (request.body ?? null) as Json, complete)
}

const NOTHING: Answer = { status: 200, headers: {}, body: null }

/** The packs that apply to the agent of a session; null when the request names no session. */
export async function packsFor(store: Store, request: FastifyRequest, session: string | undefined): Promise<SnapshotPacks | null> {
  if (session === undefined) return null
  const principal = principalOf(request, 'sessions:read')
  const packs = await sessionPacks(store, principal.tenant, session)
  checkNamed(principal, packs?.source.workspace)
  return packs
}
