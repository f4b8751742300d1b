import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goodPack } from '../../testing/rules/test-rule.ts'
import type { Json } from '../digest/digest.ts'
import { collectSchemas } from '../schema/schemas.ts'
import { parseTemplate } from '../template/parse.ts'
import { renderTemplate } from '../template/render.ts'
import { compilePack, type PromptKind } from './compile.ts'
import type { Example, Pack } from './pack.ts'

const compile = (pack: Partial<Pack>, schema: Json = {}) =>
  compilePack(
    { ...(goodPack as unknown as Pack), ...pack },
    collectSchemas([{ path: 'a.json', schema: { $id: goodPack.outputSchema as string, ...(schema as object) } }]).schemas,
  )
const textOf = (kind: PromptKind, pack: Partial<Pack>, schema?: Json) =>
  compile(pack, schema).find(template => template.kind === kind)?.text
const render = (text: string) => {
  const parsed = parseTemplate(text)
  const rendered = parsed.ok ? renderTemplate(parsed.template, {}) : parsed
  return rendered.ok && 'text' in rendered ? rendered.text : expect.fail(JSON.stringify(rendered))
}

describe('compilePack', () => {
  it('makes a system template with the variables, and others without', () => {
    const variables = [{ name: 'a', type: 'string' as const }]
    expect(compile({ variables }).map(({ text: _, ...rest }) => rest)).toEqual([
      { id: 'writer', version: '1.0.0', kind: 'system', variables },
      { id: 'writer.few-shot', version: '1.0.0', kind: 'few-shot', variables: [] },
      { id: 'writer.schema-hint', version: '1.0.0', kind: 'schema-hint', variables: [] },
    ])
  })

  it('shows examples that say what is expected, null included', () => {
    expect(
      textOf('few-shot', {
        examples: [
          { name: 'A', input: { b: 1, a: 2 }, expectedOutput: null },
          { name: 'B', input: 1 },
        ],
      }),
    ).toBe('Example: A\nInput:\n{\n  "a": 2,\n  "b": 1\n}\nOutput:\nnull')
  })

  it('has no few-shot without such examples', () => expect(textOf('few-shot', { examples: [{ name: 'B', input: 1 }] })).toBeUndefined())
  it('has no schema hint without the schema', () =>
    expect(compilePack(goodPack as unknown as Pack, new Map()).map(({ kind }) => kind)).toEqual(['system', 'few-shot']))
})

describe('text that looks like a template', () => {
  const odd = fc
    .array(fc.constantFrom('{', '{{', '}', '}}', '\\', '"', '#if a', 'x', '~', '!--', '\n', '\u2028', '😀', '\\u007b'), { maxLength: 12 })
    .map(parts => parts.join(''))
  const json = fc.letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      odd,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(odd, tie('value'), { maxKeys: 3 }),
    ) as fc.Arbitrary<Json>,
  })).value

  it('is rendered back to the exact JSON', () => {
    fc.assert(
      fc.property(odd, json, json, (name, input, expectedOutput) => {
        const examples: Example[] = [{ name: `x${name}`, input, expectedOutput }]
        const text = render(textOf('few-shot', { examples })!)
        const [, shownInput, shownOutput] = /\nInput:\n([\s\S]*)\nOutput:\n([\s\S]*)$/.exec(text)!
        expect([JSON.parse(shownInput!), JSON.parse(shownOutput!)]).toEqual([input, expectedOutput])
      }),
      { numRuns: 1000 },
    )
  })

  it('is rendered back in a schema hint too', () => {
    fc.assert(
      fc.property(json, value => {
        const text = render(textOf('schema-hint', {}, { const: value, description: '{{#each}}' })!)
        expect(JSON.parse(text.slice(text.indexOf('\n') + 1))).toMatchObject({ const: value, description: '{{#each}}' })
      }),
    )
  })

  it('opens no tag in the name of an example, however many braces', () => {
    expect(render(textOf('few-shot', { examples: [{ name: '{{{{a}}', input: 1, expectedOutput: 1 }] })!)).toContain('Example: { { { {a}}')
  })
})
