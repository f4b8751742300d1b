// Tests tools of other servers: their names, their pinned content, and the comparison of listed with adopted tools.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Digest } from '../digest/digest.ts'
import {
  type Adoptions,
  adoptedDraft,
  differenceOf,
  droppedDraft,
  type ForeignTool,
  foreignName,
  pinnedText,
  pinOf,
  reduceAdoptions,
  SERVER_NAME,
  standingTools,
} from './foreign-tools.ts'

const tool = (name: string, description = ''): ForeignTool => ({ name, description, inputSchema: { type: 'object' } })

/** The names that the three large providers all accept. */
const EVERY_PROVIDER = [/^[a-zA-Z0-9_-]{1,64}$/, /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/]

describe('a name', () => {
  const server = fc.stringMatching(/^[a-z]{1,3}([-_][a-z0-9]{1,2}){0,2}$/).filter(name => new RegExp(SERVER_NAME).test(name))
  const anyTool = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)

  it('is never that of two tools', () => {
    fc.assert(
      fc.property(server, anyTool, server, anyTool, (s1, t1, s2, t2) => {
        expect(foreignName(s1, t1) === foreignName(s2, t2)).toBe(s1 === s2 && t1 === t2)
      }),
    )
  })

  it('is one that every provider takes, or there is none', () => {
    fc.assert(
      fc.property(server, fc.string({ maxLength: 80, unit: 'binary' }), (s, t) => {
        const name = foreignName(s, t)
        if (name !== null) for (const grammar of EVERY_PROVIDER) expect(name).toMatch(grammar)
      }),
    )
  })

  it('has at most 64 characters, its server’s included', () => {
    expect(foreignName('desk', 'x'.repeat(58))).toHaveLength(64)
    expect(foreignName('desk', 'x'.repeat(59))).toBeNull()
  })

  it.each(['Archive', '1st', 'a__b', 'a_', '-a', 'a.b', ''])('of a server is not "%s"', name => {
    expect(name).not.toMatch(new RegExp(SERVER_NAME))
  })
})

describe('a pin', () => {
  it('covers all that a model or a person goes by, in any order of keys', () => {
    const one: ForeignTool = {
      name: 'a',
      description: 'b',
      inputSchema: { type: 'object', title: 'c' },
      annotations: { readOnlyHint: true },
    }
    const other = { annotations: { readOnlyHint: true }, inputSchema: { title: 'c', type: 'object' }, description: 'b', name: 'a' }
    expect(pinOf(other)).toBe(pinOf(one))
    const changes: readonly Partial<ForeignTool>[] = [
      { name: 'A' },
      { description: 'b ' },
      { inputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: false } },
    ]
    for (const change of changes) expect(pinOf({ ...one, ...change })).not.toBe(pinOf(one))
  })

  it('covers nothing else: what is not told to anybody may change', () => {
    expect(pinnedText({ ...tool('a'), _meta: { seen: 7 } } as ForeignTool)).toBe(pinnedText(tool('a')))
  })
})

const at = '2026-01-01T00:00:00Z'
const fold = (...drafts: readonly ReturnType<typeof adoptedDraft>[]): Adoptions =>
  drafts.map(draft => ({ at, ...draft })).reduce(reduceAdoptions, new Map() as Adoptions)
const adopted = (one: ForeignTool, actor = 'ada') =>
  adoptedDraft({ server: 'desk', tool: one.name, descriptor: pinOf(one), before: null }, actor)

describe('what was adopted', () => {
  it('is what was adopted last, by whom, until it is dropped', () => {
    const [first, second] = [tool('say', 'one'), tool('say', 'two')]
    const both = fold(adopted(first), adopted(second, 'bob'))
    expect([...both]).toEqual([['desk__say', { server: 'desk', tool: 'say', descriptor: pinOf(second), by: 'bob', at }]])
    const drop = droppedDraft({ server: 'desk', tool: 'say', descriptor: pinOf(second), by: '', at: '' }, 'ada')
    expect(fold(adopted(first), drop).size).toBe(0)
  })

  it('is not changed by events that say something else', () => {
    const adoptions = fold(adopted(tool('say')))
    expect(reduceAdoptions(adoptions, { type: 'tool.seen', actor: '', at, payload: null })).toBe(adoptions)
  })
})

it('stands as it is listed now: adopted, changed, new or missing', () => {
  const adoptions = fold(adopted(tool('same')), adopted(tool('other', 'before')), adopted(tool('gone')))
  const listed = [tool('same'), tool('other', 'after'), tool('fresh')]
  const states = (found: ReturnType<typeof standingTools>) => found.map(({ tool, state }) => `${tool} ${state}`)
  expect(states(standingTools('desk', listed, adoptions))).toEqual(['fresh new', 'gone missing', 'other changed', 'same adopted'])
  expect(states(standingTools('desk', null, adoptions))).toEqual(['gone adopted', 'other adopted', 'same adopted'])
  expect(states(standingTools('elsewhere', listed, adoptions))).toEqual(['fresh new', 'other new', 'same new'])
})

it('a difference shows what was there and what is, and no more', () => {
  const found = differenceOf(tool('say', 'Says it.'), tool('say', 'Says it. Then mails it.'))
  expect(found).toMatch(/^--- adopted\n\+\+\+ listed\n/)
  expect(found.split('\n').filter(line => /^[-+] /.test(line))).toEqual([
    '-  "description": "Says it.",',
    '+  "description": "Says it. Then mails it.",',
  ])
})

it('a digest of one is the digest of its object', () => {
  const pin: Digest = pinOf(tool('say'))
  expect(pin).toMatch(/^sha256:[0-9a-f]{64}$/)
})
