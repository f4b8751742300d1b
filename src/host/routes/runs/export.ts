// /v1/runs/{runId}:export: a run with everything that questions about it need, as one file. Streamed; nothing is stored.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { pacedStore } from '../../../engine/reading/paced-store.ts'
import { exportRun } from '../../../engine/run-files/export-run.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from '../questions/long-questions.ts'
import { existingRun } from './run-documents.ts'

export function runExportRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts): void {
  app.get<{ Params: Static<typeof runParams> }>(
    '/v1/runs/:runId([A-Za-z0-9._~-]+)::export',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportRun',
        params: runParams,
        produces: ['application/x-ndjson'],
        response: answers(Type.String(), 'A run file: events, checkpoints and objects, one a line. `onbook verify FILE` checks it.'),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'runs:read')
      // The file contains what these two scopes protect.
      principalOf(request, 'record:read')
      principalOf(request, 'objects:read')
      const { runId } = request.params
      await existingRun(store, tenant, runId)
      const lines = questions.file(tenant, pause => exportRun(pacedStore(store, pause), { tenant, runId, withPolicy: false }))
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', `attachment; filename="${runId}.jsonl"`)
        .send(Readable.from(lines))
    },
  )
}
