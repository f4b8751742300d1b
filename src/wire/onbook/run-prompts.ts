// Schemas of the prompts of a run's steps: with digests in place of texts, or word for word.
import { Type } from 'typebox'
import { BLOCKS } from '../../core/compose/parts.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import type { Document } from './document.ts'
import { free, mode } from './runs.ts'
import { CLOSED, digest, nullable } from './schema-parts.ts'
import { promptSource, runConfig, snapshot } from './sessions.ts'
import { kindSchema } from './template-schema.ts'

const count = Type.Integer({ minimum: 0 })
const block = Type.Enum([...BLOCKS])
const usedTemplate = Type.Object(
  {
    ref: Type.String(),
    template: digest,
    templateHash: digest,
    kind: nullable(kindSchema),
    layer: nullable(Type.Enum([...LAYERS])),
    block,
    part: Type.String(),
  },
  CLOSED,
)
const failure = Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: true })
const outcome = Type.Object(
  { at: Type.String(), reply: nullable(digest), receipt: nullable(digest), failure: nullable(failure), tokens: nullable(count) },
  CLOSED,
)
const changedFile = Type.Object(
  { path: Type.String(), change: Type.Enum(['added', 'changed', 'deleted']), added: nullable(count), removed: nullable(count) },
  CLOSED,
)
const stepChange = Type.Object(
  {
    by: Type.Enum(['model', 'tool']),
    call: nullable(Type.String()),
    diff: digest,
    cut: count,
    files: Type.Array(changedFile),
    more: count,
    shared: Type.Boolean(),
  },
  CLOSED,
)
const aboutStep = {
  sequence: count,
  at: Type.String(),
  nodeId: Type.String(),
  visit: count,
  session: nullable(Type.String({ description: 'The lasting session that the node works in.' })),
  home: nullable(Type.String({ description: 'The session that the config and the snapshot come from.' })),
  config: nullable(runConfig),
  source: promptSource,
  toolSource: Type.Enum(['step', 'run', 'snapshot', 'host', 'none']),
  step: count,
  requestHash: digest,
  snapshot: nullable(snapshot),
  outcome: nullable(outcome),
  changes: Type.Array(stepChange),
}
const aboutPrompt = { mode, repeatHash: digest, templates: Type.Array(usedTemplate) }
const aboutSent = { kind: Type.Enum(['full', 'delta']), reason: Type.String(), headerHash: digest, held: Type.Integer({ minimum: 0 }) }
export const promptsAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          ...aboutStep,
          prompt: Type.Object(
            {
              ...aboutPrompt,
              full: digest,
              blocks: Type.Record(Type.String(), digest),
              segments: digest,
              sent: Type.Object({ ...aboutSent, text: nullable(digest) }, CLOSED),
            },
            CLOSED,
          ),
        },
        CLOSED,
      ),
    ),
    next: nullable(count),
  },
  CLOSED,
)
/** The text is null where the host shows hashes only, or where the text was erased. */
const shown = Type.Object({ hash: digest, text: nullable(Type.String()) }, CLOSED)
export const promptAnswer = Type.Object(
  {
    ...aboutStep,
    ...aboutPrompt,
    full: shown,
    blocks: Type.Array(Type.Object({ block, hash: digest, text: nullable(Type.String()) }, CLOSED)),
    segments: nullable(Type.Array(free)),
    sent: Type.Object({ ...aboutSent, hash: nullable(digest), text: nullable(Type.String()) }, CLOSED),
  },
  CLOSED,
)

export type StepPrompt = Document<typeof promptsAnswer>['items'][number]
/** A text is null where the host shows hashes only, or where the text was erased. */
export type WholePrompt = Document<typeof promptAnswer>
export type UsedPrompt = Document<typeof usedTemplate>
