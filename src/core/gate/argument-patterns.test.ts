// Tests that arguments of a call are matched against the patterns of a grant.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { type ArgumentPatterns, argumentFit, type Fit } from './argument-patterns.ts'

const fitOf = (value: Json, ...patterns: ArgumentPatterns): Fit => argumentFit({ path: value }, 'path', patterns)

describe('a text', () => {
  it.each<[string, string]>([
    ['docs/plan.md', 'docs/plan.md'],
    ['docs/*', 'docs/plan.md'],
    ['docs/*.md', 'docs/plan.md'],
    ['docs/*', './docs//plan.md'],
    ['docs/**', 'docs'],
    ['docs/**', 'docs/a/b/c'],
    ['**/plan.md', 'plan.md'],
    ['**/plan.md', 'a/b/plan.md'],
    ['a/**/z', 'a/z'],
    ['a/**/z', 'a/b/c/z'],
    ['**', ''],
    ['*a*b*', 'xxaxxbxx'],
    ['https://example.org/**', 'https://example.org/a/b'],
    ['/v1/*', '/v1/users'],
    ['*', 'a text with [brackets] (and) $more'],
    ['a.c', 'a.c'],
  ])('%j takes %j', (pattern, text) => expect(fitOf(text, pattern)).toBe('fits'))

  it.each<[string, string]>([
    ['docs/*', 'docs/a/b'],
    ['docs/*', 'docs'],
    ['docs/**', 'docsx/a'],
    ['docs/**', 'a/docs/b'],
    ['*.md', 'a/b.md'],
    ['a.c', 'abc'],
    ['[a]', 'a'],
    ['a+', 'aa'],
    ['', 'a'],
  ])('%j does not take %j', (pattern, text) => expect(fitOf(text, pattern)).toBe('no'))

  it.each(['..', '../x', 'docs/..', 'docs/../x', 'docs\\..\\x', 'docs/a\\b', '/etc/passwd', '//docs/a', 'C:/docs/a', 'c:docs', 'DOCS/a'])(
    '%j fits no pattern of paths, and no denial lets it by',
    text => {
      expect(fitOf(text, 'docs/**')).toBe('unclear')
    },
  )

  it('with a root is not what a star stands for', () => {
    expect(fitOf('/docs/a', '**')).toBe('unclear')
    expect(fitOf('/docs/a', '**', '/docs/**')).toBe('fits')
  })

  it('with blanks around it is what it is with them and without, or unclear', () => {
    expect(fitOf(' b', 'b')).toBe('unclear')
    expect(fitOf('b\n', 'b')).toBe('unclear')
    expect(fitOf(' ../x', '**')).toBe('unclear')
    expect(fitOf(' /etc/passwd', '**')).toBe('unclear')
    expect(fitOf('a text\n', '*')).toBe('fits')
    expect(fitOf('a text\n', 'b')).toBe('no')
  })

  it('that is long, whatever it says, is not looked at', () => {
    expect(fitOf('a'.repeat(4_097), '**')).toBe('unclear')
  })
})

it.each<[Json, ArgumentPatterns, Fit]>([
  [3, [1, 2, 3], 'fits'],
  [3, [1, '2'], 'no'],
  [3, ['3'], 'unclear'],
  [3, ['**'], 'unclear'],
  [true, [true], 'fits'],
  [true, [false, 1], 'no'],
  [true, ['true'], 'unclear'],
  ['3', [1, 2, true], 'no'],
  ['3', [3], 'unclear'],
  [' 03.0', [3], 'unclear'],
  ['True ', [true], 'unclear'],
  ['', [0, false], 'no'],
  [null, ['docs/*', 0, false], 'no'],
  [null, ['**'], 'unclear'],
  [['docs/a'], ['docs/*'], 'unclear'],
  [{ path: 'docs/a' }, ['docs/*'], 'unclear'],
])('%j against %j: %s', (value, patterns, expected) => expect(fitOf(value, ...patterns)).toBe(expected))

it('an argument that is not there fits nothing, and a dot leads into objects: what lies in a list, or under a name with a dot in it, is unclear', () => {
  const at = (given: Json, argument: string) => argumentFit(given, argument, ['**'])
  expect(at({}, 'path')).toBe('no')
  expect(at('path', 'path')).toBe('no')
  expect(at({ to: { name: 'x' } }, 'to.name')).toBe('fits')
  expect(at({ to: 'x' }, 'to.name')).toBe('no')
  expect(at({ to: [{ name: 'x' }] }, 'to.name')).toBe('unclear')
  expect(at({ to: [{ name: 'x' }] }, 'to.0.name')).toBe('unclear')
  expect(at([{ name: 'x' }], 'name')).toBe('unclear')
  for (const given of [{ 'to.name': 'x' }, { 'to.name': 'x', to: { name: 'y' } }]) expect(at(given, 'to.name')).toBe('unclear')
  expect(at({ a: { 'b.c': 'x' } }, 'a.b.c')).toBe('unclear')
  expect(at({ 'a.b': { c: 'x' } }, 'a.b.c')).toBe('unclear')
  for (const inherited of ['constructor', 'constructor.name', '__proto__', 'toString', 'a.constructor.name'])
    expect(at({ a: {} }, inherited)).toBe('no')
})

it('a command is matched by its words, as where a run plans', () => {
  const command = (cmd: string, ...patterns: ArgumentPatterns) => argumentFit({ cmd }, 'cmd', patterns)
  expect(command('git log --oneline src', 'git status', 'git log --oneline *')).toBe('fits')
  for (const cmd of ['git log --oneline -p', 'git status; rm x', 'git log --oneline ../x', 'rm x', `git ${'x'.repeat(5_000)}`])
    expect(command(cmd, 'git status', 'git log --oneline *', '**')).toBe('unclear')
  expect(argumentFit({ cmd: 1 }, 'cmd', ['rm *'])).toBe('unclear')
})

describe('no pattern takes long', () => {
  const HOSTILE: readonly [string, string][] = [
    ['*a'.repeat(128), `${'a'.repeat(4_095)}b`],
    [`${'**/'.repeat(84)}b`, 'a/'.repeat(2_048)],
    ['**/*a*a*a*a*a*b/'.repeat(16), 'aaaaaaaaaaaaaaaa/'.repeat(240)],
    [`${'(a+)+'.repeat(40)}$`, 'a'.repeat(4_096)],
    [`${'*'.repeat(255)}b`, 'a'.repeat(4_096)],
  ]
  it.each(HOSTILE)('%#: a matcher that goes back more than it must would never come to an end', (pattern, text) => {
    expect(fitOf(text, pattern)).toBe('no')
  })
})

/** The same by taking texts apart in every way. */
function oracle(pattern: readonly string[], text: readonly string[], star: string, same: (one: string, other: string) => boolean): boolean {
  if (pattern.length === 0) return text.length === 0
  if (pattern[0] === star)
    return oracle(pattern.slice(1), text, star, same) || (text.length > 0 && oracle(pattern, text.slice(1), star, same))
  return text.length > 0 && same(pattern[0]!, text[0]!) && oracle(pattern.slice(1), text.slice(1), star, same)
}

it('agrees with a matcher that tries everything', () => {
  const part = (...parts: readonly string[]) => fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }).map(all => all.join(''))
  const path = (name: fc.Arbitrary<string>) => fc.array(name, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(path(fc.oneof(part('a', 'b', '*'), fc.constant('**'))), path(part('a', 'b')), (pattern, names) => {
      const nameFits = (one: string, other: string) => oracle([...one], [...other], '*', (a, b) => a === b)
      expect(fitOf(names.join('/'), pattern.join('/')) === 'fits').toBe(oracle(pattern, names, '**', nameFits))
    }),
    { numRuns: 1_000 },
  )
})
