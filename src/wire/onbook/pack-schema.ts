// Schemas of pack requests and answers: packs compiled to templates, with their input and output schemas and their definitions.
import { Type } from 'typebox'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import { publishedAgentAnswer, publishedWorkflowAnswer } from './definition-schema.ts'
import { anyJson, CLOSED, jsonMap, nullable } from './schema-parts.ts'
import { TEMPLATE_ID, templateSchema, VERSION } from './template-schema.ts'

const MOST_TEMPLATES = 5_000
const MOST_URI = 2_000

const templateId = Type.String({ pattern: TEMPLATE_ID })
const version = Type.String({ pattern: VERSION, maxLength: 128 })
const why = Type.String({ maxLength: 500, pattern: NO_DIGEST })
const uri = Type.String({ maxLength: MOST_URI })

const packSchemas = Type.Object(
  {
    pack: templateId,
    version,
    inputSchema: uri,
    outputSchema: uri,
    schemas: Type.Record(Type.String({ maxLength: MOST_URI }), anyJson, {
      maxProperties: 1_000,
      description: 'All schemas that the two reach, by URI.',
    }),
  },
  CLOSED,
)
const templates = Type.Array(templateSchema, { maxItems: MOST_TEMPLATES })
const schemas = Type.Optional(Type.Array(packSchemas, { maxItems: MOST_TEMPLATES }))
const documents = Type.Optional(Type.Array(jsonMap, { maxItems: 1_000 }))

const wantedActive = Type.Object(
  {
    templateId,
    version,
    onlyFirst: Type.Boolean({ description: 'Only where the template has no version yet. Anything else needs the scope labels:write.' }),
    why: nullable(why),
  },
  CLOSED,
)
export const publishPacksBody = Type.Object(
  {
    templates,
    schemas,
    active: Type.Optional(
      Type.Array(wantedActive, { maxItems: MOST_TEMPLATES, description: 'Versions to make active in the same commit.' }),
    ),
    agents: documents,
    workflows: documents,
  },
  CLOSED,
)
export const activatePackBody = Type.Object({ templates, schemas, why: Type.Optional(why) }, CLOSED)
export const retirePackBody = Type.Object(
  { templateIds: Type.Array(templateId, { minItems: 1, maxItems: MOST_TEMPLATES }), version },
  CLOSED,
)

const activeTemplate = Type.Object(
  {
    templateId: Type.String(),
    version: nullable(Type.String({ description: 'Null: the label was removed, so a ref must name a version.' })),
  },
  CLOSED,
)
const active = Type.Array(activeTemplate, { description: 'The active version of each template afterwards.' })
const refs = Type.Array(Type.String())
export const publishedPacksAnswer = Type.Object(
  {
    published: refs,
    unchanged: refs,
    active,
    agents: Type.Array(publishedAgentAnswer),
    workflows: Type.Array(publishedWorkflowAnswer),
  },
  CLOSED,
)
export const activatedPackAnswer = Type.Object(
  {
    changed: Type.Boolean(),
    from: nullable(Type.String({ description: 'The active version of the first template before.' })),
    active,
  },
  CLOSED,
)
export const retiredPackAnswer = Type.Object({ templateIds: refs, version: Type.String() }, CLOSED)
