// Fact sheet §12, as cases. Where the original guesses or drops, ours reports a problem. All such differences:
//   original                                         ours
//   tool call without an id → "call_unknown"         tool_call_id_missing: two such calls would be one
//   part of unknown type without text → dropped      part_unknown
//   images → dropped                                 understood, or image_invalid
//   message without content → an empty message       message_empty
//   tool_call_id on a message of another role        tool_call_id_misplaced (it would be lost)
//   tool calls in a user's message → kept            tool_call_misplaced
//   tool results in a user's message → kept there    a message of the role tool of their own, in the same order
//   arguments by reference → null                    tool_arguments_elsewhere
//   JSON after a byte order mark → text              read as JSON
//   half surrogate pairs, 1e999, depth over 64       content_invalid: they have no canonical spelling
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Digest, Json } from '../digest/digest.ts'
import type { ChatMessage, Part } from './message.ts'
import { writeMessage } from './message.ts'
import { readMessages } from './read-messages.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const said = (role: ChatMessage['role'], text: string): ChatMessage => ({ role, content: [{ type: 'text', text }] })
const asking = (...content: Part[]): ChatMessage => ({ role: 'assistant', content })
const call = (callId: string, toolName: string, given: Json): Part => ({ type: 'tool_call', callId, toolName, arguments: given })
const result = (callId: string, output: Json): Part => ({ type: 'tool_result', callId, output })
const DIGEST = `sha256:${'a'.repeat(64)}` as Digest

describe('readMessages', () => {
  const TEXTS: readonly [string, readonly ChatMessage[]][] = [
    ['Be brief.', [said('user', 'Be brief.')]],
    ['{"role": "system", ', [said('user', '{"role": "system", ')]],
    ['', [said('user', '')]],
    ['[]', []],
  ]
  it.each(TEXTS)('reads the bytes %j', (text, messages) => expect(readMessages(bytes(text))).toEqual({ ok: true, messages }))

  const CASES: readonly [string, Json, readonly ChatMessage[]][] = [
    ['one message', { role: 'system', content: 'a' }, [said('system', 'a')]],
    [
      'lists in lists',
      [[{ role: 'user', content: 'a' }], [[{ role: 'assistant', content: 'b' }]]],
      [said('user', 'a'), said('assistant', 'b')],
    ],
    ['a role in capitals', { role: 'DEVELOPER', content: 'a' }, [said('developer', 'a')]],
    ['an unknown role as the user', { role: 'root', content: 'a' }, [said('user', 'a')]],
    ['no role as the user', { content: 'a' }, [said('user', 'a')]],
    ['a single part', { content: { type: 'input_text', text: 'a' } }, [said('user', 'a')]],
    ['a part of another type that has a text', { content: [{ type: 'summary', text: 'a' }] }, [said('user', 'a')]],
    ['a name', { role: 'user', name: 'ada', content: 'a' }, [{ ...said('user', 'a'), name: 'ada' }]],
    ['a function call alone', { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' }, [asking(call('c', 'f', { a: 1 }))]],
    ['arguments that are no JSON', { type: 'tool_call', id: 'c', name: 'f', arguments: '{a' }, [asking(call('c', 'f', '{a'))]],
    ['no arguments', { type: 'tool_call', id: 'c', name: 'f' }, [asking(call('c', 'f', {}))]],
    ['an output alone', { type: 'function_call_output', call_id: 'c', output: 'x' }, [{ role: 'tool', content: [result('c', 'x')] }]],
    ['no output as null', { type: 'function_call_output', tool_call_id: 'c' }, [{ role: 'tool', content: [result('c', null)] }]],
    [
      'what stands under output rather than the content beside it',
      { role: 'user', content: 'b', output: { content: 'a' } },
      [said('user', 'a')],
    ],
    [
      'our own spelling, where a text among the arguments is a text',
      { role: 'assistant', content: [call('c', 'f', '1') as unknown as Json] },
      [asking(call('c', 'f', '1'))],
    ],
    ['what stands under output', { output: [{ role: 'assistant', content: 'a' }], id: 'r' }, [said('assistant', 'a')]],
    [
      'the type before output',
      { type: 'function_call_output', call_id: 'c', output: { role: 'user' } },
      [{ role: 'tool', content: [result('c', { role: 'user' })] }],
    ],
    [
      'tool calls after the content',
      { role: 'assistant', content: 'a', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '[]' } }] },
      [asking({ type: 'text', text: 'a' }, call('c', 'f', []))],
    ],
    ['calls without content', { role: 'assistant', content: null, tool_calls: [{ id: 'c', name: 'f' }] }, [asking(call('c', 'f', {}))]],
    [
      'a tool_use part',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }] },
      [asking(call('c', 'f', { a: 1 }))],
    ],
    ['a tool message', { role: 'tool', tool_call_id: 'c', content: 'x' }, [{ role: 'tool', content: [result('c', 'x')] }]],
    [
      'a tool message with a name and parts',
      {
        role: 'tool',
        call_id: 'c',
        name: 'f',
        content: [
          { type: 'text', text: 'x' },
          { type: 'text', text: 'y' },
        ],
      },
      [{ role: 'tool', content: [{ ...result('c', 'xy'), toolName: 'f' } as Part] }],
    ],
    ['a tool message that says nothing', { role: 'tool', tool_call_id: 'c' }, [{ role: 'tool', content: [result('c', null)] }]],
    [
      'results between words, in their order',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c', content: 'x', is_error: true },
          { type: 'text', text: 'go on' },
        ],
      },
      [{ role: 'tool', content: [{ ...result('c', 'x'), isError: true } as Part] }, said('user', 'go on')],
    ],
    [
      'an image by address',
      { content: [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }] },
      [image({ url: 'https://a.example/b' })],
    ],
    [
      'an image in its address',
      { content: [{ type: 'input_image', image_url: 'data:image/PNG;base64,AAAA' }] },
      [image({ data: 'AAAA', mediaType: 'image/png' })],
    ],
    [
      'an image with a source',
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AAA=' } }] },
      [image({ data: 'AAA=', mediaType: 'image/gif' })],
    ],
    ['an image by digest', { content: [{ type: 'image', digest: DIGEST }] }, [image({ digest: DIGEST })]],
    ['a secret slot', { content: [{ type: 'secret', id: 'db.key' }] }, [{ role: 'user', content: [{ type: 'secret', id: 'db.key' }] }]],
    ['a marker that somebody typed, as text', { content: '[REDACTED:db.key]' }, [said('user', '[REDACTED:db.key]')]],
  ]
  it.each(CASES)('reads %s', (_, value, messages) => expect(readMessages(bytes(JSON.stringify(value)))).toEqual({ ok: true, messages }))

  const PROBLEMS: readonly [string, string, readonly (string | number)[]][] = [
    ['7', 'message_not_object', []],
    ['"hello"', 'message_not_object', []],
    ['[{"content":"a"}, null]', 'message_not_object', [1]],
    ['{"output":"a"}', 'message_not_object', ['output']],
    ['{"invalid":true}', 'message_empty', []],
    ['{"content":[]}', 'message_empty', []],
    ['{"content":7}', 'part_invalid', ['content']],
    ['{"content":["a"]}', 'part_invalid', ['content', 0]],
    ['{"content":[{"type":"text"}]}', 'part_text_missing', ['content', 0]],
    ['{"content":[{"type":"input_audio","data":"x"}]}', 'part_unknown', ['content', 0]],
    ['{"content":[{"type":"secret","id":"../key"}]}', 'secret_id_invalid', ['content', 0]],
    ['{"content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}', 'image_invalid', ['content', 0]],
    ['{"content":[{"type":"image","data":"not base64"}]}', 'image_invalid', ['content', 0]],
    ['{"content":[{"type":"image","data":"AAAA","mediaType":"text/html"}]}', 'image_invalid', ['content', 0]],
    ['{"content":[{"type":"image","digest":"sha256:1"}]}', 'image_invalid', ['content', 0]],
    ['{"type":"function_call","name":"f"}', 'tool_call_id_missing', []],
    ['{"type":"function_call","call_id":"c"}', 'tool_name_missing', []],
    ['{"type":"function_call_output","output":1}', 'tool_call_id_missing', []],
    ['{"role":"assistant","tool_calls":{}}', 'tool_call_invalid', ['tool_calls']],
    ['{"role":"assistant","tool_calls":[1]}', 'tool_call_invalid', ['tool_calls', 0]],
    [
      '{"role":"assistant","tool_calls":[{"call_id":"c","tool_name":"f","arguments_ref":"sha256:1"}]}',
      'tool_arguments_elsewhere',
      ['tool_calls', 0],
    ],
    ['{"role":"user","tool_calls":[{"id":"c","name":"f"}]}', 'tool_call_misplaced', []],
    ['{"role":"tool","content":"x"}', 'tool_call_id_missing', []],
    ['{"role":"tool","tool_call_id":"c","content":[{"type":"image","data":"AAAA"}]}', 'tool_result_invalid', []],
    ['{"role":"user","tool_call_id":"c","content":"x"}', 'tool_call_id_misplaced', []],
    ['{"content":"\\ud800"}', 'content_invalid', []],
    ['{"content":"a","\\udc00":1}', 'content_invalid', []],
    ['{"content":"a","n":1e999}', 'content_invalid', []],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, 'content_invalid', []],
  ]
  it.each(PROBLEMS)('says what is wrong with %s', (text, code, pointer) => {
    const read = readMessages(bytes(text))
    expect(read).toEqual({ ok: false, problem: { code, pointer, message: expect.any(String) } })
  })

  it('refuses bytes that are no text', () => {
    expect(readMessages(Uint8Array.of(0xff, 0xfe, 0x00))).toMatchObject({ ok: false, problem: { code: 'content_not_text' } })
  })

  it('reads JSON after a byte order mark', () => {
    expect(readMessages(bytes('\ufeff{"role":"system","content":"a"}'))).toEqual({ ok: true, messages: [said('system', 'a')] })
  })

  it('keeps arguments in a text that have no canonical spelling as the text they are', () => {
    const given = '{"a":"\\ud800"}'
    const read = readMessages(bytes(JSON.stringify({ type: 'function_call', call_id: 'c', name: 'f', arguments: given })))
    expect(read).toEqual({ ok: true, messages: [asking(call('c', 'f', given))] })
  })

  it('reads an image of many megabytes', () => {
    const data = 'AAAA'.repeat(5_000_000)
    expect(readMessages(bytes(JSON.stringify({ content: [{ type: 'image', data }] })))).toMatchObject({ ok: true })
  })

  it('never throws, whatever JSON it is given', () => {
    fc.assert(
      fc.property(hostileJson, value => {
        const read = readMessages(bytes(JSON.stringify(value)))
        // A message that was read can be written: it has a spelling, and reads as itself.
        if (read.ok)
          for (const message of read.messages) expect(readMessages(bytes(writeMessage(message)))).toEqual({ ok: true, messages: [message] })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('writeMessage', () => {
  it('spells a message so that it reads as itself', () => {
    fc.assert(
      fc.property(anyMessage, message => {
        expect(readMessages(bytes(writeMessage(message)))).toEqual({ ok: true, messages: [message] })
      }),
      { numRuns: 1000 },
    )
  })
})

function image(source: { url: string } | { data: string; mediaType: string } | { digest: Digest }): ChatMessage {
  return { role: 'user', content: [{ type: 'image', ...source }] }
}

const WORDS = [
  'text',
  'tool_call',
  'tool_result',
  'image',
  'secret',
  'function_call_output',
  'function_call',
  'user',
  'tool',
  'assistant',
  'c',
  '',
]
const KEYS = [
  'role',
  'content',
  'type',
  'text',
  'output',
  'tool_calls',
  'tool_call_id',
  'callId',
  'call_id',
  'id',
  'name',
  'toolName',
  'function',
  'arguments',
  'data',
  'url',
  'image_url',
  'source',
]
const hostileJson = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...WORDS, null, 1, 'AAAA', 'https://a.example'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
})).value

const anyText = fc.string({ unit: 'grapheme' })
const anyName = fc.string({ minLength: 1 })
const anyJson = fc.jsonValue({ maxDepth: 3 }).map(value => JSON.parse(JSON.stringify(value)) as Json)
const anyEcho = fc.record({ echo: fc.dictionary(fc.constantFrom('a', 'b'), anyJson) }, { requiredKeys: [] })
const textPart = fc.record({ type: fc.constant('text' as const), text: anyText })
const secretPart = fc.record({ type: fc.constant('secret' as const), id: fc.stringMatching(/^[a-zA-Z0-9._-]{1,20}$/) })
const imagePart = fc
  .oneof(fc.constant({ data: 'AAA=' }), fc.constant({ url: 'https://a.example/b?c' }), fc.constant({ digest: DIGEST }))
  .chain(source =>
    fc.record({ mediaType: fc.constant('image/png') }, { requiredKeys: [] }).map((media): Part => ({ type: 'image', ...source, ...media })),
  )
const reasoningPart = fc.tuple(anyText, anyEcho).map(([text, echo]): Part => ({ type: 'reasoning', text, ...echo }) as Part)
const callPart = fc
  .tuple(anyName, anyName, anyJson, anyEcho)
  .map(([id, name, given, echo]) => ({ ...call(id, name, given), ...echo }) as Part)
const resultPart = fc
  .tuple(anyName, anyJson, fc.record({ toolName: anyName, isError: fc.boolean() }, { requiredKeys: [] }))
  .map(([id, output, rest]) => ({ ...result(id, output), ...rest }) as Part)
const parts = (...kinds: fc.Arbitrary<Part>[]) => fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 4 })
const named = fc.record({ name: anyText }, { requiredKeys: [] })
const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc
    .tuple(fc.constantFrom('system', 'developer', 'user'), parts(textPart, secretPart, imagePart), named)
    .map(([role, content, name]) => ({ role, content, ...name }) as ChatMessage),
  fc
    .tuple(parts(textPart, reasoningPart, callPart, imagePart), named)
    .map(([content, name]) => ({ role: 'assistant', content, ...name }) as ChatMessage),
  parts(resultPart).map((content): ChatMessage => ({ role: 'tool', content })),
)
