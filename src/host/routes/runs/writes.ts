// Shared by the routes that write to a run: the principal, and idempotent answers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../../core/access/keys.ts'
import type { Json } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import type { RunCommand } from '../../../core/run/decide.ts'
import type { Principal } from '../../../engine/access/access.ts'
import type { RunPlace } from '../../../engine/runs/write-run.ts'
import { refusalFault } from '../../../engine/sessions/requests.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { runStatus } from '../../../wire/openwop/run-status.ts'
import { principalOf } from '../../access/access.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { existingRun } from './run-documents.ts'

export interface RunWrite {
  readonly scope: Scope
  readonly runId: string
  readonly command: RunCommand
  readonly objects?: readonly Uint8Array[]
  /** Further fields of the answer, beside the status. */
  readonly more?: JsonObject
  /** The HTTP status of the answer. Default: 200. */
  readonly httpStatus?: number
}

/** Submits a command and answers with the new status of the run. A refusal throws a fault with its code. */
export function submitRunOnce(
  { store, sessions }: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, runId, command, objects = [], more = {}, httpStatus = 200 }: RunWrite,
): Promise<FastifyReply> {
  const place = runPlaceOf(principalOf(request, scope), runId)
  const answerOf = (body: JsonObject): Answer => ({ status: httpStatus, headers: {}, body: { runId, ...more, ...body } })
  return answerDecided(
    store,
    place.tenant,
    request,
    reply,
    async keep => {
      const done = await sessions.runs.submit(place, command, { objects, idempotency: () => keep(answerOf({})) })
      if (done.refusal !== null) throw await withStatus(refusalFault(done.refusal), store, place)
      return { answer: answerOf({}), replayed: done.replayed }
    },
    (request.body ?? null) as Json,
    async answer => answerOf({ ...(answer.body as JsonObject), status: runStatus((await existingRun(store, place.tenant, runId)).state) }),
  )
}

const OF_STATUS = ['run_ended', 'run_paused', 'run_not_paused', 'run_cancelling'] as const

/** Adds the run's status to a refusal that depends on it, where OpenWOP's clients read it. */
async function withStatus(fault: Fault, store: Store, { tenant, runId }: RunPlace): Promise<Fault> {
  const code = OF_STATUS.find(one => one === fault.code)
  if (code === undefined) return fault
  const { state } = await existingRun(store, tenant, runId)
  return new Fault(code, { ...(fault.details as { readonly problem: string }), runStatus: runStatus(state) })
}

export const runPlaceOf = ({ tenant, actor }: Principal, runId: string): RunPlace => ({ tenant, runId, actor })
