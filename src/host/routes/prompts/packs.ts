// /v1/packs: publishes, activates and retires packs that a command has compiled and tested. The host checks again what it must not trust.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import type { LibraryTemplate } from '../../../core/library/template.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { prepareAgent } from '../../../engine/definitions/agents.ts'
import { prepareWorkflow } from '../../../engine/definitions/workflows.ts'
import { type PackSchemas, publishSchemas } from '../../../engine/library/pack-schemas.ts'
import { retireTemplates } from '../../../engine/library/retire.ts'
import type { Writer } from '../../../engine/library/rows.ts'
import { activateTemplates, publishPrepared } from '../../../engine/packs/publish-packs.ts'
import { Fault } from '../../../errors.ts'
import {
  activatedPackAnswer,
  activatePackBody,
  publishedPacksAnswer,
  publishPacksBody,
  retiredPackAnswer,
  retirePackBody,
} from '../../../wire/onbook/pack-schema.ts'
import { principalOf } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers } from '../answers.ts'
import { gateOf } from '../gate.ts'
import { checkTemplate } from './check-template.ts'

/** A folder of packs is published whole or not at all, so it is sent in one body. */
const MOST_BYTES = 16 * 1024 * 1024

export function packRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const writable = { onRequest: gateOf(config, 'mutableLibrary'), bodyLimit: MOST_BYTES }
  const writerOf = ({ tenant, actor, commit = null }: Principal): Writer => ({ tenant, libraryId: config.libraryId, actor, commit })

  app.post<{ Body: Static<typeof publishPacksBody> }>(
    '/v1/packs::publish',
    {
      ...writable,
      schema: {
        operationId: 'publishPacks',
        body: publishPacksBody,
        response: answers(publishedPacksAnswer, 'Published. Templates that were there already, byte for byte, are unchanged.'),
      },
    },
    async request => {
      const { templates, schemas = [], active = [], agents = [], workflows = [] } = request.body
      const principal = principalOf(request, 'prompts:write')
      if (agents.length > 0) principalOf(request, 'agents:write')
      if (workflows.length > 0) principalOf(request, 'workflows:write')
      if (active.some(({ onlyFirst }) => !onlyFirst)) principalOf(request, 'labels:write')
      const known = checked(config.maxTemplateBytes, templates, schemas)
      for (const one of active) requireSent(known.templates, one.templateId, one.version)
      const definitions = [
        ...agents.map(document => prepareAgent(document as Json)),
        ...workflows.map(document => prepareWorkflow(document as Json)),
      ]
      const wanted = new Map(active.map(({ templateId, ...one }) => [templateId, one]))
      return publishPrepared(store, writerOf(principal), {
        compiled: { templates: known.templates, active: wanted },
        schemas: known.schemas,
        definitions,
      })
    },
  )

  app.post<{ Body: Static<typeof activatePackBody> }>(
    '/v1/packs::activate',
    {
      ...writable,
      schema: { operationId: 'activatePack', body: activatePackBody, response: answers(activatedPackAnswer, 'The templates are active.') },
    },
    async request => {
      const writer = writerOf(principalOf(request, 'prompts:write'))
      principalOf(request, 'labels:write')
      const { templates, schemas = [], why = null } = request.body
      const known = checked(config.maxTemplateBytes, templates, schemas)
      const activated = await activateTemplates({ store, writer }, known.templates, why)
      await publishSchemas(store, writer, known.schemas)
      return activated
    },
  )

  app.post<{ Body: Static<typeof retirePackBody> }>(
    '/v1/packs::retire',
    {
      ...writable,
      schema: { operationId: 'retirePack', body: retirePackBody, response: answers(retiredPackAnswer, 'The version is retired.') },
    },
    async request => {
      const writer = writerOf(principalOf(request, 'prompts:write'))
      const { templateIds, version } = request.body
      await retireTemplates(store, writer, templateIds, version)
      return { templateIds, version }
    },
  )
}

type Body = Static<typeof activatePackBody>

function checked(mostBytes: number, templates: Body['templates'], schemas: NonNullable<Body['schemas']>) {
  const known = templates as readonly LibraryTemplate[]
  for (const template of known) checkTemplate(template, mostBytes)
  for (const { pack, version } of schemas) requireSent(known, pack, version)
  return { templates: known, schemas: schemas as unknown as readonly PackSchemas[] }
}

/** A request may only name templates that it contains. */
function requireSent(templates: readonly LibraryTemplate[], templateId: string, version: string): void {
  if (!templates.some(one => one.templateId === templateId && one.version === version))
    throw new Fault('validation_error', { problem: `${templateId}@${version} is not among the templates of the request` })
}
