// Git itself is the judge of what its ignore files mean.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IgnoreLayer, isIgnored, readIgnore } from './ignore.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onbook-ignore-'))
  spawnSync('git', ['init', '-q'], { cwd: folder })
})
afterAll(() => rmSync(folder, { recursive: true }))

const FILES = [
  'a.log',
  'b.md',
  'keep.log',
  'build/out.js',
  'build/keep.js',
  'src/build/x.ts',
  'src/a.log',
  'docs/api/deep/x.md',
  'docs/x.md',
  'docs/keep.md',
  '#hash',
  '!bang',
  'trailing ',
  'a[1].txt',
  'a1.txt',
  'ab.txt',
  'z-.txt',
  'foo/bar/baz',
  'foo/baz',
  'x/foo/baz',
  'ünïcode.md',
  'back\\slash',
]

const gitIgnores = (paths: readonly string[]): readonly string[] =>
  spawnSync('git', ['-c', 'core.excludesFile=/dev/null', 'check-ignore', '-z', '--no-index', '--stdin'], {
    cwd: folder,
    input: paths.join('\0'),
  })
    .stdout.toString()
    .split('\0')
    .filter(path => path !== '')

/** As a walk does: nothing is asked about what lies in a folder that is left out. */
function weIgnore(layers: readonly IgnoreLayer[], path: string): boolean {
  const names = path.split('/')
  return names.some((_, index) => {
    const above = names.slice(0, index + 1).join('/')
    const known = layers.filter(layer => layer.folder === '' || above.startsWith(`${layer.folder}/`))
    return isIgnored(known, above, index < names.length - 1)
  })
}

const check = (ignores: Readonly<Record<string, string>>) => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  spawnSync('git', ['init', '-q'], { cwd: folder })
  for (const path of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  const layers = Object.entries(ignores).map(([where, text]) => {
    writeFileSync(join(folder, where, '.gitignore'), text)
    return { folder: where, rules: readIgnore(text) }
  })
  expect(FILES.filter(path => weIgnore(layers, path))).toEqual(gitIgnores(FILES))
}

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('ignore files mean what git says they mean', () => {
  it.each([
    '*.log',
    '*.log\n!keep.log',
    'build',
    'build/',
    '/build',
    'build/*\n!build/keep.js',
    'build/\n!build/keep.js',
    'docs/**',
    'docs/**\n!docs/keep.md',
    '**/x.md',
    'docs/**/x.md',
    '**',
    '*',
    '*\n!*/\n!*.md',
    '#hash',
    '\\#hash',
    '\\!bang',
    'trailing ',
    'trailing\\ ',
    'a[1].txt',
    'a\\[1\\].txt',
    '[!b]1.txt',
    '[^b]?.txt',
    '[a-c]?.txt',
    'z[-a].txt',
    'a[',
    '?.md',
    'foo/*',
    'foo/**/baz',
    '/foo/baz',
    'foo/baz',
    'baz',
    'x/**/baz\r\nb.md\r\n',
    'ün*.md',
    'back\\\\slash',
    '\ufeffb.md',
    '',
    '\n\n  \n',
    'docs//x.md',
  ])('%j', text => check({ '': text }))

  it('also below, where the nearer one comes last', () => {
    check({ '': '*.md', docs: '!keep.md\napi/' })
    check({ docs: '/x.md', foo: 'bar/\n*' })
  })

  it('in a time that ends, whatever the pattern', () => {
    const rules = readIgnore(`${'*a'.repeat(200)}b\n${'**/a/'.repeat(200)}b`)
    expect(isIgnored([{ folder: '', rules }], `${'a'.repeat(4000)}`, false)).toBe(false)
    expect(isIgnored([{ folder: '', rules }], `${'a/'.repeat(2000)}a`, false)).toBe(false)
  })
})
