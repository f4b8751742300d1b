// Every command that the README shows is run here, in order, as a reader would; those of the guides in the long run.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { follow, ROOT, shownIn } from './testing/stories/follow-story.ts'

describe('README', () => {
  const story = shownIn('README.md')

  it('shows the two commands that do all set-up', () => {
    expect(story.slice(0, 2).map(({ command }) => command)).toEqual(['npm start', 'npm test'])
  })

  it('shows a first command that works, until it is told to stop', async () => {
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
