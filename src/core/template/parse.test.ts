import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../testing/cpu-time.ts'
import { parseTemplate } from './parse.ts'

/** Each problem as `code start-end: message`. */
function problemsOf(source: string): string[] {
  const parsed = parseTemplate(source)
  if (parsed.ok) return []
  return parsed.problems.map(({ code, start, end, message }) => `${code} ${start}-${end}: ${message}`)
}

describe('a template that is refused', () => {
  it.each([
    ['X{{a', 'template-syntax 1-4: This tag is never closed: write }}'],
    ['X{{{a}}', 'template-syntax 1-7: A tag that begins with {{{ ends with }}}'],
    ['X{{{a}}}}', 'template-syntax 1-8: One } too many: to put a brace right behind a tag, end the tag with ~}}'],
    ['X{{a}}}', 'template-syntax 1-7: One } too many: to put a brace right behind a tag, end the tag with ~}}'],
    ['X{{}}', 'template-syntax 1-5: A variable name is missing in this tag'],
    ['X{{~}}', 'template-syntax 1-6: A variable name is missing in this tag'],
    ['X{{{}}}', 'template-syntax 1-7: A variable name is missing in this tag'],
    ['X{{&}}', 'template-syntax 1-6: A variable name is missing in this tag'],
    ['X{{a.}}', 'template-syntax 4-7: Unexpected "." in this tag'],
    ['X{{a..b}}', 'template-syntax 4-9: Unexpected "." in this tag'],
    ['X{{a/../b}}', 'template-syntax 5-11: Unexpected "." in this tag'],
    ['X{{a.this}}', 'template-syntax 5-11: Unexpected "t" in this tag'],
    ['X{{a.0}}', 'template-syntax 5-8: A path may not end in the literal 0: write .[0]'],
    ['X{{a.true}}', 'template-syntax 5-11: A path may not end in the literal true: write .[true]'],
    ['X{{a=1}}', 'template-syntax 4-8: Unexpected "=" in this tag'],
    ['X{{a}~}}', 'template-syntax 4-8: Unexpected "}" in this tag'],
    ['X{{ {{a}}', 'template-syntax 4-9: Unexpected "{" in this tag'],
    ['X{{a[0]}}', 'template-syntax 3-9: A dot is missing before the bracket: write a.[…]'],
    ['X{{a.[0}}', 'template-syntax 5-9: Unexpected "[" in this tag'],
    ['X{{a.[]}}', 'template-syntax 5-9: Unexpected "[" in this tag'],
    ['X{{a.[b\\]}}', 'template-syntax 5-11: Unexpected "[" in this tag'],
    ['X{{a.[b\nc]}}', 'template-syntax 5-12: Unexpected "[" in this tag'],
    [`X{{a.[${'b'.repeat(201)}]}}`, 'template-syntax 5-210: Unexpected "[" in this tag'],
    ['X{{😀(}}', 'template-syntax 3-8: Unexpected "😀" in this tag'],
    ['X{{! a', 'template-syntax 1-6: This comment is never closed'],
    ['X{{!-- a }}', 'template-syntax 1-11: This comment is never closed'],
    ['X{{true}}', 'unsupported-syntax 3-9: Literal values such as true are not supported: name a variable'],
    ['X{{-1.5}}', 'unsupported-syntax 3-9: Literal values such as -1.5 are not supported: name a variable'],
    ['X{{"a"}}', 'unsupported-syntax 3-8: Literal values such as "a" are not supported: name a variable'],
    ["X{{#if 'a'}}{{/if}}", "unsupported-syntax 7-12: Literal values such as 'a' are not supported: name a variable"],
    ['X{{a b}}', 'unsupported-syntax 3-8: Helpers are not supported: "a" cannot take arguments'],
    ['X{{a b=1}}', 'unsupported-syntax 3-10: Helpers are not supported: "a" cannot take arguments'],
    ['X{{if}}', 'unsupported-syntax 3-5: "if" is a reserved word: write {{this.if}} if a variable is meant'],
    ['X{{lookup}}', 'unsupported-syntax 3-9: "lookup" is a reserved word: write {{this.lookup}} if a variable is meant'],
    ['X{{> a}}', 'unsupported-syntax 1-8: Partials {{> …}} are not supported'],
    ['X{{* a}}', 'unsupported-syntax 1-8: Decorators are not supported'],
    ['X{{{{a}}}}', 'unsupported-syntax 1-8: Raw blocks {{{{…}}}} are not supported'],
    ['X{{@level}}', 'unsupported-syntax 3-9: @level does not exist: there are @index, @key, @first, @last and @root'],
    ['X{{@index.a}}', 'unsupported-syntax 3-11: @index is a plain value: nothing can be looked up inside it'],
    ['X{{#a}}{{/a}}', 'unsupported-syntax 4-7: The block "a" is not supported: there are #if, #unless, #each and #with'],
    ['X{{^a}}{{/a}}', 'unsupported-syntax 1-7: Inverted sections {{^…}} are not supported: use #unless'],
    ['X{{^}}', 'template-syntax 1-6: {{else}} is outside any block'],
    ['X{{#> a}}{{/a}}', 'unsupported-syntax 1-9: Partial blocks {{#> …}} are not supported'],
    ['X{{#*inline "a"}}{{/inline}}', 'unsupported-syntax 1-17: Decorators are not supported'],
    ['X{{#if (a)}}{{/if}}', 'unsupported-syntax 7-12: Subexpressions (…) are not supported'],
    ['X{{#if a b}}{{/if}}', 'unsupported-syntax 9-12: #if takes one variable and includeZero=true, no more'],
    ['X{{#each a includeZero=true}}{{/each}}', 'unsupported-syntax 11-29: #each takes one variable, no more'],
    ['X{{#if a includeZero=1}}{{/if}}', 'unsupported-syntax 9-24: #if takes one variable and includeZero=true, no more'],
    ['X{{#if a}}}{{/if}}', 'template-syntax 1-11: One } too many: to put a brace right behind a tag, end the tag with ~}}'],
    ['X{{#if}}{{/if}}', 'template-syntax 1-8: #if needs a variable: {{#if variable}}'],
    ['X{{#}}', 'template-syntax 1-6: A variable name is missing in this tag'],
    ['X{{#if a}}', 'template-syntax 1-10: {{#if}} is never closed: write {{/if}}'],
    ['X{{#if a}}{{/each}}', 'template-syntax 10-19: {{#if}} is closed by {{/each}}: write {{/if}}'],
    [
      'X{{#if a}}{{/}}',
      'template-syntax 10-15: A variable name is missing in this tag',
      'template-syntax 1-10: {{#if}} is never closed: write {{/if}}',
    ],
    ['X{{#if a}}{{/if b}}', 'template-syntax 16-19: Unexpected "b" in this tag'],
    ['X{{/if}}', 'template-syntax 1-8: {{/if}} closes nothing'],
    ['X{{else}}', 'template-syntax 1-9: {{else}} is outside any block'],
    ['X{{#if a}}{{else}}{{else}}{{/if}}', 'template-syntax 18-26: This block has its {{else}} already'],
    ['X{{#if a}}{{else}}{{else if b}}{{/if}}', 'template-syntax 18-31: This block has its {{else}} already'],
    ['X{{#if a}}{{else a}}{{/if}}', 'unsupported-syntax 17-20: The block "a" is not supported: there are #if, #unless, #each and #with'],
    ['X{{#each a as |x y z|}}{{/each}}', 'unsupported-syntax 11-21: #each gives one or two block parameters'],
    ['X{{#each a as ||}}{{/each}}', 'unsupported-syntax 11-16: #each gives one or two block parameters'],
    ['X{{#with a as |x y|}}{{/with}}', 'unsupported-syntax 11-19: #with gives one block parameter'],
    ['X{{#if a as |x|}}{{/if}}', 'unsupported-syntax 9-15: #if gives no block parameters'],
    ['X{{#each a as |if|}}{{/each}}', 'unsupported-syntax 15-17: "if" is a reserved word: it cannot name a block parameter'],
    ['X{{#each a as |1 |}}{{/each}}', 'template-syntax 15-20: Unexpected "1" in this tag'],
    ['X{{#each a as |x}}{{/each}}', 'template-syntax 16-18: Unexpected "}" in this tag'],
    ['X{{#each a as |x.y|}}{{/each}}', 'template-syntax 16-21: Unexpected "." in this tag'],
  ])('%s: %s', (source, ...expected) => {
    expect(problemsOf(source)).toEqual(expected)
  })
})

describe('several problems in one template', () => {
  it('are all told, in the order they are met, and blocks left open last', () => {
    expect(problemsOf('{{#each a}}{{b c}}{{#x}}{{> p}}{{/x}}{{d.0}}')).toEqual([
      'unsupported-syntax 13-18: Helpers are not supported: "b" cannot take arguments',
      'unsupported-syntax 21-24: The block "x" is not supported: there are #if, #unless, #each and #with',
      'unsupported-syntax 24-31: Partials {{> …}} are not supported',
      'template-syntax 41-44: A path may not end in the literal 0: write .[0]',
      'template-syntax 0-11: {{#each}} is never closed: write {{/each}}',
    ])
  })
})

describe('depth', () => {
  const nested = (depth: number) => '{{#if a}}'.repeat(depth) + '{{/if}}'.repeat(depth)
  const chained = (length: number) => `{{#if a}}${'{{else if a}}'.repeat(length - 1)}{{/if}}`

  it.each([nested, chained])('is limited to a hundred: %s', make => {
    expect(problemsOf(make(100))).toEqual([])
    expect(problemsOf(make(101))).toHaveLength(1)
    expect(problemsOf(make(101))[0]).toContain('Blocks may be nested at most 100 deep')
  })

  it('counts chains inside blocks together: sixty and sixty are too many', () => {
    expect(problemsOf('{{#if a}}'.repeat(60) + chained(40) + '{{/if}}'.repeat(60))).toEqual([])
    expect(problemsOf('{{#if a}}'.repeat(60) + chained(41) + '{{/if}}'.repeat(60))).toHaveLength(1)
  })

  it('does not add up over neighbours', () => {
    expect(problemsOf(nested(100).repeat(3))).toEqual([])
  })
})

describe('size', () => {
  it.each(['{{[', '{{"', '{{a', '{{!', '{{@', '{{#if ', '{{#each a as |x'])('of a tag is no reason to throw: %s', head => {
    expect(() => parseTemplate(`${head}${'a'.repeat(10_000_000)}`)).not.toThrow()
  })
})

describe('time', () => {
  const timeOf = (source: string) => cpuTimeOf(() => parseTemplate(source))
  const best = (rounds: number, source: string) => Math.min(...Array.from({ length: rounds }, () => timeOf(source)))

  // Were it quadratic, six times the length would take thirty-six times as long; memory alone may make it more than six.
  // The half millisecond is for what is too quick to measure.
  const growsEvenly = (length: number, head: string, tail: string) => {
    const [short, long] = [0.5, 3].map(times => head + tail.repeat((times * length) / tail.length)) as [string, string]
    // The long one first: what is not warm yet makes the growth look larger, never smaller, and then there is a retry.
    const longTime = best(2, long)
    expect(longTime).toBeLessThan(18 * best(4, short) + 0.5)
  }

  it.each([' ', '\n', '{{', '}}', '\\', '{', 'a'])('grows no faster than a megabyte of %j', { retry: 6 }, text => {
    growsEvenly(500_000, '', text)
  })

  it.each([
    ['escaped tags', '\\{{a}} '],
    ['white space in a tag', '{{ ', ' '],
    ['unclosed tags with names', '{{a '],
    ['outputs', '{{a}} '],
    ['trimmed outputs', ' {{~a~}} \n'],
    ['standalone comments', '  {{! a }}  \n'],
    ['comments that look unfinished', '{{!- }} '],
    ['blocks left open', '{{#if a}}'],
    ['blocks one after the other', '\n{{#if a}}\nx\n{{else}}\ny\n{{/if}}\n'],
    ['stray closing tags', '{{/if}}'],
    ['brackets never closed', '{{[ }}'],
    ['quotes never closed', '{{\\" }}'],
    ['one long name', '{{', 'a'],
    ['one long number', '{{', '1'],
    ['one long path', '{{a', '.a'],
    ['one long climb', '{{', '../'],
    ['one long bracket', '{{[', 'a'],
    ['one long string', '{{"', 'a'],
  ])('grows no faster than the template: %s', { retry: 6 }, (_, head, tail = head) => {
    growsEvenly(60_000, head, tail)
  })

  it('grows no faster than a chain of else', { retry: 6 }, () => {
    growsEvenly(150_000, '{{#if a}}', '{{else if a}}')
  })
})
