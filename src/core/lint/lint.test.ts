import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { goodPrompt, packText } from '../../testing/rules/test-rule.ts'
import { packFormat } from '../pack/format.ts'
import { collectSchemas } from '../schema/schemas.ts'
import { readConfig } from './config.ts'
import { fixesOf, lintPack, preparePack } from './lint.ts'
import { RULES } from './rules.ts'

const { schemas } = collectSchemas(
  ['question', 'answer'].map(name => ({ path: `schemas/${name}.json`, schema: { $id: `https://example.com/schemas/${name}.json` } })),
)
const path = 'prompts/writer/v1.0.0.yaml'
const lint = (text: string, config = '') =>
  lintPack(text, { path, schemas, config: readConfig(config).config }).map(
    ({ rule, severity, line, column }) => `${severity} ${rule} ${line}:${column}`,
  )
const pack = (...lines: string[]) => `${packText({})}${lines.join('\n')}\n`
const lines = packText({}).split('\n').length // of the good pack, and one more

describe('lintPack', () => {
  it('finds nothing in a good pack', () => expect(lint(packText({}))).toEqual([]))

  it('gives each finding its place, from 1, start and end', () => {
    expect(lintPack(`extra: 1\n${packText({})}`, { path, schemas })).toEqual([
      {
        file: path,
        rule: 'unknown-key',
        severity: 'warning',
        message: '"extra" is not a key of the pack format',
        line: 1,
        column: 1,
        endLine: 1,
        endColumn: 6,
      },
    ])
  })

  it('sorts by place, then severity, then rule', () => {
    const found = lint(packText({ systemPrompt: `{{b}} {{a}}\n${goodPrompt}`, extra: 1, variables: ['c', 'c'] }))
    const places = found.map(one => one.split(' ')[2]!.split(':').map(Number))
    expect(places).toEqual(places.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d))
    expect(found.filter(one => one.includes('variable'))).toHaveLength(5)
  })

  it('says only what can be said of a file that is no pack', () => {
    expect(lint('')).toEqual(['error pack-yaml 1:1'])
    expect(lint('hello')).toEqual(['error pack-schema 1:1'])
    expect(lint('[1, 2]')).toEqual(['error pack-schema 1:1'])
  })

  it('checks what is sound although the rest is broken', () => {
    expect(lint(`a: !x 1\n${packText({ version: 1, systemPrompt: `{{who}}\n${goodPrompt}` })}`)).toEqual([
      'warning unknown-key 1:1',
      'error pack-yaml 1:4',
      'error pack-schema 4:10',
      'error no-undefined-variables 6:5',
    ])
  })

  it('works without any schemas', () => expect(lintPack(packText({}), { path }).map(({ rule }) => rule)).toContain('schema-refs-valid'))

  it('takes another validator', () => {
    const validate = () => ({ outcome: 'unusable', message: 'I am on strike' }) as const
    expect(
      lintPack(packText({}), { path, schemas, validate })
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message),
    ).toEqual(['schemas/question.json cannot be used: I am on strike', 'schemas/answer.json cannot be used: I am on strike'])
  })

  it('lists the first hundred of a kind and then says that there are more', () => {
    const found = lintPack(pack(...Array.from({ length: 5000 }, (_, index) => `extra${index}: 1`)), { path, schemas })
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toMatchObject({ message: 'There are more like this: only the first 100 are listed', line: lines + 100 })
  })

  it('counts only what no comment silences', () => {
    const silenced = Array.from({ length: 150 }, (_, index) => `quiet${index}: 1 # onbook-disable-line unknown-key -- known`)
    expect(lint(pack(...silenced, 'loud: 1'))).toEqual([`warning unknown-key ${lines + 150}:1`])
    const loud = Array.from({ length: 100 }, (_, index) => `loud${index}: 1`)
    expect(lint(pack(...silenced, ...loud))).toHaveLength(100)
    expect(
      lintPack(pack(...silenced, ...loud, 'more: 1', 'last: 1 # onbook-disable-line unknown-key -- known'), { path, schemas }).at(-1),
    ).toMatchObject({
      message: 'There are more like this: only the first 100 are listed',
      line: lines + 250,
    })
  })

  it('gives advice and repair to single findings only', () => {
    const found = lintPack(`${packText({})}list:\n${'- yes\n'.repeat(150)}`, { path, schemas }).filter(
      ({ rule }) => rule === 'ambiguous-scalar',
    )
    expect(found).toHaveLength(101)
    expect(found[99]).toMatchObject({ fix: { value: 'yes' }, suggestion: 'write "yes"' })
    expect(Object.keys(found[100]!)).not.toEqual(expect.arrayContaining(['fix']))
    expect(Object.keys(found[100]!)).not.toEqual(expect.arrayContaining(['suggestion']))
  })

  it('reads 30,000 broken variables in reasonable time', () => {
    const found = lint(`${packText({})}variables:\n${'- {name: a}\n'.repeat(30_000)}`)
    expect(found.length).toBeLessThan(300)
  })

  it('does not mind an agent called constructor', () => {
    expect(
      lintPack(packText({ id: 'prompt-constructor-v1', agentId: 'constructor' }), { path: 'prompts/constructor/v1.0.0.yaml', schemas }),
    ).toEqual([])
  })

  it('gives every rule a folder of its own name, and one sentence', () => {
    for (const { name, summary } of RULES) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(summary).toMatch(/^\S.*\.$/)
    }
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length)
  })
})

describe('fixesOf', () => {
  const fixes = (text: string, config = '') =>
    fixesOf(preparePack(path, text), { schemas, verdicts: new Map(), config: readConfig(config).config })

  it('has all of them, also those that are not listed', () =>
    expect(fixes(pack('list:', ...Array.from({ length: 150 }, () => '- yes')))).toHaveLength(150))
  it('comes from every rule that can repair', () =>
    expect(fixes(packText({ id: 'prompt-reader-v1', $schema: 'x:y' }))).toEqual([
      { pointer: ['$schema'], value: packFormat.$id },
      { pointer: ['id'], value: 'prompt-writer-v1.0.0' },
    ]))
  it('leaves alone what is switched off', () => {
    expect(fixes(pack('list: [yes]'), 'rules: { ambiguous-scalar: off }')).toEqual([])
    expect(fixes(pack('list:', '- yes # onbook-disable-line ambiguous-scalar -- said so', '- no'))).toEqual([
      { pointer: ['list', 1], value: 'no' },
    ])
  })
  it('misses no rule: those that say so are those that do', () =>
    expect(RULES.filter(({ fixable }) => fixable).map(({ name }) => name)).toEqual(
      RULES.filter(({ name }) => /\bfix:/.test(readFileSync(`src/core/lint/rules/${name}/rule.ts`, 'utf8'))).map(({ name }) => name),
    ))
})

describe('severities', () => {
  const text = packText({ extra: 1, systemPrompt: goodPrompt.padEnd(3300, 'x') })
  const config = (rule: string, setting: string) => `rules:\n  ${rule}: ${setting}\n`

  it('are those of the rules', () => expect(lint(text)).toEqual(['info max-prompt-length 4:1', `warning unknown-key ${lines + 1}:1`]))
  it('can be raised', () => expect(lint(text, config('unknown-key', 'error'))).toContain(`error unknown-key ${lines + 1}:1`))
  it('can be lowered', () => expect(lint(text, config('unknown-key', 'info'))).toContain(`info unknown-key ${lines + 1}:1`))
  it('can be switched off', () => expect(lint(text, config('unknown-key', 'off'))).toEqual(['info max-prompt-length 4:1']))
  it('leave mild cases of a rule mild', () =>
    expect(lint(text, config('max-prompt-length', 'error'))).toContain('info max-prompt-length 4:1'))
  it('come with options', () =>
    expect(lint(text, config('max-prompt-length', '{severity: error, limit: 100}'))).toContain('error max-prompt-length 4:1'))
  it('may be left out beside options', () =>
    expect(lint(text, config('max-prompt-length', '{limit: 9000}'))).not.toContain('info max-prompt-length 4:1'))
})

describe('disable comments', () => {
  it.each([
    ['the next line', '# onbook-disable-next-line unknown-key -- reason\nextra: 1'],
    ['its own line', 'extra: 1 # onbook-disable-line unknown-key -- reason'],
    ['the whole file', 'extra: 1\n# onbook-disable-file unknown-key -- reason'],
    ['several rules', 'extra: yes # onbook-disable-line unknown-key, ambiguous-scalar -- reason'],
  ])('speak of %s', (_, text) => expect(lint(pack(text))).toEqual([]))

  it('work inside a prompt', () => {
    const systemPrompt = `{{! onbook-disable-next-line no-undefined-variables -- the host sets it }}\n{{who}}\n${goodPrompt}`
    expect(lint(packText({ systemPrompt }))).toEqual([])
  })

  it('do nothing when they do not say what they speak of', () =>
    expect(lint(pack('# onbook-disable unknown-key -- reason\nextra: 1'))).toEqual([
      `error disable-comment ${lines}:1`,
      `warning unknown-key ${lines + 1}:1`,
    ]))

  it('do nothing without a reason, and say so', () =>
    expect(lint(pack('extra: 1 # onbook-disable-line unknown-key'))).toEqual([
      `warning unknown-key ${lines}:1`,
      `error disable-comment ${lines}:10`,
    ]))
  it('do nothing on other lines', () =>
    expect(lint(pack('# onbook-disable-next-line unknown-key -- reason', '', 'extra: 1'))).toEqual([`warning unknown-key ${lines + 2}:1`]))
  it('do nothing for other rules', () =>
    expect(lint(pack('extra: 1 # onbook-disable-line pack-schema -- reason'))).toEqual([`warning unknown-key ${lines}:1`]))
  it('do nothing as mere text', () =>
    expect(lint(pack('extra: "# onbook-disable-line unknown-key -- reason"'))).toEqual([`warning unknown-key ${lines}:1`]))
  it('cannot silence the rule that watches them', () =>
    expect(lint(pack('# onbook-disable-file disable-comment -- reason', '# onbook-disable-file x -- y'))).toEqual([
      `error disable-comment ${lines + 1}:1`,
    ]))
})
