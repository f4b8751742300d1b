// The README is followed here as a reader would: its commands are run, its output, its program and its figures compared. Guides are followed
// in guides.deep.test.ts.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { consoleIn, follow, ROOT, readersFolder, type Shown, shownIn } from './testing/stories/follow-story.ts'

/** Times, users and the widths of columns differ from run to run. */
const comparable = (line: string): string =>
  line
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\bcli:\S*?(?=:? |$)/g, 'ACTOR')
    .replace(/\s+/g, ' ')
    .trim()

/** The lines of `shown` that `printed` does not have in this order. */
function missingLines(shown: readonly string[], printed: string): readonly string[] {
  const rest = printed.split('\n').map(comparable)
  return shown.filter(line => {
    const at = rest.indexOf(comparable(line))
    if (at >= 0) rest.splice(0, at + 1)
    return at < 0
  })
}

describe('README', () => {
  const text = readFileSync('README.md', 'utf8')
  const story = shownIn('README.md')

  it('shows output that its commands print, on the night that the guide makes', () => {
    const shown = consoleIn('README.md')
    const night = shownIn('docs/guide/incident.md')
    const setUp = night.slice(
      0,
      night.findIndex(({ command }) => command.includes('onbook diff')),
    )
    // The exit code of a difference is 1; a transcript does not show it.
    const asked: readonly Shown[] = shown.map(({ command }) => ({ command: `${command} || [ $? = 1 ]`, exits: 0 }))
    const { status, output } = follow([...setUp, ...asked], readersFolder())
    expect(status, output).toBe(0)
    const printed = output.split(/^\$ /m).slice(-asked.length)
    expect(shown.map(({ prints }, index) => missingLines(prints, printed[index]!))).toEqual(shown.map(() => []))
  })

  it('shows the two commands that do all set-up', () => {
    expect(story.slice(0, 2).map(({ command }) => command)).toEqual(['npm start', 'npm test'])
  })

  it('shows a first command that works, until it is stopped', async () => {
    const data = join(mkdtempSync(join(tmpdir(), 'onbook-start-')), '.onbook')
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn('npm', ['start', '--', '--data', data], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    let output = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text
      // The host itself: what npm does with a signal depends on npm.
      if (text.includes('demo tamper')) process.kill(JSON.parse(readFileSync(join(data, 'host.json'), 'utf8')).pid)
    }
    expect(output).toContain('✓ agent-overrides    prompt:writer@1.1.0')
    expect(await ended).toEqual([0, null])
  })

  // `npm test` is what runs this.
  it('leads to a first prompt and a first application', () => {
    const { status, output } = follow(story.slice(2), readersFolder())
    expect(status, output).toBe(0)
    expect(output).toContain('no problems')
    expect(output).toContain('2 pass')
    expect(output).toContain('Order 7 has been shipped.')
  })

  it('shows the application that ships, in 12 lines', () => {
    const app = readFileSync('examples/embed/app.mjs', 'utf8')
    expect(text).toContain(`\`\`\`js\n${app}\`\`\``)
    expect(app.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  it('says what Onbook adds to a prompt, as check counts it', () => {
    const check = (folder: string) => follow([{ command: `npx onbook check ${folder}`, exits: 0 }], ROOT).output
    expect(check('examples/support')).toContain('Onbook adds nothing to a prompt')
    const [, bytes, tokens] = /adds up to ([\d,]+) bytes, about ([\d,]+) tokens/.exec(check('examples/newsroom'))!
    expect(text).toContain(`up to ${bytes} bytes, about ${tokens} tokens`)
  })

  it('fits one screen, and names the right number of rules', () => {
    const rendered = text.split('\n').filter(line => !/^$|^```|^\|---/.test(line))
    expect(rendered.length).toBeLessThanOrEqual(60)
    const links = text.split('## Where next')[1]!.match(/^\| \[/gm) ?? []
    expect(links.length).toBeLessThanOrEqual(8)
    expect(text).not.toContain('curl')
    const rules = readdirSync('src/core/lint/rules').length
    expect(text).toContain(`${rules} lint rules`)
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
