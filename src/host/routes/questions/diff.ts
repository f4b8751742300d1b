// /v1/runs/{runId}/diff: the differences between two runs, or two steps of one: decisions first, then texts.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Differences } from '../../../core/diff/difference.ts'
import { readSteps } from '../../../core/diff/read-steps.ts'
import { diffRuns, diffSteps, type RunSide } from '../../../engine/diff/diff-runs.ts'
import type { Pause } from '../../../engine/reading/paced-store.ts'
import { Fault } from '../../../errors.ts'
import { diffQuery } from '../../../wire/onbook/diff-schema.ts'
import { differencesAnswer, withoutWords } from '../../../wire/onbook/differences-schema.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

export function runDiffRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts, observability: Observability): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof diffQuery> }>(
    '/v1/runs/:runId/diff',
    {
      schema: {
        operationId: 'diffRun',
        params: runParams,
        querystring: diffQuery,
        response: answers(differencesAnswer, 'With another run (`with`), or of two steps of a node (`nodeId`, `steps`).'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      principalOf(request, 'record:read')
      const { runId } = request.params
      const { with: other, nodeId, steps } = request.query
      const runIds = other === undefined ? [runId] : [runId, other]
      const found = await questions.askOfRuns(tenant, runIds, pause => ask({ store, tenant, runId }, { other, nodeId, steps }, pause))
      return observability === 'full' ? found : { ...found, ...withoutWords(found) }
    },
  )
}

interface Asked {
  readonly other: string | undefined
  readonly nodeId: string | undefined
  readonly steps: string | undefined
}

type Answer = Differences & { readonly a: string; readonly b: string }

async function ask(side: RunSide, { other, nodeId, steps }: Asked, pause: Pause): Promise<Answer> {
  if (other !== undefined && steps === undefined)
    return { a: side.runId, b: other, ...(await diffRuns(side, { ...side, runId: other }, nodeId, pause)) }
  const places = steps === undefined ? null : readSteps(steps)
  if (other !== undefined || nodeId === undefined || places === null)
    throw new Fault('validation_error', {
      problem: 'name either another run (with), or two steps of a node (nodeId, and steps as 1..2 or 1.2..2.1)',
    })
  const { a, b, ...found } = await diffSteps(side, nodeId, ...places, pause)
  return { a: `${a.visit}.${a.step}`, b: `${b.visit}.${b.step}`, ...found }
}
