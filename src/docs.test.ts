// Every command that the README and the guides show is run here, in order, as a reader would.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve('.')

interface Shown {
  readonly command: string
  readonly exits: number
}

const shownIn = (path: string): readonly Shown[] =>
  [...readFileSync(path, 'utf8').matchAll(/```bash\n([\s\S]*?)```/g)]
    .flatMap(block => block[1]!.split('\n'))
    .filter(line => line.trim() !== '')
    .map(line => ({ command: line.replace(/\s+# .*$/, ''), exits: Number(/# exits (\d)/.exec(line)?.[1] ?? 0) }))

/** One shell for the whole story, so that `cd` lasts; it stops at the first command that ends otherwise than shown. `npx` would look for the
 *  package in the folder it runs in, and these are elsewhere: here it runs the command itself. */
const MOST_MS = 240_000

function follow(story: readonly Shown[], cwd: string) {
  const script = story.map(
    ({ command, exits }) =>
      `echo '$ '${JSON.stringify(command).replaceAll('$', '\\$').replaceAll('`', '\\`')}\n${command}\n[ $? = ${exits} ] || exit 99`,
  )
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`, NO_COLOR: '1', CI: '' }
  // A story that breaks off must not leave its host behind: whoever waits for its output would wait for ever.
  const whole = ["trap 'kill $(jobs -p) 2>/dev/null' EXIT", 'npx() { "$@"; }', ...script].join('\n')
  const { status, stdout, stderr } = spawnSync('bash', ['-c', whole], { cwd, env, encoding: 'utf8', timeout: MOST_MS })
  return { status, output: stdout + stderr }
}

describe('README', () => {
  const story = shownIn('README.md')

  it('shows the two commands that do all set-up', () => {
    expect(story.slice(0, 2).map(({ command }) => command)).toEqual(['npm start', 'npm test'])
  })

  it('shows a first command that works', () => {
    const { status, output } = follow(story.slice(0, 1), ROOT)
    expect(output).toContain('no problems')
    expect(status).toBe(0)
  })

  // `npm test` is what runs this.
  it('leads to a result in sixty seconds', () => {
    const { status, output } = follow(story.slice(2), mkdtempSync(join(tmpdir(), 'onbook-readme-')))
    expect(output).toContain('no problems')
    expect(output).toContain('2 pass')
    expect(status).toBe(0)
  })

  it('fits one screen and names the right number of rules', () => {
    const text = readFileSync('README.md', 'utf8')
    expect(text.split('\n').length).toBeLessThan(60)
    const rules = readdirSync('src/core/lint/rules').length
    expect(text).toContain(`${rules} lint rules`)
  })
})

describe('guides', () => {
  const guides = readdirSync('docs/guide').filter(name => shownIn(join('docs/guide', name)).length > 0)

  it.each(guides)('%s can be followed to its end', name => {
    const folder = mkdtempSync(join(tmpdir(), 'onbook-guide-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'onbook'))
    const { status, output } = follow(shownIn(join('docs/guide', name)), folder)
    expect(status, output).toBe(0)
  })
})

describe('links', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...['docs/guide', 'docs/decisions'].flatMap(folder => readdirSync(folder).map(name => join(folder, name))),
  ]

  it.each(pages)('%s links only to files that exist', page => {
    const targets = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(match => join(page, '..', match[1]!))
    const missing = targets.filter(target => spawnSync('test', ['-e', target]).status !== 0)
    expect(missing).toEqual([])
  })
})
