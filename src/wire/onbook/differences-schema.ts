// Schema of the diff answer: decisions with both sides, then texts. Prompt text appears only as far as the host shows prompts.
import { Type } from 'typebox'
import { BLOCKS } from '../../core/compose/parts.ts'
import type { Decision, Differences, TextChange, What } from '../../core/diff/difference.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import { CLOSED, digest, nullable } from './schema-parts.ts'

const count = Type.Integer({ minimum: 0 })
const words = Type.Optional(Type.String())
const place = { nodeId: words, visit: Type.Optional(count), step: Type.Optional(count) }

const decision = Type.Object(
  {
    what: Type.String({ description: 'model, template, variable, layer, verdict …' }),
    ...place,
    kind: words,
    layer: Type.Optional(Type.Enum([...LAYERS])),
    template: words,
    variable: words,
    name: words,
    field: words,
    call: words,
    path: words,
    a: Type.Unknown(),
    b: Type.Unknown(),
  },
  CLOSED,
)
const hunk = Type.Object(
  { aStart: count, aLines: count, bStart: count, bLines: count, lines: Type.Array(Type.String()) },
  { ...CLOSED, description: 'Each line begins with - for one of A, + for one of B, a blank for one of both.' },
)
const text = Type.Object(
  {
    ...place,
    block: Type.Optional(Type.Enum([...BLOCKS, 'reply', 'text'])),
    path: words,
    a: nullable(digest),
    b: nullable(digest),
    hunks: nullable(Type.Array(hunk)),
    why: Type.Optional(Type.Enum(['too_different', 'too_long', 'erased', 'no_text', 'not_shown'])),
    again: Type.Optional(Type.Array(Type.Object({ nodeId: Type.String(), visit: count, step: count }, CLOSED))),
  },
  CLOSED,
)
const meaning = Type.Object(
  {
    what: Type.String(),
    name: Type.String(),
    path: words,
    bump: Type.Optional(Type.Enum(['major', 'minor', 'patch'])),
    change: Type.String(),
    because: Type.Optional(Type.Array(Type.String())),
  },
  CLOSED,
)

export const differences = {
  same: Type.Boolean(),
  decisions: Type.Array(decision),
  texts: Type.Array(text),
  means: Type.Optional(Type.Array(meaning)),
  left: Type.Integer({ minimum: 0, description: 'How many more decisions and texts there are.' }),
}

export const differencesAnswer = Type.Object({ a: Type.String(), b: Type.String(), ...differences }, CLOSED)

/** Names, numbers and texts of the host itself. All other values come from a person, a model or a tool. */
const SHOWN: readonly What[] = [
  'workflow',
  'host-default',
  'setting',
  'outcome',
  'node',
  'step',
  'role',
  'mode',
  'workspace',
  'prelude',
  'catalog',
  'policy',
  'model',
  'parameter',
  'tools',
  'layer',
  'template',
  'history',
  'sent',
  'approval',
]

/** Only the name of a document is shown. Its fields may contain prompt text. */
const isShown = ({ what, field }: Decision): boolean => SHOWN.includes(what) && field === undefined

type Hidden = Omit<TextChange, 'why'> & { readonly why?: TextChange['why'] | 'not_shown' }

/** For a host that does not show prompts: the answer says that texts differ, not how. */
export function withoutWords({ decisions, texts, ...rest }: Differences): object {
  const hidden = (value: unknown): string | null => (value === null ? null : 'not shown')
  return {
    ...rest,
    decisions: decisions.map((found): Decision => (isShown(found) ? found : { ...found, a: hidden(found.a), b: hidden(found.b) })),
    texts: texts.map((change): Hidden => (change.hunks === null ? change : { ...change, hunks: null, why: 'not_shown' })),
  }
}
