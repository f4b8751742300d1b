// Fact sheet §12, tools. Differences from the original: duplicates over several objects are refused instead of sent twice; a choice that
// names no tool is refused; a name beside the modes auto and none is refused, since it says two things.
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { collectTools, type ReadTools, readToolChoice, readTools, type ToolSet } from './read-tools.ts'

const read = (value: Json): ReadTools => readTools(new TextEncoder().encode(JSON.stringify(value)))
const schema = { type: 'object' }
const tool = (name: string, description = '', inputSchema = {}) => ({ name, description, inputSchema })

describe('readTools', () => {
  const SHAPES: readonly [string, Json, object][] = [
    ['a catalog', { tools: [{ name: 'f', description: 'd', parameters: schema }] }, { tools: [tool('f', 'd', schema)] }],
    ['a bare list', [{ name: 'f' }, { name: 'g' }], { tools: [tool('f'), tool('g')] }],
    ['a single tool', { name: 'f', parameters: schema }, { tools: [tool('f', '', schema)] }],
    ['the shape of OpenAI', [{ type: 'function', function: { name: 'f', parameters: schema } }], { tools: [tool('f', '', schema)] }],
    ['the older shape, with a type', [{ type: 'function', name: 'f', parameters: schema }], { tools: [tool('f', '', schema)] }],
    ['the shape of Anthropic', [{ name: 'f', input_schema: schema }], { tools: [tool('f', '', schema)] }],
    ['a choice and nothing else', { tool_choice: 'none' }, { tools: [], toolChoice: 'none' }],
    [
      'tools with a choice',
      { tools: [{ name: 'f' }], tool_choice: { type: 'function', function: { name: 'f' } } },
      { tools: [tool('f')], toolChoice: { tool: 'f' } },
    ],
    ['no tools', [], { tools: [] }],
  ]
  it.each(SHAPES)('reads %s', (_, value, expected) => expect(read(value)).toEqual({ ok: true, ...expected }))

  const PROBLEMS: readonly [Json, string][] = [
    [7, 'tools_invalid'],
    ['f', 'tools_invalid'],
    [{}, 'tools_invalid'],
    [[{ description: 'no name' }], 'tools_invalid'],
    [[{ name: 'f', parameters: 'none' }], 'tools_invalid'],
    [[{ name: 'f' }, { name: 'f' }], 'tools_invalid'],
    [{ tools: [], tool_choice: 7 }, 'tool_choice_invalid'],
  ]
  it.each(PROBLEMS)('says what is wrong with %j', (value, code) => {
    expect(read(value)).toMatchObject({ ok: false, problem: { code, message: expect.any(String) } })
  })

  it('refuses a schema that has no canonical spelling', () => {
    const text = '[{"name":"f","parameters":{"maximum":1e999}}]'
    expect(readTools(new TextEncoder().encode(text))).toMatchObject({ ok: false, problem: { code: 'tools_invalid' } })
  })
})

describe('readToolChoice', () => {
  const FORMS: readonly [Json, ReturnType<typeof readToolChoice>][] = [
    ['auto', 'auto'],
    ['NONE', 'none'],
    ['required', 'required'],
    ['any', 'required'],
    ['search', { tool: 'search' }],
    [{ mode: 'required' }, 'required'],
    [{ mode: 'tool', tool_name: 'f' }, { tool: 'f' }],
    [{ type: 'function', function: { name: 'f' } }, { tool: 'f' }],
    [{ type: 'function', name: 'f' }, { tool: 'f' }],
    [{ type: 'function' }, 'required'],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'tool', name: 'f' }, { tool: 'f' }],
    [{ name: 'f' }, { tool: 'f' }],
    [{ tool: 'f' }, { tool: 'f' }],
    [{ mode: 'none', name: 'f' }, null],
    [{ mode: 'sometimes' }, null],
    ['', null],
    [{}, null],
    [[], null],
    [true, null],
  ]
  it.each(FORMS)('reads %j', (value, choice) => expect(readToolChoice(value)).toEqual(choice))
})

describe('collectTools', () => {
  const one: ToolSet = { tools: [tool('f')], toolChoice: 'required' }
  const two: ToolSet = { tools: [tool('g')], toolChoice: { tool: 'f' } }

  it('keeps the order of the objects, and the last choice', () => {
    expect(collectTools([one, two])).toEqual({ ok: true, tools: [tool('f'), tool('g')], toolChoice: { tool: 'f' } })
    expect(collectTools([two, one])).toMatchObject({ ok: true, toolChoice: 'required' })
    expect(collectTools([one, { tools: [] }])).toMatchObject({ ok: true, toolChoice: 'required' })
  })

  it('lets the choice of the call win over all', () => expect(collectTools([one, two], 'none')).toMatchObject({ toolChoice: 'none' }))

  it('has no choice when nobody made one', () => expect(collectTools([{ tools: [tool('f')] }])).not.toHaveProperty('toolChoice'))

  it('refuses two tools of one name, and the choice of one that is not there', () => {
    expect(collectTools([one, one])).toMatchObject({ ok: false, problem: { code: 'tool_twice' } })
    expect(collectTools([one], { tool: 'requird' })).toMatchObject({ ok: false, problem: { code: 'tool_choice_unknown' } })
  })
})
