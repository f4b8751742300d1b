import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allowListed, isPlanningCommand } from './allow-listed.ts'

const LIST = ['git status', 'git log --oneline *', 'ls *', 'npm test', 'wc -l *']

describe('bug 15: planning runs a command only when it is listed', () => {
  it.each([
    'git status',
    '  git   status ',
    'git log --oneline',
    'git log --oneline HEAD^ src/a.ts',
    'ls src docs/guide',
    'npm test',
    'wc -l src/a.ts',
  ])('%j is', line => expect(allowListed(line, LIST)).toBe(true))

  it.each([
    ...[
      '',
      ' ',
      'git',
      'git status --porcelain',
      'git push',
      'GIT status',
      'status git',
      'lsx',
      'rm -rf .',
      'npm test --ignore',
      '*',
      'ls*',
    ],
    // options that a star does not stand for: some of them write
    ...['git log --oneline --output=x', 'ls -R', 'wc -l --files0-from=x', 'git log --oneline -p'],
    // what leads out
    ...['ls /etc', 'ls ..', 'ls ../x', 'ls src/../../x', 'wc -l a=../x', 'wc -l HEAD:../x', 'ls src/..', 'ls ~', 'ls ~root'],
    // whatever a shell would do more with than split
    ...['git status; rm x', 'git status;rm x', 'git status && rm x', 'git status | sh', 'git status & rm x', 'git status > x', 'ls <x'],
    ...[
      'ls $(rm x)',
      'ls `rm x`',
      'ls $HOME',
      'ls ${',
      'ls *',
      'ls ?',
      'ls [a]',
      'ls {a,b}',
      'ls "a"',
      "ls 'a'",
      'ls \\a',
      'ls #x',
      'ls !x',
    ],
    ...['git status\nrm x', 'git status\rrm x', 'git\tstatus', 'ls a\0b', 'git status\u2028rm', 'ls\u00a0x', 'ls (a)', 'PATH=. git status'],
  ])('%j is not', line => expect(allowListed(line, LIST)).toBe(false))

  it('an empty list, and an entry that is only a star, list nothing', () => {
    expect(allowListed('ls', [])).toBe(false)
    expect(allowListed('ls', ['*', ''])).toBe(false)
  })

  it('an entry that sets a variable lists nothing: that is for a shell', () => {
    expect(allowListed('X=1 ls', ['X=1 ls'])).toBe(false)
  })

  it('no line with a character that means something to a shell is ever listed', () => {
    const special = fc.constantFrom(...';|&<>()$`\\"\'*?[]#~!{}\n\r\t\0')
    const word = fc.stringMatching(/^[a-z]{0,4}$/)
    fc.assert(
      fc.property(word, special, word, (before, mark, after) => {
        expect(allowListed(`ls ${before}${mark}${after}`, LIST)).toBe(false)
      }),
    )
  })
})

describe('bug 15: planning runs a listed command in the root of the repo alone', () => {
  it.each([{ cmd: 'npm test' }, { cmd: 'npm test', cwd: '.' }])('%j is listed', given => {
    expect(isPlanningCommand(given, LIST)).toBe(true)
  })

  // A planner may write docs/package.json, and npm would obey it.
  it.each([
    { cmd: 'npm test', cwd: 'docs' },
    { cmd: 'npm test', cwd: './docs' },
    { cmd: 'npm test', cwd: null },
    { cmd: ['npm test'] },
    {},
    null,
    'npm test',
  ])('%j is not', given => {
    expect(isPlanningCommand(given, LIST)).toBe(false)
  })
})
