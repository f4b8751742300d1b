// Catalogs in every shape in use, and everything that is wrong with one, by place.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pointerText } from '../schema/pointer.ts'
import { schemaFault } from '../schema/schema-fault.ts'
import { type CheckSchema, compileCatalog, readCatalog, readCatalogFile } from './catalog.ts'

const encode = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const check: CheckSchema = schema => schemaFault(schema)
const read = (value: unknown) => readCatalog('c.json', encode(value), check)
const names = (value: unknown) => {
  const result = read(value)
  return result.ok
    ? result.value.descriptors.map(({ name }) => name)
    : result.problems.map(({ pointer, message }) => `${pointerText(pointer)}: ${message}`)
}

describe('a catalog', () => {
  const schema = { type: 'object', properties: { at: { type: 'string' } } }
  it.each([
    ['a list', [{ name: 'a' }, { name: 'b' }], ['a', 'b']],
    ['an object with tools', { tools: [{ name: 'a', parameters: schema }] }, ['a']],
    ['one tool', { name: 'a', description: 'A.' }, ['a']],
    ['OpenAI', [{ type: 'function', function: { name: 'a', parameters: schema } }], ['a']],
    ['Anthropic', { tools: [{ name: 'a', input_schema: schema }] }, ['a']],
    ['how to choose, and nothing else', { tool_choice: 'none' }, []],
    ['nothing', [], []],
    ['nothing in an object', { tools: [] }, []],
  ])('may be %s', (_, value, expected) => expect(names(value)).toEqual(expected))

  it('keeps what the model is shown', () => {
    const result = read([
      { type: 'function', function: { name: 'a', description: 'A.', parameters: schema } },
      { name: 'b', input_schema: schema },
    ])
    expect(result.ok && result.value.descriptors).toEqual([
      { name: 'a', description: 'A.', inputSchema: schema },
      { name: 'b', description: '', inputSchema: schema },
    ])
    expect(read({ tools: [], tool_choice: { type: 'function', name: 'a' } })).toMatchObject({ value: { toolChoice: { name: 'a' } } })
  })

  it.each([
    ['"x"', [': a catalog must be a list of tools, or an object with tools']],
    [{ a: 1 }, [': a catalog needs tools or tool_choice']],
    [{ tools: {} }, [': a catalog needs tools or tool_choice']],
    [
      [{}, { name: 5 }, { name: ' ' }],
      ['/0: it must be a tool: an object with a name', '/1: it must be a tool: an object with a name', '/2/name: a tool needs a name'],
    ],
    [{ tools: [{ name: 'a' }, { function: { name: 'a' } }] }, ['/tools/1: there are two tools named "a"']],
    [[{ name: 'a', parameters: true }], ['/0/parameters: it must be a JSON Schema object']],
    [
      [{ function: { name: 'a', parameters: { type: 'objekt' } } }],
      [expect.stringMatching(/^\/0\/function\/parameters: it is no valid JSON Schema: \/type must be/)],
    ],
    [[{ name: 'a', input_schema: [] }], ['/0/input_schema: it must be a JSON Schema object']],
    [[{ name: 'a', description: 1 }], ['/0/description: it must be text']],
    [['look'], [': there is no such file']],
  ])('%j is wrong', (value, expected) => expect(names(value)).toEqual(expected))

  it('puts descriptors in their places, and finds what is wrong in their own files', () => {
    const file = readCatalogFile('c.json', encode(['look', { name: 'inline' }, 'list']))
    if (!file.ok) throw new Error('not read')
    const descriptors = new Map([
      ['look', encode({ name: 'look' })],
      ['list', encode([{ type: 'function', name: 'list' }])],
    ])
    const made = compileCatalog(file.file, descriptors, check)
    expect(made.ok && JSON.parse(made.value.text)).toEqual({
      tools: [{ name: 'look' }, { name: 'inline' }, { type: 'function', name: 'list' }],
    })
    const bad = compileCatalog(file.file, new Map([...descriptors, ['look', encode({ name: 'inline', parameters: 1 })]]), check)
    expect(bad.ok ? [] : bad.problems).toMatchObject([{ path: 'tools/descriptors/look.json', pointer: ['parameters'] }])
    const twice = compileCatalog(file.file, new Map([...descriptors, ['list', encode({ name: 'inline' })]]), check)
    expect(twice.ok ? [] : twice.problems).toMatchObject([
      { path: 'tools/descriptors/list.json', message: expect.stringMatching(/named for the tool "list" but describes "inline"/) },
      { path: 'tools/descriptors/list.json', message: 'there are two tools named "inline"' },
    ])
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(encode)), bytes => {
        expect(typeof readCatalog('c.json', bytes, check).ok).toBe('boolean')
      }),
    )
  })
})
