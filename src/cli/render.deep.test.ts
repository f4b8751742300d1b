// Tests onbook prompt render and onbook init from outside, and --help of the commands around packs.
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const NEWSROOM = 'examples/newsroom'

describe('onbook prompt render', () => {
  it('prints text, hash and segments that say where each piece came from', async () => {
    const { out, code } = await runCli([
      'render',
      '--text',
      'Hi {{user.name}}!{{#each n}} {{this}}{{/each}}',
      '--values',
      '{"user":{"name":"Ada"},"n":[1,2]}',
      '--json',
    ])
    const { text, hash, segments } = JSON.parse(out)
    expect(code).toBe(0)
    expect(text).toBe('Hi Ada! 1 2')
    expect(hash).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
    expect(segments.map((segment: { text: string; from: string | null }) => [segment.text, segment.from])).toEqual([
      ['Hi ', null],
      ['Ada', 'user.name'],
      ['!', null],
      [' ', null],
      ['1', 'n.[0]'],
      [' ', null],
      ['2', 'n.[1]'],
    ])
  })

  it('prints exactly the text, and nothing else', async () => {
    expect((await runCli(['render', '--text', 'no newline {{x}}', '--values', '{"x":1}'])).out).toBe('no newline 1')
  })

  it('renders a pack by path and by ref, with defaults and typed values', async () => {
    const values = '{"outlet":"The Post","maxParagraphs":5}'
    const byPath = await runCli(['render', `${NEWSROOM}/prompts/writer/v1.1.0.yaml`, '--values', values])
    const byRef = await runCli(['render', 'prompt:writer@1.1.0', '--values', values], { cwd: NEWSROOM })
    expect(byPath.out).toContain('for The Post from')
    expect(byPath.out).toContain('at most 5 paragraphs')
    expect(byRef.out).toBe(byPath.out)
  })

  it('reads values from a file', async () => {
    const folder = temporaryFolder(null)
    writeFileSync(join(folder, 'v.json'), '{"x": "from a file"}')
    expect((await runCli(['render', '--text', '{{x}}', '--values', '@v.json'], { cwd: folder })).out).toBe('from a file')
  })

  it('renders what is missing as empty text only with --lenient', async () => {
    const strict = await runCli(['render', '--text', 'a\n{{x}}b'])
    expect([strict.code, strict.out, strict.err]).toEqual([2, '', 'onbook: --text:2:1: "x" has no value.\n'])
    expect((await runCli(['render', '--text', 'a\n{{x}}b', '--lenient'])).out).toBe('a\nb')
  })

  it('does not expand a value again', async () => {
    expect((await runCli(['render', '--text', '{{x}}', '--values', '{"x":"{{y}}","y":"no"}'])).out).toBe('{{y}}')
  })

  it.each([
    ['a missing required value', [`${NEWSROOM}/prompts/writer/v1.0.0.yaml`], '"outlet" is required'],
    [
      'a value of the wrong type',
      [`${NEWSROOM}/prompts/writer/v1.0.0.yaml`, '--values', '{"outlet":5}'],
      '"outlet" must be a string, not a number',
    ],
    [
      'a value nobody declared',
      [`${NEWSROOM}/prompts/writer/v1.0.0.yaml`, '--values', '{"outlet":"x","other":1}'],
      '"other" is not a variable',
    ],
    ['values that are not JSON', ['--text', 'x', '--values', '{'], '--values is not JSON'],
    ['values that are not an object', ['--text', 'x', '--values', '[1]'], 'must be a JSON object'],
    ['a file that is not there', ['--text', 'x', '--values', '@nowhere.json'], 'nowhere.json cannot be read'],
    ['a broken template', ['--text', '{{#if x}}'], '--text:1:1: {{#if}} is never closed'],
    ['neither pack nor text', [], 'name a pack'],
    ['a pack that is not there', ['nobody'], 'There is no pack "nobody"'],
  ])('explains %s', async (_, args, message) => {
    const { code, err } = await runCli(['render', ...args])
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  it('reports as JSON when JSON is asked for, also when it fails', async () => {
    const { out, code } = await runCli(['render', '--text', '{{x}}', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ error: 'values_invalid', details: {} })
  })
})

describe('onbook init', () => {
  it('scaffolds a workspace that checks and tests', async () => {
    const folder = temporaryFolder(null)
    expect((await runCli(['init', 'demo'], { cwd: folder })).code).toBe(0)
    expect((await runCli(['check', 'demo'], { cwd: folder })).out).toBe('1 file checked: no problems.\n')
    expect((await runCli(['test', 'demo'], { cwd: folder })).code).toBe(0)
  })

  it('writes nothing into a folder where it would overwrite something', async () => {
    const folder = temporaryFolder(null, { 'onbook.config.yaml': 'mine' })
    const { code, err } = await runCli(['init'], { cwd: folder })
    expect([code, err]).toEqual([2, expect.stringContaining('onbook.config.yaml')])
    expect(readdirSync(folder)).toEqual(['onbook.config.yaml'])
  })
})

describe('onbook', () => {
  it.each(['init', 'check', 'test', 'render', 'bump', 'activate', 'retire'])('%s --help shows an example', async command => {
    const { code, out } = await runCli([command, '--help'])
    expect(code).toBe(0)
    expect(out).toContain('Example:')
    expect(out).toContain('--json')
  })
})
