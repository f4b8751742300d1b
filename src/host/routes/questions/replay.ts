// /v1/runs/{runId}/replay: a run made again from its record, and where it comes out otherwise. Asks no model, and writes nothing.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { withoutWords } from '../../../core/replay/divergence.ts'
import { type Replayed, replayRun } from '../../../engine/replay/replay.ts'
import { runParams } from '../../../wire/onbook/runs-schema.ts'
import { CLOSED, digest } from '../../../wire/onbook/schema-parts.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import type { HostConfig } from '../../config.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

const count = Type.Integer({ minimum: 0 })
const replayQuery = Type.Object({ level: Type.Optional(Type.Enum(['1', '2'])) }, CLOSED)
const text = Type.Optional(Type.String())
const divergence = Type.Object(
  {
    sequence: count,
    point: Type.String({ description: 'Which event would have been written otherwise, or what of the record is not what it says.' }),
    stream: text,
    nodeId: text,
    step: Type.Optional(Type.Number()),
    kind: text,
    layer: text,
    block: text,
    template: text,
    variable: text,
    field: text,
    span: Type.Optional(Type.Object({ start: count, end: count }, CLOSED)),
    expected: Type.Unknown({ description: 'On record. Null for words of a prompt, where the host does not show prompts.' }),
    found: Type.Unknown(),
  },
  CLOSED,
)
const replayAnswer = Type.Object(
  {
    runId: Type.String(),
    level: Type.Integer({ minimum: 1, maximum: 2 }),
    identical: Type.Boolean(),
    events: count,
    prompts: count,
    verdicts: count,
    believed: Type.Array(Type.String({ description: 'What was taken from the record, and not decided again.' })),
    phase: Type.String(),
    stateHash: digest,
    divergences: Type.Array(divergence),
    left: Type.Integer({ minimum: 0, description: 'How many more there are.' }),
    rotations: Type.Array(Type.Object({ kind: Type.String(), expected: Type.Unknown(), found: Type.Unknown() }, CLOSED)),
  },
  CLOSED,
)

export function runReplayRoutes(
  app: FastifyInstance,
  { store, questions }: QuestionRouteParts,
  { hostDefaults, observability }: Pick<HostConfig, 'hostDefaults' | 'observability'>,
): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof replayQuery> }>(
    '/v1/runs/:runId/replay',
    {
      schema: {
        params: runParams,
        querystring: replayQuery,
        response: answers(replayAnswer, 'What a replay of the record comes to. Level 2 unless level 1 is named.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      // It says what sessions were told, and what they were allowed.
      principalOf(request, 'record:read')
      const { runId } = request.params
      const level = request.query.level === '1' ? 1 : 2
      const replayed = await questions.askOfRuns(tenant, [runId], pause => replayRun(store, tenant, runId, { level, hostDefaults, pause }))
      return shown(replayed, observability)
    },
  )
}

const shown = (replayed: Replayed, observability: Observability): Replayed =>
  observability === 'full' ? replayed : { ...replayed, divergences: replayed.divergences.map(withoutWords) }
