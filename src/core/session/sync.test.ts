// Sync as a plan: what it asks for, what it makes of the answers, and everything that ends it.
import { describe, expect, it } from 'vitest'
import { type Files, named, rootOf, runSync, selection } from '../../testing/stories/session-story.ts'
import { digestText } from '../digest/digest.ts'
import type { Snapshot } from './snapshot.ts'
import { catalogSync, promptSync, type SyncPlan, workspaceSync } from './sync.ts'
import type { SyncResult } from './sync-effects.ts'

const PRELUDE = JSON.stringify([{ role: 'system', content: 'Write well.' }])
const CATALOG = JSON.stringify({ tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }] })
const FILES: Files = {
  'agent.workspace.json': '{"schema_version":1}',
  'prompts/packs/default.json': PRELUDE,
  'tools/catalogs/default.json': CATALOG,
}
const BOTH = selection({ prelude: 'default', catalog: 'default' })
const at = (...versions: Files[]) => ({ name: 'writer', versions })

function ready(result: SyncResult): Snapshot {
  if (result.outcome !== 'ready') throw new Error(JSON.stringify(result))
  return result.snapshot
}
const failure = (files: Files, wanted = BOTH) => {
  const { result } = runSync(at(files), wanted)
  return result.outcome === 'failed' ? `${result.stage} ${result.code}: ${result.detail}` : result.outcome
}

describe('a sync of both', () => {
  it('freezes one version: its root, its index, the prelude and the catalog as they are', () => {
    const { result, asked } = runSync(at(FILES), BOTH)
    expect(ready(result)).toEqual({
      workspace: 'writer',
      version: 1,
      root: rootOf(FILES),
      index: digestText('{"schema_version":1}'),
      prelude: { name: 'default', digest: digestText(PRELUDE), options: null },
      catalog: { name: 'default', digest: digestText(CATALOG) },
      legacy: false,
    })
    expect(asked.map(({ type }) => type)).toEqual([
      'workspace.resolve',
      'workspace.readRef',
      'workspace.readRef',
      'workspace.readBytes',
      'workspace.readRef',
      'workspace.readBytes',
      'workspace.readRef',
      'workspace.readBytes',
    ])
  })

  it('resolves the version once: a commit in between cannot tear it', () => {
    const workspace = at(FILES)
    const newer = { ...FILES, 'tools/catalogs/default.json': '[]' }
    const { result } = runSync(workspace, BOTH, {
      meddle: (effect, given) => {
        if (effect.type === 'workspace.resolve') workspace.versions.push(newer)
        return given
      },
    })
    expect(ready(result)).toMatchObject({ version: 1, root: rootOf(FILES), catalog: { digest: digestText(CATALOG) } })
  })

  it('reads a pinned version, however many came since', () => {
    const newer = { ...FILES, 'prompts/packs/default.json': '[]' }
    expect(ready(runSync(at(FILES, newer), selection({ prelude: 'default', version: 1 })).result).version).toBe(1)
    expect(ready(runSync(at(FILES, newer), selection({ prelude: 'default' })).result).version).toBe(2)
  })

  it('does without an index', () => {
    const { 'agent.workspace.json': _, ...rest } = FILES
    expect(ready(runSync(at(rest), BOTH).result)).toMatchObject({ index: null, legacy: false, prelude: { name: 'default' } })
  })

  it('of nothing but a workspace is a snapshot too: it takes prompts and tools away', () => {
    expect(ready(runSync(at(FILES), selection()).result)).toMatchObject({ prelude: null, catalog: null, legacy: false })
  })
})

describe('unchanged', () => {
  const known = ready(runSync(at(FILES), BOTH).result)

  it('is the same content asked for in the same way, whatever its version', () => {
    expect(runSync(at(FILES), BOTH, { known }).result).toEqual({ outcome: 'unchanged', workspace: 'writer', version: 1 })
    const again = at(FILES, { ...FILES, x: 'y' }, FILES)
    expect(runSync(again, BOTH, { known }).result).toEqual({ outcome: 'unchanged', workspace: 'writer', version: 3 })
  })

  it.each([
    ['another prelude', selection({ prelude: 'other', catalog: 'default' })],
    ['another catalog', selection({ prelude: 'default', catalog: 'other' })],
    ['no catalog', selection({ prelude: 'default' })],
  ])('is not %s of the same version', (_, wanted) => {
    const more = { ...FILES, 'prompts/packs/other.json': PRELUDE, 'tools/catalogs/other.json': CATALOG }
    const before = ready(runSync(at(more), BOTH).result)
    expect(runSync(at(more), wanted, { known: before }).result.outcome).toBe('ready')
  })

  it('is not another workspace with the same content', () => {
    expect(
      runSync({ name: 'other', versions: [FILES] }, { ...BOTH, workspace: { name: 'other', version: null } }, { known }).result.outcome,
    ).toBe('ready')
  })
})

describe('a sync fails', () => {
  it.each<[string, Files, Parameters<typeof failure>[1]?]>([
    ['resolve workspace_missing: there is no workspace writer with a version 9', FILES, selection({ version: 9 })],
    ['resolve workspace_missing: there is no workspace other with anything in it', FILES, selection({ name: 'other' })],
    ['prelude file_missing: writer has no prompts/packs/none.json', FILES, selection({ prelude: 'none' })],
    ['catalog file_missing: writer has no tools/catalogs/none.json', FILES, selection({ catalog: 'none' })],
    ['prelude file_missing: prompts/packs/x.json of writer is a folder', { 'prompts/packs/x.json/y': '' }, selection({ prelude: 'x' })],
    [
      'prelude prelude_invalid: prompts/packs/default.json: it must be a message: an object with one of role, content, type, tool_calls, output, tool_call_id, call_id',
      { 'prompts/packs/default.json': '{"invalid":true}' },
      selection({ prelude: 'default' }),
    ],
    [
      'catalog catalog_invalid: tools/catalogs/default.json#/tools/1: there are two tools named "a"',
      { 'tools/catalogs/default.json': '{"tools":[{"name":"a"},{"name":"a"}]}' },
      selection({ catalog: 'default' }),
    ],
    [
      'catalog catalog_invalid: tools/catalogs/default.json: "b" is chosen, and no tool has that name',
      { 'tools/catalogs/default.json': '{"tools":[{"name":"a"}],"tool_choice":{"type":"function","name":"b"}}' },
      selection({ catalog: 'default' }),
    ],
  ])('with %s', (message, files, wanted) => expect(failure(files, wanted)).toBe(message))

  it.each(['..', '.', 'a/b', '', 'a b', '../../etc', 'ü', 'a\n', 'a'.repeat(129)])('for the name %j before anything is asked', name => {
    for (const wanted of [selection({ name }), selection({ prelude: name }), selection({ catalog: name })]) {
      const { result, asked } = runSync(at(FILES), wanted)
      expect(result).toMatchObject({ outcome: 'failed', stage: 'resolve', code: 'name_invalid' })
      expect(asked).toEqual([])
    }
  })

  it('for bytes that are not what their name says', () => {
    const { result } = runSync(at(FILES), BOTH, {
      meddle: (effect, given) =>
        effect.type === 'workspace.readBytes' && effect.path.startsWith('prompts')
          ? { ok: true, value: new TextEncoder().encode('[{"role":"system"}]') }
          : given,
    })
    expect(result).toMatchObject({ outcome: 'failed', stage: 'prelude', code: 'bytes_mismatch' })
  })

  it.each([
    ['workspace.resolve', 'resolve'],
    ['workspace.readRef', 'index'],
    ['workspace.readBytes', 'index'],
  ])('with the code of a failed %s, at stage %s', (type, stage) => {
    const { result } = runSync(at(FILES), BOTH, {
      meddle: (effect, given) => (effect.type === type ? { ok: false, code: 'workspace_not_allowed', detail: 'no' } : given),
    })
    expect(result).toEqual({ outcome: 'failed', stage, code: 'workspace_not_allowed', detail: 'no' })
  })

  it('for a file that nobody would write by hand, before it is read', () => {
    const { result, asked } = runSync(at(FILES), BOTH, {
      meddle: (effect, given) =>
        effect.type === 'workspace.readRef' && effect.path.startsWith('prompts')
          ? { ok: true, value: { kind: 'file', digest: named('x'), size: 1e9 } }
          : given,
    })
    expect(result).toMatchObject({ stage: 'prelude', code: 'file_too_large' })
    expect(asked.filter(effect => effect.type === 'workspace.readBytes' && effect.path.startsWith('prompts'))).toEqual([])
  })
})

describe('plans', () => {
  it('for the prelude alone read no tools, and for the catalog alone no prelude', () => {
    const prompt = runSync(at(FILES), BOTH, { plan: promptSync })
    expect(ready(prompt.result)).toMatchObject({ prelude: { name: 'default' }, catalog: null })
    const catalog = runSync(at(FILES), BOTH, { plan: catalogSync })
    expect(ready(catalog.result)).toMatchObject({ prelude: null, catalog: { name: 'default' } })
    expect(prompt.asked.some(effect => 'path' in effect && effect.path.startsWith('tools'))).toBe(false)
    expect(catalog.asked.some(effect => 'path' in effect && effect.path.startsWith('prompts'))).toBe(false)
  })

  it('agentos D21: plans of one part do not compare the other, so the same prelude again is unchanged', () => {
    const known = ready(runSync(at(FILES), BOTH).result)
    expect(runSync(at(FILES), BOTH, { plan: promptSync, known }).result.outcome).toBe('unchanged')
    expect(runSync(at(FILES), BOTH, { plan: catalogSync, known }).result.outcome).toBe('unchanged')
  })

  it('are kept to the effects they declare', () => {
    const greedy: SyncPlan = { ...workspaceSync, name: 'greedy', effects: ['workspace.resolve'] }
    const { result, asked } = runSync(at(FILES), BOTH, { plan: greedy })
    expect(result).toMatchObject({ outcome: 'failed', code: 'effect_undeclared' })
    expect(asked.map(({ type }) => type)).toEqual(['workspace.resolve'])
  })
})

describe('the index', () => {
  const indexed = (index: string, more: Files = {}): Files => ({ ...FILES, ...more, 'agent.workspace.json': index })

  it.each([
    ['{oops', 'index index_invalid: agent.workspace.json: it is not JSON: unexpected "o", line 1'],
    ['{\n"schema_version": 99}', 'index index_invalid: agent.workspace.json#/schema_version: "schema_version" must be 1, line 2'],
  ])('ends the sync when it is %j', (index, message) => expect(failure(indexed(index))).toBe(message))

  it('ends the sync for a key that it does not know', () =>
    expect(failure(indexed('{"schema_version":1,\n"promt_packs":{}}'))).toMatch(/^index index_invalid: .*promt_packs.*line 2$/))

  it('says where preludes and catalogs lie, and which files a group of context has', () => {
    const files = indexed(
      JSON.stringify({
        schema_version: 1,
        prompt_packs: { main: 'prompts/v2.json' },
        tool_catalogs: { main: 'tools/v2.json' },
        context_groups: { style: ['context/docs', 'notes.md'] },
      }),
      {
        'prompts/v2.json': '{"id":"main","templates":[],"context":["style"]}',
        'tools/v2.json': CATALOG,
        'context/docs/b.md': 'B',
        'context/docs/a/x.md': 'X',
        'notes.md': 'N',
        'prompts/packs/main.json': PRELUDE,
      },
    )
    const { result } = runSync(at(files), selection({ prelude: 'main', catalog: 'main' }))
    const { prelude, catalog } = ready(result)
    expect([prelude?.name, catalog]).toEqual(['main', { name: 'main', digest: digestText(CATALOG) }])
    const made = result.outcome === 'ready' ? result.objects.find(({ digest }) => digest === prelude?.digest)! : null
    expect(JSON.parse(made!.text)[0].content.map(({ text }: { text: string }) => text)).toEqual(['X', 'B', 'N'])
    expect(failure(indexed('{"schema_version":1,"prompt_packs":{"default":"prompts/gone.json"}}'))).toBe(
      'prelude file_missing: writer has no prompts/gone.json',
    )
  })
})

describe('tools that nothing names', () => {
  const tool = (name: string) => JSON.stringify([{ type: 'function', name, description: '', parameters: { type: 'object' } }])
  const LEGACY: Files = {
    'tools/b.json': tool('second'),
    'tools/c.json': tool('third'),
    'tools/a.json': tool('first'),
    'tools/readme.md': 'not a tool',
    'tools/catalogs/x.json': tool('nested'),
    'tools/descriptors/y.json': tool('nested-too'),
  }

  it('are found directly in tools/, in the order of their names, and the snapshot says so', () => {
    const { result } = runSync(at(LEGACY), selection())
    const { catalog, legacy } = ready(result)
    expect(legacy).toBe(true)
    const [text] = result.outcome === 'ready' ? result.objects.filter(({ digest }) => digest === catalog!.digest) : []
    expect(JSON.parse(text!.text).tools.map(({ name }: { name: string }) => name)).toEqual(['first', 'second', 'third'])
  })

  it.each([
    ['an index', { ...LEGACY, 'agent.workspace.json': '{"schema_version":1}' }, selection()],
    ['no tools', { 'prompts/packs/default.json': PRELUDE }, selection()],
  ])('are not looked for with %s', (_, files, wanted) => {
    expect(ready(runSync(at(files), wanted).result)).toMatchObject({ catalog: null, legacy: false })
  })

  it('are not looked for when a catalog is named, and are the same again', () => {
    expect(ready(runSync(at(LEGACY), selection({ catalog: 'x' })).result)).toMatchObject({ catalog: { name: 'x' }, legacy: false })
    const known = ready(runSync(at(LEGACY), selection()).result)
    expect(runSync(at(LEGACY), selection(), { known }).result.outcome).toBe('unchanged')
    expect(runSync(at(LEGACY), selection({ catalog: 'x' }), { known }).result.outcome).toBe('ready')
  })

  it('are validated like any other; a file that holds no tool is not looked at', () => {
    expect(failure({ ...LEGACY, 'tools/d.json': tool('first') }, selection())).toContain('two tools named "first"')
    for (const other of ['not json', '{"name":"@shop/tools","version":"1.0.0"}', '[]'])
      expect(failure({ ...LEGACY, 'tools/package.json': other }, selection())).toBe('ready')
  })

  it('do not fail a sync that may not read them, unless it asks for tools alone', () => {
    const refused = (plan: SyncPlan) =>
      runSync(at({ ...LEGACY, 'prompts/packs/default.json': PRELUDE }), selection({ prelude: 'default' }), {
        plan,
        meddle: (effect, given) =>
          effect.type === 'workspace.list' ? { ok: false, code: 'workspace_not_allowed', detail: 'Not allowed: read tools' } : given,
      }).result
    expect(refused(workspaceSync)).toMatchObject({ outcome: 'ready', snapshot: { catalog: null } })
    expect(refused(catalogSync)).toMatchObject({ outcome: 'failed', stage: 'catalog', code: 'workspace_not_allowed' })
  })
})

describe('content that is made of files', () => {
  it('is stored whole: a composed prelude with its options, a catalog with its descriptors', () => {
    const files: Files = {
      'prompts/packs/default.json': JSON.stringify({
        id: 'default',
        templates: ['base.md', { path: 'prompts/templates/style.md', role: 'developer' }],
        context: ['context/docs/facts.md', 'context/images/map.png'],
        values: { who: 'Ada' },
        options: { temperature: 0.2, responseFormat: 'prompts/answer.json' },
      }),
      'prompts/templates/base.md': 'You help {{who}}.',
      'prompts/templates/style.md': 'Be brief.',
      'prompts/answer.json': '{"type":"object"}',
      'context/docs/facts.md': 'Water is wet.',
      'context/images/map.png': new Uint8Array([137, 80, 78, 71]),
      'tools/catalogs/default.json': '{"tools":["look",{"name":"inline"}],"tool_choice":"auto"}',
      'tools/descriptors/look.json': '{"name":"look","input_schema":{"type":"object"}}',
    }
    const { result } = runSync(at(files), BOTH)
    const { prelude, catalog } = ready(result)
    const texts = new Map(result.outcome === 'ready' ? result.objects.map(({ digest, text }) => [digest, text]) : [])
    for (const [digest, text] of texts) expect(digestText(text)).toBe(digest)
    expect(JSON.parse(texts.get(prelude!.digest)!)).toMatchObject([
      { role: 'system', content: 'You help Ada.' },
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Water is wet.' },
          { type: 'image', mediaType: 'image/png' },
        ],
      },
    ])
    expect(JSON.parse(texts.get(prelude!.options!)!)).toEqual({ temperature: 0.2, responseFormat: { type: 'object' } })
    expect(JSON.parse(texts.get(catalog!.digest)!)).toEqual({
      tool_choice: 'auto',
      tools: [{ name: 'look', input_schema: { type: 'object' } }, { name: 'inline' }],
    })
  })

  it.each([
    ['a template that is not there', { templates: ['gone.md'] }, 'prelude file_missing: writer has no prompts/templates/gone.md'],
    [
      'a path out of the workspace',
      { templates: ['../../secret.md'] },
      'prelude path_invalid: "../../secret.md" is not a path in a workspace',
    ],
    ['a value that is missing', { templates: ['t.md'] }, 'prelude prelude_invalid: prompts/templates/t.md: "who" has no value, line 2'],
  ])('fails for %s', (_, fields, message) => {
    const files = { 'prompts/packs/default.json': JSON.stringify({ id: 'd', ...fields }), 'prompts/templates/t.md': 'Hello\n{{who}}' }
    expect(failure(files, selection({ prelude: 'default' }))).toBe(message)
  })

  it('fails for more files than anybody would name, before they are read, and says so in few words', () => {
    const names = Array.from({ length: 1001 }, (_, index) => `tool-${index}`)
    expect(failure({ 'tools/catalogs/c.json': JSON.stringify(names) }, selection({ catalog: 'c' }))).toContain('catalog files_too_many')
    const long = '\u{1F600}'.repeat(100_000)
    const twice = JSON.stringify([{ name: long }, { name: long }])
    const { result } = runSync(at({ 'tools/catalogs/c.json': twice }), selection({ catalog: 'c' }))
    if (result.outcome !== 'failed') throw new Error(result.outcome)
    expect([result.detail.length, result.detail.isWellFormed()]).toEqual([4000, true])
  })

  it('fails for a descriptor that is not there, or is named badly', () => {
    const wanted = selection({ catalog: 'c' })
    expect(failure({ 'tools/catalogs/c.json': '["gone"]' }, wanted)).toBe('catalog file_missing: writer has no tools/descriptors/gone.json')
    expect(failure({ 'tools/catalogs/c.json': '["../x"]' }, wanted)).toContain('catalog path_invalid')
  })
})
