// /v1/runs/{runId}/…: commands to an open run. Core decides each of them, and a refusal keeps its code.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { canonicalJson, digestText } from '../../../core/digest/digest.ts'
import { nodeOf } from '../../../core/run/state.ts'
import { workflowNow } from '../../../engine/runs/start/world.ts'
import { type GivenMessage, refusalFault } from '../../../engine/sessions/requests.ts'
import { Fault } from '../../../errors.ts'
import { modeBody, nodeParams, overrideBody, runParams, runStatusAnswer, saidAnswer, sayBody } from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { answerDecided } from '../../requests/idempotent.ts'
import { answers } from '../answers.ts'
import { givenMessage, type SessionRouteParts } from '../sessions/writes.ts'
import { existingRun } from './run-documents.ts'
import { submitRunOnce } from './writes.ts'

type Params = Static<typeof runParams>

export function runWorkRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store, sessions } = parts

  for (const type of ['pause', 'resume'] as const) {
    const description = type === 'pause' ? 'No step begins until it is resumed.' : 'It goes on. One that stalled counts anew.'
    // OpenWOP's spelling of these routes already has the operation ids pauseRun and resumeRun.
    const operationId = `${type}RunByPath`
    app.post<{ Params: Params }>(
      `/v1/runs/:runId/${type}`,
      { schema: { operationId, params: runParams, response: answers(runStatusAnswer, description) } },
      (request, reply) => submitRunOnce(parts, request, reply, { scope: 'runs:write', runId: request.params.runId, command: { type } }),
    )
  }

  app.post<{ Params: Params; Body: Static<typeof modeBody> }>(
    '/v1/runs/:runId/mode',
    {
      schema: {
        operationId: 'setRunMode',
        params: runParams,
        body: modeBody,
        response: answers(runStatusAnswer, 'From the next step on.'),
      },
    },
    (request, reply) => {
      const command = { type: 'setMode', mode: request.body.mode } as const
      return submitRunOnce(parts, request, reply, { scope: 'runs:write', runId: request.params.runId, command })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof overrideBody> }>(
    '/v1/runs/:runId/override',
    {
      schema: {
        operationId: 'overrideRun',
        params: runParams,
        body: overrideBody,
        response: answers(
          runStatusAnswer,
          'The last block of every prompt to come, of one node or of all that have none of their own. Null takes it back.',
        ),
      },
    },
    (request, reply) => {
      const { nodeId = null, text } = request.body
      const stored = text === null ? null : canonicalJson({ text })
      return submitRunOnce(parts, request, reply, {
        scope: 'runs:write',
        runId: request.params.runId,
        command: { type: 'giveOverride', nodeId, text: stored === null ? null : digestText(stored) },
        objects: stored === null ? [] : [new TextEncoder().encode(stored)],
      })
    },
  )

  app.post<{ Params: Static<typeof nodeParams>; Body: Static<typeof sayBody> }>(
    '/v1/runs/:runId/nodes/:nodeId/messages',
    {
      schema: {
        operationId: 'sayToNode',
        params: nodeParams,
        body: sayBody,
        response: answers(saidAnswer, 'The message is on record. A node that waits goes on from an interrupt or a follow-up at once.'),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'runs:write')
      const { tenant, actor } = principal
      const { runId, nodeId } = request.params
      const { kind, message } = request.body
      // The checks are inside the idempotent part: a retry of an accepted message succeeds even when its node no longer works.
      return answerDecided(store, tenant, request, reply, async keep => {
        const session = await checkAtWork(parts, tenant, runId, nodeId)
        const { digest, objects } = await givenMessage(store, principal, message as GivenMessage)
        const id = randomUUID()
        const answer = { status: 200, headers: {}, body: { runId, nodeId, session, id } }
        const command = { type: 'leaveMessage', message: { kind, id, message: digest } } as const
        const done = await sessions.runs.submit(
          { tenant, runId, actor },
          { type: 'turn', nodeId, command },
          {
            objects,
            idempotency: () => keep(answer),
          },
        )
        if (done.refusal !== null) throw refusalFault(done.refusal)
        return { answer, replayed: done.replayed }
      })
    },
  )
}

/** The lasting session that the node works in, or null. Throws for a node that is not working. */
async function checkAtWork({ store }: SessionRouteParts, tenant: string, runId: string, nodeId: string): Promise<string | null> {
  const { state } = await existingRun(store, tenant, runId)
  const workflow = await workflowNow(store, tenant, state)
  if (!workflow.nodes.some(({ id }) => id === nodeId)) throw new Fault('node_missing', { problem: `Run ${runId} has no node ${nodeId}` })
  const { session, status, turn } = nodeOf(state, nodeId)
  if (turn === null) throw new Fault('node_not_running', { problem: `Node ${nodeId} of run ${runId} is ${status}` })
  return session
}
