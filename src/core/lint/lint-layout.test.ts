import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaFault } from '../schema/schema-fault.ts'
import { isInLayout, namedFiles } from './layout.ts'
import { lintLayout } from './lint-layout.ts'

const PATHS = [
  'agent.workspace.json',
  'prompts/packs/default.json',
  'prompts/templates/base.md',
  'tools/catalogs/default.json',
  'tools/descriptors/look.json',
  'tools/old.json',
  'agents/writer.yaml',
  'workflows/news.yaml',
  'workflows/news.json',
]

describe('lintLayout', () => {
  it('gives every finding a place, whatever the files hold', () => {
    const near = fc.constantFrom(
      '{"schema_version": 1, "prompt_packs": {"default": "prompts/packs/default.json", "b": "x"}}',
      '{"id": "d", "templates": ["base.md", {"path": "x"}], "context": ["context/x.bmp"], "options": {"responseFormat": "schemas/x.json"}}',
      '{"tools": ["look", {"name": "look", "parameters": {"type": 1}}], "tool_choice": {"tool": "x"}}',
      '[{"role": "user"}]',
      '{"agentId": "local.a.b", "role": "x", "promptOverrides": {"system": "prompt:x"}, "systemPrompt": "y"}',
      'id: f\nnodes:\n  - {id: a, agent: local.a.c, role: x, systemPromptRef: "prompt:x@1.0.0"}\nedges: [{from: a, to: a}]',
      '{{#each a}}\r\n\t{{b}}',
      '{\n\t"a": [1,\n',
      '\ufeff{}',
    )
    const text = fc.oneof(near, fc.json(), fc.string())
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...PATHS), text), files => {
        const texts = new Map(Object.entries(files))
        for (const { file, line, column, endLine, endColumn } of lintLayout({
          paths: new Set(texts.keys()),
          texts,
          packs: [],
          checkSchema: schemaFault,
        })) {
          expect(texts.has(file)).toBe(true)
          expect(line >= 1 && column >= 1 && (endLine > line || endColumn > column)).toBe(true)
          expect(line).toBeLessThanOrEqual(files[file]!.split('\n').length)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('ends soon, however many files are missing', () => {
    const missing = (n: number) => `missing-${n}`
    const preludes = Array.from({ length: 20 }, (_, p): [string, string] => [
      `prompts/packs/p${p}.json`,
      JSON.stringify({ id: 'd', templates: Array.from({ length: 1000 }, (_, n) => `${missing(n)}-${p}.md`) }),
    ])
    const texts = new Map([...preludes, ['tools/catalogs/d.json', JSON.stringify(Array.from({ length: 20_000 }, (_, n) => missing(n)))]])
    const near = Array.from({ length: 3000 }, (_, n) => [`prompts/templates/mising-${n}-0.md`, `tools/descriptors/mising-${n}.json`])
    expect(lintLayout({ paths: new Set([...texts.keys(), ...near.flat()]), texts, packs: [], checkSchema: schemaFault })).toHaveLength(202)
  }, 20_000)

  it('lists a hundred of a kind, and says that there are more', () => {
    const tools = JSON.stringify(Array.from({ length: 150 }, () => 'nothing'))
    const texts = new Map([['tools/catalogs/default.json', tools]])
    const found = lintLayout({ paths: new Set(texts.keys()), texts, packs: [], checkSchema: schemaFault })
    expect([found.length, found.at(-1)?.message]).toEqual([101, expect.stringContaining('There are more like this')])
  })
})

it('reads nothing for a prelude that is no path in a workspace', () => {
  const prelude = JSON.stringify({ id: 'd', templates: ['../../etc/passwd', '/etc/passwd', 'base.md'], context: ['docs/./x', 'docs/x.md'] })
  expect(namedFiles(new Map([['prompts/packs/default.json', prelude]]))).toEqual(['prompts/templates/base.md', 'docs/x.md'])
})

it.each([
  ['agent.workspace.json', true],
  ['prompts', true],
  ['prompts/packs/x.json', true],
  ['tools', true],
  ['workflows/news.yaml', true],
  ['prompts/writer/v1.0.0.yaml', false],
  ['toolshed', false],
])('%s leads to the layout: %s', (path, leads) => expect(isInLayout(path)).toBe(leads))
