import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goodPack } from '../../testing/rules/test-rule.ts'
import { type Bump, biggest, type Change, changesBetween, isSmaller } from './changes.ts'
import type { Pack, Variable } from './pack.ts'

const pack = (fields: Partial<Pack> = {}): Pack => ({ ...(goodPack as unknown as Pack), examples: [], ...fields })
const said = (before: Partial<Pack>, after: Partial<Pack>) =>
  changesBetween(pack(before), pack(after)).map(({ bump, what, pointer }) => `${bump} /${pointer.join('/')} ${what}`)
const a: Variable = { name: 'a', type: 'string' }
const shown = (name: string, input = 1) => ({ name, input })

describe('changesBetween', () => {
  it.each<[string, Partial<Pack>, Partial<Pack>, string[]]>([
    ['nothing', {}, {}, []],
    ['inputSchema', {}, { inputSchema: 'a:b' }, ['major /inputSchema names another inputSchema']],
    ['outputSchema', {}, { outputSchema: 'a:b' }, ['major /outputSchema names another outputSchema']],
    ['a variable less', { variables: [a] }, {}, ['major /variables removes the variable "a"']],
    ['an optional variable', {}, { variables: [a] }, ['minor /variables/0 adds the optional variable "a"']],
    ['a required variable', {}, { variables: [{ ...a, required: true }] }, ['major /variables/0 adds the required variable "a"']],
    [
      'a required variable with a default',
      {},
      { variables: [{ ...a, required: true, default: 'x' }] },
      ['minor /variables/0 adds the optional variable "a"'],
    ],
    [
      'another type',
      { variables: [a] },
      { variables: [{ ...a, type: 'array' }] },
      ['major /variables/0 makes "a" array instead of string'],
    ],
    ['optional → required', { variables: [a] }, { variables: [{ ...a, required: true }] }, ['major /variables/0 makes "a" required']],
    ['required → optional', { variables: [{ ...a, required: true }] }, { variables: [a] }, []],
    [
      'the default of a required variable goes',
      { variables: [{ ...a, required: true, default: 'x' }] },
      { variables: [{ ...a, required: true }] },
      ['major /variables/0 makes "a" required'],
    ],
    [
      'another default',
      { variables: [{ ...a, default: 'x' }] },
      { variables: [{ ...a, default: 'y' }] },
      ['minor /variables/0 changes the default of "a"'],
    ],
    [
      'a default with its keys in another order',
      { variables: [{ ...a, type: 'object', default: { x: 1, y: 2 } }] },
      { variables: [{ ...a, type: 'object', default: { y: 2, x: 1 } }] },
      [],
    ],
    ['variables in another order', { variables: [a, { ...a, name: 'b' }] }, { variables: [{ ...a, name: 'b' }, a] }, []],
    [
      'an example more and one less',
      { examples: [shown('x')] },
      { examples: [shown('y')] },
      ['minor /examples removes the example "x"', 'minor /examples/0 adds the example "y"'],
    ],
    [
      'an example with other content',
      { examples: [shown('x')] },
      { examples: [shown('x', 2)] },
      ['patch /examples/0 changes the example "x"'],
    ],
    [
      'a constraint more and one less',
      { constraints: ['x'] },
      { constraints: ['y'] },
      ['minor /constraints/0 adds or rewords the constraint "y"', 'minor /constraints removes or rewords the constraint "x"'],
    ],
    ['a refusal rule more', {}, { refusalRules: ['y'] }, ['minor /refusalRules/0 adds or rewords the refusal rule "y"']],
    ['other words', {}, { systemPrompt: 'x' }, ['patch /systemPrompt rewords systemPrompt']],
    ['who wrote it', {}, { meta: { author: 'me' } }, []],
  ])('%s', (_, before, after, expected) => expect(said(before, after)).toEqual(expected))
})

describe('biggest', () => {
  const anyChange = fc.record({ bump: fc.constantFrom<Bump>('patch', 'minor', 'major'), what: fc.string(), pointer: fc.constant([]) })

  it('is none smaller than any', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1 }), changes => {
        const most = biggest(changes) as Change
        expect(changes).toContain(most)
        expect(changes.filter(({ bump }) => isSmaller(most.bump, bump))).toEqual([])
        expect(most).toBe(changes.find(({ bump }) => bump === most.bump))
      }),
    )
  })
  it('is null of none', () => expect(biggest([])).toBeNull())
})
