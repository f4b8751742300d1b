// Schema of the verify answer.
import { Type } from 'typebox'
import { CLOSED, nullable } from './schema-parts.ts'

const count = Type.Integer({ minimum: 0 })
const text = Type.String()

const flaw = Type.Object(
  {
    tenant: text,
    stream: nullable(Type.String({ description: 'Null where no stream is concerned.' })),
    sequence: Type.Optional(Type.Integer()),
    line: Type.Optional(Type.Integer({ description: 'Line of a run file, from 1.' })),
    node: Type.Optional(text),
    digest: Type.Optional(text),
    table: Type.Optional(text),
    code: text,
  },
  CLOSED,
)

export const verifiedAnswer = Type.Object(
  {
    intact: Type.Boolean(),
    unsealed: Type.Integer({ minimum: 0, description: 'Events that no checked signature covers.' }),
    streams: count,
    events: count,
    objects: count,
    erased: count,
    unreferenced: Type.Optional(Type.Integer({ minimum: 0, description: 'Objects that no event and no node references.' })),
    unproven: Type.Optional(Type.Record(Type.String(), count, { description: 'Rows that nothing in the record proves, by table.' })),
    breaks: Type.Array(flaw),
    moreBreaks: Type.Integer({ minimum: 0, description: 'Breaks beyond those listed.' }),
  },
  CLOSED,
)
