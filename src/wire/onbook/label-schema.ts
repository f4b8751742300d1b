// Schemas of label requests and answers.
import { Type } from 'typebox'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import { PATTERNS } from '../../core/resolve/prompt-ref.ts'
import { CLOSED, nullable } from './schema-parts.ts'
import { TEMPLATE_ID, VERSION, workspaceQuery } from './template-schema.ts'

const text = Type.String()
const label = Type.String({ pattern: PATTERNS.label })
const templateId = Type.String({ pattern: TEMPLATE_ID })
const why = Type.Optional(Type.String({ maxLength: 500, pattern: NO_DIGEST, description: 'Reason, kept in the history.' }))

export const labelQuery = Type.Object(workspaceQuery, CLOSED)
export const templateParams = Type.Object({ templateId }, CLOSED)
export const labelParams = Type.Object({ templateId, label }, CLOSED)
export const protectionParams = Type.Object({ label }, CLOSED)
export const moveBody = Type.Object({ version: Type.String({ pattern: VERSION, maxLength: 128 }), why, ...workspaceQuery }, CLOSED)
export const removeQuery = Type.Object({ why, ...workspaceQuery }, CLOSED)

const moved = { label: text, actor: text, at: text, why: nullable(text) }
const state = Type.Object({ ...moved, version: text }, CLOSED)
const move = Type.Object(
  {
    ...moved,
    from: nullable(Type.String({ description: 'Null: the label was new.' })),
    to: nullable(Type.String({ description: 'Null: the label was removed.' })),
  },
  CLOSED,
)
export const labelsAnswer = Type.Object({ templateId: text, labels: Type.Array(state) }, CLOSED)
export const labelHistoryAnswer = Type.Object({ templateId: text, history: Type.Array(move) }, CLOSED)
export const labelMovedAnswer = Type.Object({ templateId: text, label: text, version: text }, CLOSED)
export const protectedLabelsAnswer = Type.Object({ labels: Type.Array(text) }, CLOSED)
