import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import type { LibraryTemplate } from '../library/template.ts'
import { decideInstall, type Ground, type Installing } from './decide.ts'
import type { BundleManifest } from './manifest.ts'

const WRITER: LibraryTemplate = { templateId: 'writer', version: '1.0.0', kind: 'system', text: 'Write.' }
const BUNDLE: BundleManifest = {
  name: 'vendor.acme.prompts',
  version: '1.0.0',
  kind: 'prompt',
  engines: { openwop: '^1.0.0' },
  prompts: [WRITER],
}
const EMPTY: Ground = { bundles: [], templates: [] }
const [ONE, OTHER] = [digestText('one'), digestText('other')]
const installing = (manifest: Partial<BundleManifest> = {}, more: Partial<Installing> = {}): Installing => ({
  manifest: { ...BUNDLE, ...manifest },
  digest: ONE,
  signature: { key: 'sign-1', signature: 'S' },
  actor: 'ada',
  ...more,
})
const there = (name: string, version: string, manifest = OTHER) => ({ name, version, manifest })

describe('installing a bundle', () => {
  it('publishes its templates as its own, whatever they say, and says so in one event more', () => {
    const claiming = { ...WRITER, meta: { author: 'Ada', source: 'host' as const, packName: 'core.other.pack', packVersion: '9.9.9' } }
    const { problems, fresh, drafts } = decideInstall(installing({ prompts: [claiming] }), EMPTY)
    expect(problems).toEqual([])
    expect(fresh[0]?.meta).toEqual({ author: 'Ada', source: 'pack', packName: BUNDLE.name, packVersion: '1.0.0' })
    expect(drafts.map(({ type, actor }) => [type, actor])).toEqual([
      ['template.published', 'ada'],
      ['bundle.installed', 'ada'],
    ])
    expect(drafts[0]?.payload).toMatchObject({ templateId: 'writer', version: '1.0.0', origin: 'pack' })
    expect(drafts[1]?.payload).toEqual({
      name: BUNDLE.name,
      version: '1.0.0',
      manifest: ONE,
      key: 'sign-1',
      signature: 'S',
      dependencies: [],
      templates: 1,
      added: 1,
    })
  })

  it('records that nobody signed it', () => {
    const { drafts } = decideInstall(installing({}, { signature: null }), EMPTY)
    expect(drafts[1]?.payload).toMatchObject({ key: null, signature: null })
  })

  it('declares the context keys that a template uses, so that they are bound', () => {
    const { fresh } = decideInstall(installing({ prompts: [{ ...WRITER, text: '{{tenantId}} {{now}}' }] }), EMPTY)
    expect(fresh[0]?.variables).toEqual([
      { name: 'now', type: 'string', required: false, source: 'context' },
      { name: 'tenantId', type: 'string', required: false, source: 'context' },
    ])
  })

  it('again, byte for byte, writes nothing', () => {
    const decided = decideInstall(installing(), { bundles: [there(BUNDLE.name, '1.0.0', ONE)], templates: [] })
    expect(decided).toMatchObject({ unchanged: true, problems: [], drafts: [] })
  })

  it('again with other bytes is refused', () => {
    const { problems, drafts } = decideInstall(installing(), { bundles: [there(BUNDLE.name, '1.0.0')], templates: [] })
    expect([problems.map(({ code }) => code), drafts]).toEqual([['bundle_exists'], []])
  })

  describe('in a newer version', () => {
    const first = decideInstall(installing(), EMPTY).fresh
    const ground: Ground = { bundles: [there(BUNDLE.name, '1.0.0')], templates: first }

    it('adds what is new and keeps what is the same, with the version it came with', () => {
      const prompts = [WRITER, { ...WRITER, version: '1.1.0' }]
      const { problems, fresh, kept, drafts } = decideInstall(installing({ version: '1.1.0', prompts }), ground)
      expect([problems, fresh.map(one => one.version), kept.map(one => one.version)]).toEqual([[], ['1.1.0'], ['1.0.0']])
      expect(drafts).toHaveLength(2)
      expect(drafts[1]?.payload).toMatchObject({ templates: 2, added: 1 })
    })

    it.each([
      ['text', { text: 'Write well.' }],
      ['kind', { kind: 'user' as const }],
      ['tags', { tags: ['default'] }],
      ['author', { meta: { author: 'Ada' } }],
    ])('refuses another %s under a version that is there', (_, change) => {
      const { problems, drafts } = decideInstall(installing({ version: '1.1.0', prompts: [{ ...WRITER, ...change }] }), ground)
      expect([problems.map(({ code }) => code), drafts]).toEqual([['template_exists'], []])
    })
  })

  const BASE = 'vendor.acme.base'
  it.each([
    ['no such bundle', [], '^1.0.0', null],
    ['no such version', [there(BASE, '1.9.0'), there('vendor.acme.other', '2.0.0')], '^2.0.0', null],
    ['only a pre-release', [there(BASE, '1.0.0-rc.1')], '^1.0.0', null],
    ['the highest that fits', [there(BASE, '1.2.0'), there(BASE, '1.10.0'), there(BASE, '2.0.0')], '^1.0.0', '1.10.0'],
  ])('looks for what it needs: %s', (_, bundles, range, found) => {
    const { problems, drafts } = decideInstall(installing({ dependencies: { [BASE]: range } }), { bundles, templates: [] })
    expect(problems.map(({ code }) => code)).toEqual(found === null ? ['prompt_pack_dependency_unresolvable'] : [])
    if (found === null) expect(drafts).toEqual([])
    else expect(drafts[1]?.payload).toMatchObject({ dependencies: [{ name: BASE, range, version: found }] })
  })

  it('is refused with every reason at once', () => {
    const ground: Ground = { bundles: [there(BUNDLE.name, '1.0.0')], templates: [{ ...WRITER, text: 'Other.' }] }
    const { problems } = decideInstall(installing({ dependencies: { [BASE]: '*' } }), ground)
    expect(problems.map(({ code }) => code)).toEqual(['bundle_exists', 'prompt_pack_dependency_unresolvable', 'template_exists'])
  })
})
