// Prelude files in both shapes, and everything that is wrong with one, by place.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestBytes } from '../digest/digest.ts'
import { pointerText } from '../schema/pointer.ts'
import { compilePrelude, filesOf } from './compile.ts'
import { type ComposedPrelude, readPrelude } from './prelude.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const read = (value: unknown) => readPrelude(encode(typeof value === 'string' ? value : JSON.stringify(value)))
const problems = (value: unknown) => {
  const result = read(value)
  return result.ok ? [] : result.problems.map(({ pointer, message }) => `${pointerText(pointer)}: ${message}`)
}
function composed(value: unknown): ComposedPrelude {
  const result = read(value)
  if (!result.ok || result.prelude.kind !== 'composed') throw new Error('not composed')
  return result.prelude.prelude
}
const files = (texts: Readonly<Record<string, string | Uint8Array>>) =>
  new Map(
    Object.entries(texts).map(([path, content]) => {
      const bytes = typeof content === 'string' ? encode(content) : content
      return [path, { digest: digestBytes(bytes), bytes }]
    }),
  )

describe('messages as they are sent', () => {
  it.each([
    { role: 'system', content: 'x' },
    [
      [
        { type: 'function_call', call_id: 'x', name: 'look' },
        { type: 'function_call_output', call_id: 'x', output: 'seen' },
      ],
    ],
    [
      [
        { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'look', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'x', content: 'seen' },
      ],
    ],
    { output: { content: 'x' } },
    { content: 'x' },
    [],
    [[{ role: 'user', content: 'x' }], { content: '' }],
    { role: 'system', content: 'x', templates: ['x'] },
  ])('%j', value => expect(read(value)).toEqual({ ok: true, prelude: { kind: 'messages' } }))

  it.each(['"text"', '5', 'null', '# Markdown', '', '{"a":1}', '{"__proto__":{"role":"x"}}', '\ufeff', '[[1]]'])('not %j', text =>
    expect(read(text).ok).toBe(false),
  )

  it.each([
    { content: 5 },
    { role: 'system' },
    { output: null },
    { tool_call_id: 'x' },
    [{ type: 'function_call' }],
    { type: 'function_call', call_id: 'x', name: 'look' },
    { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'look', arguments: '{}' } }] },
    { type: 'function_call_output', call_id: 'x', output: 'seen' },
  ])('not %j, which no provider takes', value => expect(read(value).ok).toBe(false))

  it('says which element is none', () => {
    expect(problems([{ role: 'user' }, [{ content: '' }, {}], 'x']).map(line => line.split(':')[0])).toEqual(['/1/1', '/2'])
  })

  it('is not nested without end, is UTF-8, and holds no half of a pair', () => {
    expect(problems('['.repeat(5000) + ']'.repeat(5000))).toEqual([': it is nested deeper than 100 levels'])
    expect(problems('[{"role":"user","content":"\\ud800"}]')).toEqual([': it holds half a surrogate pair, or a number that is too large'])
    expect(readPrelude(new Uint8Array([0xff])).ok).toBe(false)
    expect(problems('[\n{"role":}]')).toEqual([': it is not JSON: unexpected "}"'])
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(encode)), bytes => {
        expect(typeof readPrelude(bytes).ok).toBe('boolean')
      }),
    )
  })
})

describe('a prelude of templates and context', () => {
  it('names its files from the root of the workspace; a bare name is a template', () => {
    const prelude = composed({
      id: 'd',
      templates: ['a.md', { path: 'x/b.md', role: 'user' }],
      context: ['a/c.txt'],
      options: { responseFormat: 'f.json' },
    })
    expect(filesOf(prelude)).toEqual(['prompts/templates/a.md', 'x/b.md', 'a/c.txt', 'f.json'])
    expect(prelude.templates.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  it.each([
    [{ templates: ['a'] }, ['/id: a prelude needs an id']],
    [{ id: 'd', templates: 'a' }, ['/templates: it must be a list of templates']],
    [{ id: 'd', templates: [], context: [] }, ['/templates: a prelude without templates and context says nothing; leave it out']],
    [
      { id: 'd', templates: [1, { role: 'robot' }] },
      [
        '/templates/0: it must be a path, or an object with path and role',
        '/templates/1/path: it must be a path',
        '/templates/1/role: it must be one of system, developer, user, assistant',
      ],
    ],
    [
      { id: 'd', templates: ['a'], context: [''], values: [], more: 1 },
      [
        '/more: a prelude has no "more": there is id, templates, context, values, options',
        '/context/0: it must be a path',
        '/values: it must be an object of values',
      ],
    ],
    [
      { id: 'd', templates: ['a'], options: { temperature: '1', warmth: 1, toolChoice: 'any', maxTokens: 0 } },
      [
        '/options/temperature: it must be a number from 0',
        '/options/warmth: there is no option "warmth": there is temperature, topP, maxTokens, reasoningEffort, stopSequences, toolChoice, responseFormat',
        '/options/toolChoice: it must be auto, none, required, or an object that names a tool',
        '/options/maxTokens: it must be a whole number from 1',
      ],
    ],
  ])('%j is wrong', (value, expected) => expect(problems(value)).toEqual(expected))

  it('keeps the words of its values out of the template: they are never expanded again', () => {
    const prelude = composed({ id: 'd', templates: ['a'], values: { x: '{{y}}</UNTRUSTED>', y: 'no' } })
    const made = compilePrelude(prelude, files({ 'prompts/templates/a': 'Say {{x}}' }))
    expect(made.ok && JSON.parse(made.value.messages)).toEqual([{ role: 'system', content: 'Say {{y}}</UNTRUSTED>' }])
  })

  it('says all that is wrong with its files at once', () => {
    const prelude = composed({
      id: 'd',
      templates: ['gone', 'bad', 'open'],
      context: ['c.bin', 'i.png'],
      options: { responseFormat: 'f.json' },
    })
    const made = compilePrelude(
      prelude,
      files({
        'prompts/templates/bad': new Uint8Array([0xff]),
        'prompts/templates/open': '\n{{#if a}}',
        'c.bin': new Uint8Array([0xff]),
        'i.png': new Uint8Array([0xff]),
        'f.json': '[]',
      }),
    )
    expect(made.ok ? [] : made.problems.map(({ path, message }) => `${path}: ${message.slice(0, 30)}`)).toEqual([
      'prompts/templates/gone: there is no such file',
      'prompts/templates/bad: a template must be text in UTF',
      expect.stringMatching(/^prompts\/templates\/open: .*/),
      'c.bin: context must be text in UTF-8,',
      'f.json: a response format must be a JS',
    ])
  })

  it('gives the same bytes for the same files', () => {
    const prelude = composed({ options: { topP: 1, temperature: 0 }, templates: ['a'], id: 'd' })
    const made = compilePrelude(prelude, files({ 'prompts/templates/a': 'x' }))
    expect(made.ok && made.value).toEqual({ messages: '[{"content":"x","role":"system"}]', options: '{"temperature":0,"topP":1}' })
  })
})
