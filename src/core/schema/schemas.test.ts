import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { parsePointer, pointerText } from './pointer.ts'
import { closureOf, collectSchemas, digestsOf } from './schemas.ts'

const collect = (...schemas: Json[]) => collectSchemas(schemas.map((schema, index) => ({ path: `schemas/${index}.json`, schema })))
const closure = (...schemas: { $id: string; [key: string]: Json }[]) => closureOf(schemas[0]!.$id, collect(...schemas).schemas)

describe('collectSchemas', () => {
  it('names schemas by $id, without an empty fragment', () => {
    const { schemas, problems } = collect({ $id: 'https://a/b.json#' }, { $id: 'urn:x:y' })
    expect([...schemas.keys()]).toEqual(['https://a/b.json', 'urn:x:y'])
    expect(problems).toEqual([])
  })

  it.each<[string, Json]>([
    ['no $id', {}],
    ['a relative $id', { $id: 'b.json' }],
    ['an $id that is no text', { $id: 1 }],
    ['true', true],
    ['a list', []],
  ])('mentions a schema with %s', (_, schema) => {
    expect(collect(schema)).toEqual({
      schemas: new Map(),
      problems: [{ path: 'schemas/0.json', severity: 'info', message: 'This schema has no $id that is a URI, so no pack can name it' }],
    })
  })

  it('keeps the first of two with the same $id', () => {
    const { schemas, problems } = collect({ $id: 'a:b', type: 'string' }, { $id: 'a:b' })
    expect(schemas.get('a:b')).toMatchObject({ path: 'schemas/0.json' })
    expect(problems).toEqual([{ path: 'schemas/1.json', severity: 'error', message: 'a:b is also the $id of schemas/0.json' }])
  })

  it('refuses one that is nested too deep', () => {
    const deep = JSON.parse(`${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`)
    expect(collect({ $id: 'a:b', ...deep }).problems).toEqual([
      { path: 'schemas/0.json', severity: 'error', message: 'The schema is nested more than 200 deep' },
    ])
  })
})

describe('closureOf', () => {
  it('is null for a schema nobody has', () => expect(closureOf('a:b', collect().schemas)).toBeNull())

  it('reaches everything once, itself first, in circles too', () => {
    const found = closure(
      { $id: 'https://a/1.json', allOf: [{ $ref: '2.json' }, { $ref: '3.json' }] },
      { $id: 'https://a/2.json', $ref: '1.json' },
      { $id: 'https://a/3.json', $ref: '2.json' },
      { $id: 'https://a/4.json' },
    )
    expect(found).toEqual({ uris: ['https://a/1.json', 'https://a/2.json', 'https://a/3.json'], unresolved: [], faults: [] })
  })

  it('says in which file a $ref leads nowhere', () => {
    expect(closure({ $id: 'https://a/1.json', $ref: '2.json' }, { $id: 'https://a/2.json', $ref: 'gone.json#x' })?.unresolved).toEqual([
      { ref: 'gone.json#x', path: 'schemas/1.json' },
    ])
  })

  it('never looks into data', () =>
    expect(
      closure({ $id: 'a:b', const: { $ref: 'x' }, enum: [{ $ref: 'x' }], default: { $ref: 'x' }, examples: [{ $ref: 'x' }] })?.unresolved,
    ).toEqual([]))
  it('looks into properties called like keywords', () =>
    expect(closure({ $id: 'a:b', properties: { const: { $ref: '#/$defs/x' } } })?.unresolved).toHaveLength(1))
  it('compares URIs, not their spelling', () => {
    expect(closure({ $id: 'HTTPS://A.example/x.json', $ref: 'https://a.example/y.json' }, { $id: 'https://A.EXAMPLE/y.json' })).toEqual({
      uris: ['HTTPS://A.example/x.json', 'https://A.EXAMPLE/y.json'],
      unresolved: [],
      faults: [],
    })
  })
  it('survives a $ref that is no URI at all', () => expect(closure({ $id: 'a:b', $ref: 'http://[' })?.unresolved).toHaveLength(1))
  it('survives a fragment that cannot be decoded', () => expect(closure({ $id: 'https://a/b', $ref: '#%ff' })?.unresolved).toHaveLength(1))

  it('walks ten thousand references in reasonable time', () => {
    const $defs = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`d${index}`, { $ref: '#/$defs/d0' }]))
    expect(closure({ $id: 'https://a/b', $defs })?.unresolved).toEqual([])
  })
})

describe('digestsOf', () => {
  const one = { $id: 'https://a/1.json', $ref: '2.json' }
  const two = { $id: 'https://a/2.json', type: 'string' }

  it('names what is reached', () => expect(Object.keys(digestsOf(one.$id, collect(one, two).schemas))).toEqual([one.$id, two.$id]))
  it('is the same whatever the order of keys', () =>
    expect(digestsOf(two.$id, collect(two).schemas)).toEqual(digestsOf(two.$id, collect({ type: 'string', $id: two.$id }).schemas)))
  it('changes with content under the same URI', () =>
    expect(digestsOf(two.$id, collect(two).schemas)).not.toEqual(digestsOf(two.$id, collect({ ...two, type: 'array' }).schemas)))
  it('is empty for a schema nobody has', () => expect(digestsOf('a:b', collect().schemas)).toEqual({}))
})

it.each<[string, (string | number)[]]>([
  ['', []],
  ['/a/0/b', ['a', 0, 'b']],
  ['/a~1b/c~0d', ['a/b', 'c~d']],
  ['/', ['']],
  ['/01', ['01']],
])('reads and writes the pointer %j', (text, pointer) => {
  expect(parsePointer(text)).toEqual(pointer)
  expect(pointerText(pointer)).toBe(text)
})
