import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeName, encodeName, isPath, isSegment, isWithin, isWorkspaceName } from './path.ts'

describe('names and paths', () => {
  it.each(['a', 'prompts/packs/default.json', '.env', 'a-b_c'.replace('_', '.'), '...', 'x~y', '~F09F8EAD'])('%s is a path', path => {
    expect(isPath(path)).toBe(true)
  })

  const refused = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/./b',
    'a\\b',
    'a b',
    'ä',
    'a\0',
    'a\n',
    '%2e%2e',
    '~',
    '~zz',
    '~7e',
    '~61',
  ]
  it.each(refused)('%j is none', path => expect(isPath(path)).toBe(false))

  it('refuses what is longer than a disk takes', () => {
    expect([isSegment('x'.repeat(511)), isSegment('x'.repeat(512)), isPath('x/'.repeat(3000).slice(0, -1))]).toEqual([true, false, false])
  })

  it('calls workspaces by one such name', () => {
    expect(['writer', 'news.desk~2', '..', 'a/b', '', 'x'.repeat(129)].map(isWorkspaceName)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('counts a prefix as such only at the end of a name', () => {
    expect([isWithin('docs', 'docs'), isWithin('docs/a', 'docs'), isWithin('docs2/a', 'docs'), isWithin('docs', 'docs/a')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('names from a disk', () => {
  const names = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 80 })
    .filter(name => !/[/\\\0]/.test(name) && name !== '.' && name !== '..')

  it('come back as they were, and no two become the same', () => {
    fc.assert(
      fc.property(names, names, (one, other) => {
        expect(decodeName(encodeName(one))).toBe(one)
        expect(isSegment(encodeName(one))).toBe(true)
        if (one !== other) expect(encodeName(one)).not.toBe(encodeName(other))
      }),
    )
  })

  it('stand as they are where they can', () => {
    expect(['README.md', 'über.md', '~home', 'a b'].map(encodeName)).toEqual(['README.md', '~C3BC6265722E6D64', '~7E686F6D65', '~612062'])
  })

  it.each([
    ['a parent', '~2E2E'],
    ['the folder itself', '~2E'],
    ['a slash', '~612F62'],
    ['a backslash', '~615C62'],
    ['a NUL', '~00'],
    ['bad hex', '~6G'],
    ['half a byte', '~612'],
    ['lower-case hex', '~c3bc'],
    ['bad UTF-8', '~C3'],
    ['a name that needs no hex', '~6162'],
    ['nothing', '~'],
  ])('are never %s', (_, segment) => {
    expect([decodeName(segment), isSegment(segment)]).toEqual([null, false])
  })
})

it.each(['.git', '.git/config', 'a/.GIT/hooks/post-checkout'])('%s is no path: git would obey it after a checkout', path => {
  expect(isPath(path)).toBe(false)
})

it.each(['.gitignore', 'a/.github/x', 'git'])('%s is a path', path => {
  expect(isPath(path)).toBe(true)
})

const SPELLINGS = [
  '.onbook',
  '.ONBOOK',
  '.Onbook.',
  '.onbook ',
  '.onboo\u212a',
  '.on\u200cbook',
  '\uff0eonbook',
  '.onbook::$INDEX_ALLOCATION',
  'ONBOOK~1',
]
it.each(SPELLINGS)('agentos D14: a folder %j is not a path: Onbook would read it after a checkout', name => {
  expect([`${encodeName(name)}/host.json`, `a/${encodeName(name)}`].map(isPath)).toEqual([false, false])
})

it.each(['onbook.host.yaml', 'a/Onbook.Policy.yaml', 'git~1/config', encodeName('.git.')])('agentos D14: %s is not a path', path =>
  expect(isPath(path)).toBe(false),
)

it.each(['.onbookignore', 'onbook.config.yaml', 'onbook.registry.json', 'onbook', 'onbook.hosts.yaml'])('%s is a path', path =>
  expect(isPath(path)).toBe(true),
)
