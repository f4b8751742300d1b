// Schemas of fork requests and answers.
import { Type } from 'typebox'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import type { Document } from './document.ts'
import { createRunBody, forkMode, runParams, runStatusAnswer } from './runs.ts'
import { CLOSED } from './schema-parts.ts'

const { configurable, mode, override, inputs } = createRunBody.properties
const name = Type.String({ minLength: 1, maxLength: 200, pattern: NO_DIGEST })
export const forkBody = Type.Object(
  {
    mode: forkMode,
    fromSeq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    runOptionsOverlay: Type.Optional(
      Type.Object(
        { configurable, mode, override, inputs, model: Type.Optional(Type.Object({ provider: name, model: name }, CLOSED)) },
        { ...CLOSED, description: 'Of a branch: what is different from there on. Inputs only from before the first node.' },
      ),
    ),
  },
  CLOSED,
)
const { runId } = runParams.properties
const { status } = runStatusAnswer.properties
export const forkedAnswer = Type.Object(
  { runId, sourceRunId: runId, fromSeq: Type.Integer({ minimum: 0 }), mode: forkMode, status, eventsUrl: Type.String() },
  CLOSED,
)

export type ForkRequest = Document<typeof forkBody>
export type ForkedRun = Document<typeof forkedAnswer>
