// Replies of a model as fast-check makes them: tool calls in every state of repair, fences, prose. Nothing here knows what is right.
import fc from 'fast-check'

const anyScalar = fc.constantFrom(
  '"command"',
  '" read_file "',
  '"nope"',
  '"t"',
  '" u "',
  '"\\u0074"',
  '""',
  '7',
  'null',
  '1e999',
  '"\\ud800"',
  '"a\\nb"',
)
const anyInner: fc.Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyScalar,
    fc.constantFrom('{}', '{"cmd":"ls"}', '[]', '{"a":1,"a":2}', '{"__proto__":1}', '{"x":"tool_call"}'),
    fc.json({ maxDepth: 2 }),
    fc.tuple(fc.constantFrom('a', 'b', 'args'), tie('value')).map(([key, value]) => `{"${key}":${value}}`),
    fc.nat({ max: 70 }).map(depth => `${'['.repeat(depth)}0${']'.repeat(depth)}`),
  ),
})).value

const anyPair = fc
  .tuple(fc.constantFrom('id', 'name', 'args', 'params', 'n\\u0061me', 'why', 'tool', '__proto__'), anyInner)
  .map(([key, value]) => `"${key}":${value}`)
const anyGoodPairs = fc
  .tuple(
    fc.constantFrom('"id":"t",', '"id":"u",', '"id":"v",', '"id":7,', ''),
    fc.constantFrom('"name":"command",', '"name":" read_file ",', '"name":"nope",'),
    fc.constantFrom('"args":{}', '"args":{"cmd":"ls"}', '"params":{}', '"args":{},"params":{}', '"args":{},"why":0', '"args":"{}"'),
  )
  .map(parts => [parts.join('')])
const anyCall = fc
  .tuple(
    fc.constantFrom('tool_call', 'tool_call', 'tool_call', 'toolCall', 'tool\\u005fcall', 'tool_calls'),
    fc.oneof(anyGoodPairs, anyGoodPairs, fc.array(anyPair, { maxLength: 5 })),
    fc.constantFrom('', '', '', ',"x":1', ',"toolCall":{}', ',"tool_call":{}'),
  )
  .map(([wrapper, pairs, more]) => `{"${wrapper}":{${pairs.join(', ')}}${more}}`)

const anyBlank = fc.constantFrom('', '', '', ' ', '   ', '    ', '\t', '\ufeff', '\u00a0', '- ', '1. ', '> ', '* - ')
const anyFence = fc
  .tuple(
    anyBlank,
    fc.constantFrom('```', '```', '~~~', '````', '~~~~', '``'),
    fc.constantFrom('', '', 'json', ' ', '\t', ' a`b', 'tool_call', '```'),
  )
  .map(parts => parts.join(''))
const anyProse = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '',
    'I use tool_call.',
    '"tool_call": {',
    '}',
    '{"name":"command","args":{}}',
    '<tool_call>',
    'toolCall()',
    '{"type":"tool_call"}',
  ),
)

/** One character lost, doubled or put in: where most that goes wrong begins. */
const anyDamaged = fc.tuple(anyCall, fc.nat(), fc.constantFrom('', '"', '{', '}', ',', '\\', '\r', '\n', '`')).map(([text, at, put]) => {
  const place = at % text.length
  return text.slice(0, place) + put + text.slice(place + (put === '' ? 1 : 0))
})

const anyLine = fc
  .tuple(anyBlank, fc.oneof(anyCall, anyCall, anyDamaged, anyProse), fc.constantFrom('', '', '', ' ', '\r', ' ok', '`', '}'))
  .map(parts => parts.join(''))

/** The plainest calls are common, as in life: only they can have the id of another. */
export const anyReply: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyLine },
      { weight: 2, arbitrary: anyGoodPairs.map(([pairs]) => `{"tool_call":{${pairs}}}`) },
      { weight: 1, arbitrary: anyFence },
    ),
    { maxLength: 12 },
  )
  .map(lines => lines.join('\n'))
