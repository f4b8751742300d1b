// /v1/runs/{runId}/prompts: the prompt of every step, word for word, and its result.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { BLOCKS } from '../../../core/compose/parts.ts'
import type { Digest } from '../../../core/digest/digest.ts'
import type { RunStep } from '../../../core/run/reading/reading.ts'
import { readSegments } from '../../../core/run/reading/stored-segments.ts'
import { loadReading } from '../../../engine/runs/read-run.ts'
import { Fault } from '../../../errors.ts'
import { promptAnswer, promptsAnswer } from '../../../wire/onbook/run-prompts.ts'
import { promptParams, promptQuery, promptsQuery, runParams } from '../../../wire/onbook/runs.ts'
import type { Observability, ReadBody } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { bodyReader } from './run-documents.ts'

const DEFAULT_LIMIT = 50

export function runPromptRoutes(app: FastifyInstance, { store }: SessionRouteParts, observability: Observability): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof promptsQuery> }>(
    '/v1/runs/:runId/prompts',
    {
      schema: {
        operationId: 'listRunPrompts',
        params: runParams,
        querystring: promptsQuery,
        response: answers(promptsAnswer, 'One for each step, oldest first. Texts are named by their digests.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId } = request.params
      const { after = '-1', limit } = request.query
      const steps = (await loadReading(store, tenant, runId)).steps.filter(({ sequence }) => sequence > Number(after))
      const items = steps.slice(0, Number(limit ?? DEFAULT_LIMIT)).map(shownStep)
      return { items, next: items.length < steps.length ? items.at(-1)!.sequence : null }
    },
  )

  app.get<{ Params: Static<typeof promptParams>; Querystring: Static<typeof promptQuery> }>(
    '/v1/runs/:runId/prompts/:nodeId/:step',
    {
      schema: {
        operationId: 'getRunPrompt',
        params: promptParams,
        querystring: promptQuery,
        response: answers(promptAnswer, 'The whole prompt of one step, of the newest visit unless another is named.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId, nodeId, step } = request.params
      const { visit } = request.query
      const found = (await loadReading(store, tenant, runId)).steps.findLast(
        one => one.nodeId === nodeId && one.step === Number(step) && (visit === undefined || one.visit === Number(visit)),
      )
      if (found === undefined) throw new Fault('step_not_found', { runId, nodeId, step: Number(step) })
      return wholePrompt(found, observability === 'full' ? bodyReader(store, tenant) : async () => null)
    },
  )
}

const shownStep = ({ request: _request, calls: _calls, apply: _apply, ...step }: RunStep) => step

async function wholePrompt(found: RunStep, read: ReadBody): Promise<object> {
  const { prompt, ...step } = shownStep(found)
  const { full, blocks, segments, sent, ...rest } = prompt
  const shown = async (hash: Digest) => ({ hash, text: await read(hash) })
  const placed: object[] = []
  for (const block of BLOCKS) if (blocks[block] !== undefined) placed.push({ block, ...(await shown(blocks[block])) })
  const whole = await shown(full)
  const stored = await read(segments)
  const { text, ...how } = sent
  return {
    ...step,
    ...rest,
    full: whole,
    blocks: placed,
    segments: stored === null || whole.text === null ? null : readSegments(stored, whole.text),
    sent: { ...how, ...(text === null ? { hash: null, text: null } : await shown(text)) },
  }
}
