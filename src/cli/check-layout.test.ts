// Tests onbook check on the files beside the packs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const SOUND: Readonly<Record<string, string>> = {
  'agent.workspace.json': JSON.stringify({
    schema_version: 1,
    prompt_packs: { default: 'prompts/packs/default.json' },
    tool_catalogs: { default: 'tools/catalogs/default.json' },
    context_groups: { style: ['context/docs'] },
    defaults: { prompt_pack: 'default', tool_catalog: 'default' },
  }),
  'prompts/packs/default.json':
    '{"id": "default", "templates": ["base.md"], "context": ["context/docs/style.md"], "values": {"who": "us"}}',
  'prompts/templates/base.md': 'You write for {{who}}.\n',
  'context/docs/style.md': 'Short sentences.\n',
  'tools/catalogs/default.json': '{"tools": ["look"]}',
  'tools/descriptors/look.json': '{"name": "look", "parameters": {"type": "object"}}',
}

interface Reported {
  readonly findings: readonly { readonly file: string; readonly rule: string; readonly line: number; readonly column: number }[]
  readonly summary: { readonly files: number; readonly errors: number; readonly warnings: number }
}

const folderWith = (files: Readonly<Record<string, string>> = {}) => temporaryFolder(null, { ...SOUND, ...files })
async function check(cwd: string, ...args: string[]) {
  const { out, code } = await runCli(['check', ...args, '--json'], { cwd })
  const { findings, summary } = JSON.parse(out) as Reported
  return { code, summary, places: findings.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`) }
}

describe('onbook check of a workspace without packs', () => {
  it('finds nothing wrong with a sound one', async () => {
    expect(await runCli(['check'], { cwd: folderWith() })).toMatchObject({ code: 0, out: '6 files checked: no problems.\n' })
  })

  it('finds everything at once, each at its place', async () => {
    const folder = folderWith({
      'prompts/templates/base.md': 'You write.\nFor {{whom}}.\n',
      'prompts/packs/short.json': '{\n  "id": "short",\n  "templates": ["shrt.md"]\n}',
      'tools/catalogs/default.json': '{\n  "tools": ["look", "lok"]\n}',
      'tools/old.json': '[{"name": "old"}]',
      'tools/descriptors/list.json': '{"name": "list"}',
    })
    expect(await check(folder)).toMatchObject({
      code: 1,
      summary: { files: 9, errors: 3, warnings: 1, infos: 1 },
      places: [
        'prompts/packs/short.json:3:17 prelude-valid',
        'prompts/templates/base.md:2:5 prelude-valid',
        'tools/catalogs/default.json:2:21 tools-valid',
        'tools/descriptors/list.json:1:1 unused-descriptor',
        'tools/old.json:1:1 legacy-tools',
      ],
    })
  })

  it('speaks only of what was named', async () => {
    const folder = folderWith({ 'tools/catalogs/default.json': '["nothing"]', 'prompts/templates/base.md': '{{#if' })
    expect((await check(folder, 'tools/catalogs/default.json')).places).toEqual(['tools/catalogs/default.json:1:2 tools-valid'])
    expect((await check(folder, 'prompts')).places).toEqual(['prompts/templates/base.md:1:1 prelude-valid'])
    expect((await check(folder, 'context')).places).toEqual([])
  })

  it('weighs as the configuration says', async () => {
    const folder = folderWith({
      'onbook.config.yaml': 'rules:\n  tools-valid: warning\n  prelude-valid: off\n',
      'tools/catalogs/default.json': '["nothing"]',
      'prompts/templates/base.md': '{{#if',
    })
    expect(await check(folder)).toMatchObject({ code: 0, summary: { errors: 0, warnings: 1 } })
  })

  it('says so of files that cannot be read, and never reads what is outside', async () => {
    const folder = folderWith({ 'prompts/packs/default.json': '{"id": "d", "templates": ["../../../../etc/passwd"]}' })
    writeFileSync(join(folder, 'prompts/packs/bytes.json'), Buffer.from([0xff, 0xfe]))
    writeFileSync(join(folder, 'tools/catalogs/huge.json'), Buffer.alloc(9 * 1024 * 1024, ' '))
    const { places } = await check(folder)
    expect(places).toEqual([
      'prompts/packs/bytes.json:1:1 workspace-file',
      'prompts/packs/default.json:1:27 prelude-valid',
      'tools/catalogs/huge.json:1:1 workspace-file',
    ])
  })

  it('leaves a folder alone that only happens to have tools/', async () => {
    const folder = temporaryFolder('examples/newsroom', { 'tools/package.json': '{"scripts": {}}', 'tools/broken.json': '{' })
    expect((await check(folder)).places.filter(place => place.startsWith('tools/package'))).toEqual([])
  })
})
