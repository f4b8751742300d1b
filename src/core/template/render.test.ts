import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { parseTemplate } from './parse.ts'
import { type RenderOptions, renderTemplate } from './render.ts'

type Values = Readonly<Record<string, Json>>

function render(source: string, values: Values, options?: RenderOptions) {
  const parsed = parseTemplate(source)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return renderTemplate(parsed.template, values, options)
}

/** Each segment as `text < from < source text`. */
function segmentsOf(source: string, values: Values): string[] {
  const rendered = render(source, values)
  if (!rendered.ok) throw new Error(JSON.stringify(rendered.problems))
  return rendered.segments.map(({ text, from, at }) => `${text} < ${from} < ${source.slice(at.start, at.end)}`)
}

/** Each problem as `code start-end: message`; [] without problems. */
function problemsOf(source: string, values: Values, options?: RenderOptions): string[] {
  const rendered = render(source, values, options)
  return rendered.ok ? [] : rendered.problems.map(({ code, start, end, message }) => `${code} ${start}-${end}: ${message}`)
}

describe('segments', () => {
  it('of literal text come from nowhere but the source', () => {
    expect(render('ab{{x}}', { x: 1 })).toEqual({
      ok: true,
      text: 'ab1',
      segments: [
        { text: 'ab', from: null, at: { start: 0, end: 2 } },
        { text: '1', from: 'x', at: { start: 2, end: 7 } },
      ],
    })
  })

  it('of text leave out what white space control cut', () => {
    expect(segmentsOf('  {{! note }}\n a \n{{~x}}', { x: 1 })).toEqual([' a < null <  a', '1 < x < {{~x}}'])
  })

  it.each<[string, Values, string[]]>([
    ['{{{a.b}}}', { a: { b: 'v' } }, ['v < a.b < {{{a.b}}}']],
    ['{{a.[b c]}}', { a: { 'b c': 1 } }, ['1 < a.[b c] < {{a.[b c]}}']],
    ['{{a.[x\\]y]}}', { a: { 'x]y': 1 } }, ['1 < a.[x\\]y] < {{a.[x\\]y]}}']],
    ['{{this}}', { a: 1 }, ['{"a":1} < this < {{this}}']],
    ['{{@root.a}}', { a: 1 }, ['1 < a < {{@root.a}}']],
    ['{{@root}}', { a: 1 }, ['{"a":1} < this < {{@root}}']],
  ])('of a value say which variable it is: %s', (source, values, expected) => {
    expect(segmentsOf(source, values)).toEqual(expected)
  })

  it('in a loop name the item', () => {
    expect(segmentsOf('{{#each items}}{{name}}{{/each}}', { items: [{ name: 'x' }, { name: 'y' }] })).toEqual([
      'x < items.[0].name < {{name}}',
      'y < items.[1].name < {{name}}',
    ])
    expect(segmentsOf('{{#each a}}{{#each this}}{{this}}{{/each}}{{/each}}', { a: { k: ['x'] } })).toEqual(['x < a.k.[0] < {{this}}'])
    expect(segmentsOf('{{#each this}}{{this}}{{/each}}', { a: 1, 'b c': 2 })).toEqual(['1 < a < {{this}}', '2 < [b c] < {{this}}'])
  })

  it('in #with, and above it, name the variable from the top', () => {
    expect(segmentsOf('{{#with a}}{{b}}{{../c}}{{/with}}', { a: { b: 1 }, c: 2 })).toEqual(['1 < a.b < {{b}}', '2 < c < {{../c}}'])
  })

  it('of block parameters name what the parameter stands for', () => {
    const source = '{{#each items as |item key|}}{{#with item.x as |y|}}{{y.z}}{{key}}{{item.n}}{{/with}}{{/each}}'
    expect(segmentsOf(source, { items: [{ n: 1, x: { z: 2 } }] })).toEqual([
      '2 < items.[0].x.z < {{y.z}}',
      '0 < @key < {{key}}',
      '1 < items.[0].n < {{item.n}}',
    ])
  })

  it('of loop data say which', () => {
    expect(segmentsOf('{{#each a}}{{@index}}{{#each this}}{{@key}}{{@../last}}{{/each}}{{/each}}', { a: [{ k: 1 }] })).toEqual([
      '0 < @index < {{@index}}',
      'k < @key < {{@key}}',
      'true < @../last < {{@../last}}',
    ])
  })

  it('are not made of nothing', () => {
    expect(segmentsOf('{{a}}{{b}}', { a: '', b: null })).toEqual([])
  })
})

describe('a missing value', () => {
  it.each<[string, Values, string[]]>([
    ['{{a}}', {}, ['value-missing 0-5: "a" has no value']],
    ['{{a.b}}', { a: {} }, ['value-missing 0-7: "a.b" has no value']],
    ['{{#each a}}{{b}}{{/each}}', { a: [{}, {}, {}] }, ['value-missing 11-16: "a.[0].b" has no value']],
    ['{{a}} {{a}}', {}, ['value-missing 0-5: "a" has no value', 'value-missing 6-11: "a" has no value']],
    ['{{#each a}}x{{/each}}', {}, ['value-missing 0-11: "a" has no value']],
    ['{{#with a}}x{{/with}}', {}, ['value-missing 0-11: "a" has no value']],
    ['{{@index}}', {}, ['value-missing 0-10: "@index" has no value']],
    ['{{../a}}', { a: 1 }, ['value-missing 0-8: "a" has no value']],
    [
      '{{a.constructor}}{{toString}}',
      { a: {} },
      ['value-missing 0-17: "a.constructor" has no value', 'value-missing 17-29: "toString" has no value'],
    ],
  ])('is refused, and rendered empty when lenient: %s', (source, values, problems) => {
    expect(problemsOf(source, values)).toEqual(problems)
    expect(render(source, values, { lenient: true })).toMatchObject({ ok: true, text: source === '{{a}} {{a}}' ? ' ' : '' })
  })

  it.each([
    '{{#if a}}x{{/if}}',
    '{{#unless a}}{{/unless}}',
    '{{#if a.b.c}}{{/if}}',
    '{{#each a}}x{{else}} {{/each}}',
    '{{#with a}}x{{else}} {{/with}}',
    '{{#if a}}{{a.b}}{{/if}}',
  ])('is no problem where the template asks first: %s', source => {
    expect(problemsOf(source, {})).toEqual([])
  })

  it('is not what null is: null was given, and prints nothing', () => {
    expect(render('[{{a}}{{a.b.c}}{{#each a}}x{{/each}}{{#with a}}x{{/with}}]', { a: null })).toMatchObject({ ok: true, text: '[]' })
  })
})

describe('printing', () => {
  it.each<[Json, string]>([
    ['{{x}} {{#if', '{{x}} {{#if'],
    ['<&>"\'', '<&>"\''],
    [0, '0'],
    [-0, '0'],
    [1e21, '1e+21'],
    [false, 'false'],
    [[1, ['a', null]], '[1,["a",null]]'],
    [{ b: 1, a: '{{x}}' }, '{"a":"{{x}}","b":1}'],
    [[], '[]'],
  ])('%j as %s, and never again as a template', (value, text) => {
    expect(render('{{value}}', { value, x: 'expanded' })).toMatchObject({ ok: true, text })
  })

  it('two numbers side by side does not add them up', () => {
    expect(render('{{{a}}}{{{b}}}{{#each l}}{{@index}}{{this}}{{/each}}', { a: 2, b: 3, l: [7] })).toMatchObject({ ok: true, text: '2307' })
  })
})

describe('what is not JSON', () => {
  let deep: Json = 'x'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const cyclic: Json[] = []
  cyclic.push(cyclic)

  it.each<[string, unknown, string]>([
    ['NaN', Number.NaN, 'is not plain JSON'],
    ['Infinity', Number.POSITIVE_INFINITY, 'is not plain JSON'],
    ['NaN inside', [Number.NaN], 'is not plain JSON'],
    ['a function', () => 'x', 'is not plain JSON'],
    ['a symbol', Symbol('x'), 'is not plain JSON'],
    ['a big integer', 1n, 'is not plain JSON'],
    ['half a character', '\ud800', 'is not valid Unicode'],
    ['half a character inside', ['\udc00'], 'is not plain JSON'],
    ['too deep a value', deep, 'is not plain JSON'],
    ['a value inside itself', cyclic, 'is not plain JSON'],
  ])('is a problem, also when lenient: %s', (_, value, message) => {
    for (const lenient of [true, false])
      expect(problemsOf('{{a}}', { a: value as Json }, { lenient })).toEqual([`value-not-json 0-5: "a" ${message}`])
  })

  it('is a problem as the name of a field, too', () => {
    expect(problemsOf('{{#each a}}{{@key}}{{/each}}', { a: { '\ud800': 1 } })).toEqual([
      'value-not-json 11-19: "@key" is not valid Unicode',
    ])
  })

  it('prints values as deep as two hundred levels', () => {
    const nest = (depth: number): Json => (depth === 0 ? 'x' : [nest(depth - 1)])
    expect(problemsOf('{{a}}', { a: nest(200) })).toEqual([])
    expect(problemsOf('{{a}}', { a: nest(201) })).toHaveLength(1)
  })
})

describe('limits', () => {
  it('stop at the first character too many', () => {
    expect(render('ab{{x}}', { x: 'cd' }, { maxLength: 4 })).toMatchObject({ ok: true, text: 'abcd' })
    expect(problemsOf('ab{{x}}{{missing}}', { x: 'cde' }, { maxLength: 4 })).toEqual([
      'output-too-long 2-7: The rendered text is longer than 4 characters',
    ])
  })

  const THRICE = '{{#each a}}{{#each @root.a}}{{#each @root.a}}{{/each}}{{/each}}{{/each}}'

  it('stop loops inside loops, also around nothing', () => {
    const a = Array.from({ length: 1000 }, (_, index) => index)
    expect(problemsOf(THRICE, { a })).toEqual(['too-many-steps 11-28: Rendering takes too many steps: loops inside loops over large lists'])
  })

  it('count a step for every node that runs and one for every list of them', () => {
    expect(problemsOf('a{{#each l}}{{this}}b{{/each}}', { l: [1, 2] }, { maxSteps: 9 })).toEqual([])
    expect(problemsOf('a{{#each l}}{{this}}b{{/each}}', { l: [1, 2] }, { maxSteps: 8 })).toHaveLength(1)
  })

  it('hold for a row that is a long list: what is compared is never spelled out', () => {
    const rows = [Array.from({ length: 50_000 }, () => 'cell')]
    expect(render('{{#each rows}}{{#each this}}{{#if @last}}{{this}}{{/if}}{{/each}}{{/each}}', { rows })).toMatchObject({
      ok: true,
      text: 'cell',
    })
  })
})
