// /v1/prompts/{templateId}/diff: the differences between two versions of a template: settings first, then the text.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { compareTemplates } from '../../../core/diff/compare-content.ts'
import { bounded } from '../../../core/diff/difference.ts'
import { pinnedText } from '../../../core/resolve/prompt-ref.ts'
import { findTemplate } from '../../../engine/library/render-ref.ts'
import type { Pause } from '../../../engine/reading/paced-store.ts'
import { differencesAnswer } from '../../../wire/onbook/differences-schema.ts'
import { CLOSED } from '../../../wire/onbook/schema-parts.ts'
import { TEMPLATE_ID, VERSION, workspaceQuery } from '../../../wire/onbook/template-schema.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers } from '../answers.ts'
import { gateOf } from '../gate.ts'
import type { LongQuestions } from './long-questions.ts'

const params = Type.Object({ templateId: Type.String({ pattern: TEMPLATE_ID }) }, CLOSED)
const version = Type.String({ pattern: VERSION, maxLength: 128 })
const diffQuery = Type.Object(
  { from: version, to: Type.Optional(version), libraryId: Type.Optional(Type.String({ pattern: TEMPLATE_ID })), ...workspaceQuery },
  CLOSED,
)

export function promptDiffRoutes(app: FastifyInstance, { store, config }: HostParts, questions: LongQuestions): void {
  app.get<{ Params: Static<typeof params>; Querystring: Static<typeof diffQuery> }>(
    '/v1/prompts/:templateId/diff',
    {
      onRequest: gateOf(config, 'endpointsSupported'),
      preValidation: workspacesHook(store),
      schema: {
        operationId: 'diffPrompt',
        params,
        querystring: diffQuery,
        response: answers(differencesAnswer, 'Of two versions of a template; without `to`, with the newest.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'prompts:read')
      const { from, to, libraryId } = request.query
      const { templateId } = request.params
      const find = (which: string | undefined) =>
        findTemplate(
          store,
          tenant,
          { templateId, ...(which ? { version: which } : {}), ...(libraryId ? { libraryId } : {}) },
          {},
          request.workspaceId,
        )
      const [one, other] = [await find(from), await find(to)]
      const compare = async (pause: Pause) => {
        await pause()
        return compareTemplates(one.template, other.template)
      }
      const { decisions, texts } = await questions.ask(tenant, compare)
      return { a: pinnedText(templateId, one.row.version), b: pinnedText(templateId, other.row.version), ...bounded(decisions, texts) }
    },
  )
}
