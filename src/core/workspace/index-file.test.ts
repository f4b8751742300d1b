import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { interpretSchema } from '../schema/interpret.ts'
import { pointerText } from '../schema/pointer.ts'
import { schemaFault } from '../schema/schema-fault.ts'
import { readIndex } from './index-file.ts'
import { workspaceIndexFormat } from './index-format.ts'
import { isPath } from './path.ts'

const encode = (value: Json | string) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const places = (value: Json | string) => {
  const read = readIndex(encode(value))
  return read.ok ? [] : [...new Set(read.problems.map(({ pointer }) => pointerText(pointer)))]
}

describe('agent.workspace.json', () => {
  it('is read as AgentOS ships it', () => {
    const read = readIndex(
      encode({
        schema_version: 1,
        prompt_packs: { default: 'prompts/packs/default.json' },
        tool_catalogs: { default: 'tools/catalogs/default.json' },
        defaults: { prompt_pack: 'default', tool_catalog: 'default' },
      }),
    )
    expect(read).toEqual({
      ok: true,
      index: {
        preludes: new Map([['default', 'prompts/packs/default.json']]),
        catalogs: new Map([['default', 'tools/catalogs/default.json']]),
        contextGroups: new Map(),
        defaults: { prelude: 'default', catalog: 'default' },
      },
    })
  })

  it('needs nothing but its version, and may group context', () => {
    expect(places({ schema_version: 1 })).toEqual([])
    expect(places({ $schema: 'x', schema_version: 1, context_groups: { style: ['context/docs/style.md', 'context/images'] } })).toEqual([])
    expect(places({ schema_version: 1, defaults: { prompt_pack: null } })).toEqual([])
  })

  it.each<[Json | string, string[]]>([
    [{}, ['']],
    [[], ['']],
    [{ schema_version: 2 }, ['/schema_version']],
    [{ schema_version: 1, packs: {} }, ['/packs']],
    [{ schema_version: 1, defaults: { pack: 'a' } }, ['/defaults/pack']],
    [{ schema_version: 1, prompt_packs: [] }, ['/prompt_packs']],
    [{ schema_version: 1, prompt_packs: { a: '../x.json' } }, ['/prompt_packs/a']],
    [{ schema_version: 1, prompt_packs: { a: '/x.json' } }, ['/prompt_packs/a']],
    [{ schema_version: 1, tool_catalogs: { a: 1 } }, ['/tool_catalogs/a']],
    [{ schema_version: 1, context_groups: { a: ['b', 1] } }, ['/context_groups/a/1']],
    [{ schema_version: 1, defaults: { tool_catalog: 'a/b' } }, ['/defaults/tool_catalog']],
  ])('says what is wrong with %j by place', (value, expected) => expect(places(value)).toEqual(expected))

  it('says where it stops being JSON', () =>
    expect(readIndex(encode('{\n  "schema_version": ,'))).toMatchObject({ ok: false, problems: [{ position: { line: 2, column: 21 } }] }))

  it('takes for paths only what a workspace does', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a./~-]{1,8}$/), path => {
        if (places({ schema_version: 1, prompt_packs: { a: path } }).length === 0)
          expect([path, isPath(path.replaceAll('~', 'x'))]).toEqual([path, true])
        else expect(isPath(path)).toBe(false)
      }),
    )
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(encode)), bytes => {
        expect(typeof readIndex(bytes).ok).toBe('boolean')
      }),
    )
  })

  it('says what its schema says', () => {
    const check = interpretSchema(workspaceIndexFormat as unknown as Json)
    const path = fc.constantFrom('a', 'a/b.json', '../a', '', '.', 'a/', 'a b', '~', 1)
    const name = fc.constantFrom('a', 'b.c', '..', 'a/b', '', 'x'.repeat(129))
    const paths = fc.dictionary(name, path, { maxKeys: 2 })
    const index = fc.record(
      {
        schema_version: fc.constantFrom(1, 1, 1, 2, '1', null),
        prompt_packs: fc.oneof(paths, fc.constant([])),
        tool_catalogs: paths,
        context_groups: fc.dictionary(name, fc.array(path, { maxLength: 2 }), { maxKeys: 2 }),
        defaults: fc.oneof(fc.record({ prompt_pack: fc.oneof(name, fc.constant(null)) }), fc.constantFrom({ x: 1 }, 1)),
        other: fc.constant(1),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(index, value => {
        const made = JSON.parse(JSON.stringify(value)) as Json
        expect([made, places(made).length === 0]).toEqual([made, check(made).length === 0])
      }),
      { numRuns: 1000 },
    )
  })

  it('has a schema that is one, and is published', () => {
    expect(schemaFault(workspaceIndexFormat as unknown as Json)).toBeNull()
    expect(JSON.parse(readFileSync('schemas/agent-workspace.schema.json', 'utf8'))).toEqual(workspaceIndexFormat)
  })
})
