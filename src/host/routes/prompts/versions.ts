// GET /v1/prompts/:templateId/versions: every version of a template that the key may use.
import type { FastifyInstance } from 'fastify'
import semver from 'semver'
import type { Static } from 'typebox'
import { versionsOf } from '../../../engine/library/rows.ts'
import { Fault } from '../../../errors.ts'
import { labelQuery, templateParams } from '../../../wire/onbook/label-schema.ts'
import { promptVersionsAnswer } from '../../../wire/onbook/template-schema.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers } from '../answers.ts'
import { gateOf } from '../gate.ts'

export function promptVersionRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  app.get<{ Params: Static<typeof templateParams>; Querystring: Static<typeof labelQuery> }>(
    '/v1/prompts/:templateId/versions',
    {
      onRequest: gateOf(config, 'endpointsSupported'),
      preValidation: workspacesHook(store),
      schema: {
        operationId: 'listPromptVersions',
        params: templateParams,
        querystring: labelQuery,
        response: answers(promptVersionsAnswer, 'Versions of the template, newest first.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'prompts:read')
      const { templateId } = request.params
      const rows = (await versionsOf(store, tenant, templateId, request.workspaceId)).filter(({ removed }) => !removed)
      if (rows.length === 0) throw new Fault('prompt_template_not_found', { problem: `there is no template ${templateId}` })
      const newest = rows.toSorted((a, b) => semver.compareBuild(b.version, a.version))
      const versions = newest.map(({ version, libraryId, kind, digest, origin, retired }) => ({
        version,
        libraryId,
        kind,
        digest,
        source: origin,
        retired,
      }))
      return { templateId, versions }
    },
  )
}
