// Tests the comparison of two versions of content: their decisions, and the meaning of each change.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LibraryTemplate } from '../library/template.ts'
import { compareFiles, compareTemplates, whatIn } from './compare-content.ts'
import { reached, subjectOf } from './subjects.ts'

const template = (more: Partial<LibraryTemplate> = {}): LibraryTemplate => ({
  templateId: 'writer',
  version: '1.0.0',
  kind: 'system',
  text: 'Write about {{topic}}.',
  variables: [{ name: 'topic', type: 'string', required: true }],
  ...more,
})

describe('templates', () => {
  const changes: readonly (readonly [Partial<LibraryTemplate>, object])[] = [
    [{ kind: 'user' }, { what: 'kind', a: 'system', b: 'user' }],
    [{ variables: [] }, { what: 'variable', variable: 'topic', a: { required: true, type: 'string' }, b: null }],
    [
      { variables: [{ name: 'topic', type: 'array', required: true }] },
      { what: 'variable', variable: 'topic', a: { type: 'string' }, b: { type: 'array' } },
    ],
    [
      { variables: [{ name: 'topic', type: 'string', required: false, defaultValue: 'x' }] },
      { what: 'variable', variable: 'topic', a: { required: true }, b: { required: false, defaultValue: 'x' } },
    ],
    [{ tags: ['default'] }, { what: 'meta', name: 'tags', a: null, b: ['default'] }],
    [{ meta: { author: 'ada' } }, { what: 'meta', name: 'author', a: null, b: 'ada' }],
    [{ modelHints: { temperature: 0.2 } }, { what: 'meta', name: 'temperature', a: null, b: 0.2 }],
  ]
  it.each(changes)('%j', (more, decision) => {
    const { decisions, texts } = compareTemplates(template(), template({ version: '1.1.0', ...more }))
    expect([decisions, texts]).toEqual([[decision], []])
  })

  it('the text comes last', () => {
    const { decisions, texts } = compareTemplates(template(), template({ text: 'Write twice about {{topic}}.' }))
    expect([decisions, texts[0]?.hunks?.[0]?.lines]).toEqual([[], ['-Write about {{topic}}.', '+Write twice about {{topic}}.']])
    expect(compareTemplates(template(), template())).toEqual({ decisions: [], texts: [], means: [] })
  })
})

const pack = readFileSync('examples/newsroom/prompts/writer/v1.1.0.yaml', 'utf8')

describe('files', () => {
  it('packs: by variable, example and rule, with the step that it needs', () => {
    const after = pack
      .replace(/^version: .*$/m, 'version: "2.0.0"')
      .replaceAll('houseStyle', 'style')
      .replace(/constraints:\n/, 'constraints:\n  - No adjectives.\n')
    const { decisions, texts, means } = compareFiles({ what: 'pack', path: 'prompts/writer/v1.yaml' }, 'v1.yaml', pack, after)
    expect(decisions.map(({ what, path, variable, name }) => [what, path, variable ?? name])).toEqual(
      [
        ['pack', 'version'],
        ['variable', 'houseStyle'],
        ['rule', 'constraints'],
        ['variable', 'style'],
      ].map(([what, name]) => [what, 'prompts/writer/v1.yaml', name]),
    )
    expect(means.map(({ bump, change }) => [bump, change])).toEqual([
      ['major', 'removes the variable "houseStyle"'],
      ['minor', 'adds the optional variable "style"'],
      ['minor', 'adds or rewords the constraint "No adjectives."'],
      ['patch', 'rewords systemPrompt'],
    ])
    expect(texts).toHaveLength(1)
  })

  it('documents: by field, what has a name found by its name', () => {
    const [before, after] = [
      'id: news\nnodes:\n  - { id: a, role: x }\n  - { id: b }\n',
      'id: news\nnodes:\n  - { id: b }\n  - { id: a, role: y }\n',
    ]
    const { decisions, texts } = compareFiles({ what: whatIn('news.yaml', after) }, 'news.yaml', before, after)
    expect(decisions).toEqual([{ what: 'workflow', field: 'nodes/a/role', a: 'x', b: 'y' }])
    expect(texts).toHaveLength(1)
  })

  it.each([
    ['a.yaml', 'x: [', 'x: ]'],
    ['a.md', 'one', 'two'],
    ['a.json', '{"a":1}', '{ "a": 1 }'],
  ])('%s that nobody can take apart: that it is another, and its text', (file, before, after) => {
    const { decisions, texts } = compareFiles({ what: 'file' }, file, before, after)
    expect([decisions.map(({ what }) => what), texts.length]).toEqual([['file'], 1])
    expect(compareFiles({ what: 'file' }, file, before, before)).toEqual({ decisions: [], texts: [], means: [] })
  })
})

describe('what a file is', () => {
  it.each([
    ['prompts/writer/v1.0.0.yaml', 'pack'],
    ['prompts/writer/v1.0.0.script.yaml', 'file'],
    ['prompts/packs/default.json', 'prelude'],
    ['tools/catalogs/main.json', 'catalog'],
    ['agents/writer.yaml', 'agent'],
    ['workflows/news.yaml', 'workflow'],
    ['docs/templates/critic.md', 'role'],
    ['context/style.md', 'file'],
  ])('%s', (path, what) => {
    expect(subjectOf(path)).toBe(what)
  })

  it('a prelude and a catalog change with what they are made of', () => {
    const texts = new Map([
      ['prompts/packs/desk.json', '{"id":"desk","templates":[],"context":["context/style.md"]}'],
      ['prompts/packs/other.json', '{"id":"other","templates":[],"context":["context/other.md"]}'],
    ])
    expect(reached(texts, new Set(['context/style.md']))).toEqual([
      { what: 'prelude', name: 'desk', path: 'prompts/packs/desk.json', change: 'says something else', because: ['context/style.md'] },
    ])
  })
})
