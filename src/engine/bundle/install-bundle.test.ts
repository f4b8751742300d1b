import { afterEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { bundleFiles, makeSigner, manifestOf, prompt, trusting } from '../../testing/stories/sample-bundle.ts'
import { publishTemplates } from '../library/publish.ts'
import { findTemplate, renderRef } from '../library/render-ref.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { soundBundle } from './check-bundle.ts'
import { installBundle } from './install-bundle.ts'
import { installedBundles } from './installed.ts'

const acme = makeSigner()
const NAME = 'vendor.acme.prompts'
const STREAM = `library/${NAME}`
const open: Store[] = []
const newStore = (path = freshPath()): Store => {
  const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  open.push(store)
  return store
}
afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
})

const sound = (manifest: object) => soundBundle(bundleFiles(manifest, acme), trusting([acme]))
const install = (store: Store, manifest: object, tenant = 'acme') => installBundle(store, sound(manifest), { tenant, actor: 'ada' })
const first = manifestOf(NAME, '1.0.0', [prompt('writer'), prompt('critic')])

async function events(store: Store, stream = STREAM, tenant = 'acme'): Promise<string[]> {
  const found: string[] = []
  for await (const { event } of store.read(tenant, stream, -1)) found.push(event.type)
  return found
}
const refusal = (...codes: string[]) =>
  expect.objectContaining({
    code: 'bundle_refused',
    details: expect.objectContaining({ problems: codes.map(code => expect.objectContaining({ code })) }),
  })

describe('installing', () => {
  it('writes the templates, the bytes and who signed them, in one commit', async () => {
    const store = newStore()
    const { digest, ...installed } = await install(store, first)
    expect(installed).toMatchObject({ key: acme.id, unchanged: false, added: ['prompt:writer@1.0.0', 'prompt:critic@1.0.0'], kept: [] })
    expect(await events(store)).toEqual(['template.published', 'template.published', 'bundle.installed'])
    expect(new TextDecoder().decode(await store.object('acme', digest))).toBe(JSON.stringify(first))
    expect(await installedBundles(store, 'acme')).toMatchObject([
      { name: NAME, version: '1.0.0', manifest: digest, key: acme.id, templates: 2, actor: 'ada' },
    ])
    const { row, template } = await findTemplate(store, 'acme', 'prompt:writer')
    expect([row.libraryId, template.meta]).toEqual([NAME, { source: 'pack', packName: NAME, packVersion: '1.0.0' }])
  })

  it('is for one tenant', async () => {
    const store = newStore()
    await install(store, first)
    expect(await installedBundles(store, 'other')).toEqual([])
    await expect(findTemplate(store, 'other', 'prompt:writer')).rejects.toMatchObject({ code: 'prompt_template_not_found' })
  })

  it('again changes nothing', async () => {
    const store = newStore()
    await install(store, first)
    const before = await store.head('acme', STREAM)
    expect(await install(store, first)).toMatchObject({ unchanged: true, added: [] })
    expect(await store.head('acme', STREAM)).toEqual(before)
  })

  it('the same version with other bytes is refused, even if they mean the same', async () => {
    const store = newStore()
    await install(store, first)
    await expect(install(store, Object.fromEntries(Object.entries(first).reverse()))).rejects.toEqual(refusal('bundle_exists'))
  })

  it('a newer version adds what is new, and the old stays as it was', async () => {
    const store = newStore()
    await install(store, first)
    const before = await findTemplate(store, 'acme', 'prompt:writer@1.0.0')
    const next = manifestOf(NAME, '1.1.0', [prompt('writer'), prompt('writer', { version: '1.1.0', text: 'Newer.' })])
    expect(await install(store, next)).toMatchObject({ added: ['prompt:writer@1.1.0'], kept: ['prompt:writer@1.0.0'] })
    expect(await findTemplate(store, 'acme', 'prompt:writer@1.0.0')).toEqual(before)
    expect((await findTemplate(store, 'acme', 'prompt:writer')).template.text).toBe('Newer.')
    expect((await installedBundles(store, 'acme')).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0'])
  })

  it('a newer version that rewrites a template is refused whole', async () => {
    const store = newStore()
    await install(store, first)
    const next = manifestOf(NAME, '1.1.0', [prompt('fresh'), prompt('writer', { text: 'Rewritten.' })])
    await expect(install(store, next)).rejects.toEqual(refusal('template_exists'))
    await expect(findTemplate(store, 'acme', 'prompt:fresh')).rejects.toMatchObject({ code: 'prompt_template_not_found' })
    expect(await events(store)).toHaveLength(3)
  })

  it('needs its dependencies first', async () => {
    const store = newStore()
    const needing = manifestOf('vendor.acme.more', '1.0.0', [prompt('editor')], { dependencies: { [NAME]: '^1.0.0' } })
    await expect(install(store, needing)).rejects.toEqual(refusal('prompt_pack_dependency_unresolvable'))
    await install(store, first)
    await install(store, needing)
    for await (const { event } of store.read('acme', 'library/vendor.acme.more', 0))
      expect(event.payload).toMatchObject({ dependencies: [{ name: NAME, range: '^1.0.0', version: '1.0.0' }] })
  })

  it('says which ids other libraries have too: such a ref must name one from now on', async () => {
    const store = newStore()
    const own = { templateId: 'critic', version: '2.0.0', kind: 'system', text: 'Ours.' } as const
    await publishTemplates(store, { tenant: 'acme', libraryId: 'onbook', actor: 'ada' }, [own], { mode: 'create', origin: 'user' })
    expect((await install(store, first)).ambiguous).toEqual(['critic'])
    await install(store, manifestOf('vendor.other.prompts', '1.0.0', [prompt('writer', { text: 'Other.' })]))
    await expect(findTemplate(store, 'acme', 'prompt:writer')).rejects.toMatchObject({ code: 'prompt_ref_ambiguous' })
    const named = { templateId: 'writer', libraryId: 'vendor.other.prompts' }
    expect((await findTemplate(store, 'acme', named)).template.text).toBe('Other.')
  })

  it('two versions of a template in one bundle are no two libraries', async () => {
    const store = newStore()
    await install(store, manifestOf(NAME, '1.0.0', [prompt('writer'), prompt('writer', { version: '2.0.0', text: 'Two.' })]))
    expect((await findTemplate(store, 'acme', 'prompt:writer')).template.text).toBe('Two.')
  })

  it('for the host is for everybody, and then for no tenant alone', async () => {
    const store = newStore()
    await install(store, first, HOST_TENANT)
    expect((await findTemplate(store, 'acme', 'prompt:writer')).row.libraryId).toBe(NAME)
    const needing = manifestOf('vendor.acme.more', '1.0.0', [prompt('editor')], { dependencies: { [NAME]: '*' } })
    expect((await install(store, needing)).added).toEqual(['prompt:editor@1.0.0'])
    await expect(install(store, manifestOf(NAME, '2.0.0', [prompt('writer')]))).rejects.toEqual(refusal('bundle_exists'))
  })

  it('binds the context keys that a template uses and does not declare', async () => {
    const store = newStore()
    await install(store, manifestOf(NAME, '1.0.0', [prompt('greeter', { text: 'For {{tenantId}}.' })]))
    const sources = { context: { tenantId: 'acme' } as Readonly<Record<string, Json>> }
    const { rendered } = await renderRef(store, 'acme', { ref: 'prompt:greeter', sources, trust: 'trusted' })
    expect(rendered.text).toBe('For acme.')
  })

  it('many at once come out as if one after the other', async () => {
    const path = freshPath()
    const stores = Array.from({ length: 4 }, () => newStore(path))
    const versions = ['1.0.0', '1.1.0', '1.2.0', '1.0.0']
    const outcomes = await Promise.all(
      versions.map((version, index) =>
        install(stores[index]!, manifestOf(NAME, version, [prompt('writer'), prompt('writer', { version: version.replace('1.', '2.') })])),
      ),
    )
    expect(outcomes).toHaveLength(4)
    const bundles = await installedBundles(stores[0]!, 'acme')
    expect(bundles.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0', '1.2.0'])
    const types = await events(stores[0]!)
    expect(types.filter(type => type === 'template.published')).toHaveLength(4)
  })

  it('leaves rows that a rebuild makes again', async () => {
    const store = newStore()
    await install(store, first)
    const before = await installedBundles(store, 'acme')
    await store.rebuild()
    expect(await installedBundles(store, 'acme')).toEqual(before)
  })
})
