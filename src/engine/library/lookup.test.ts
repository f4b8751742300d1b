// A ref leads to a version by its label, by its version, or by the defaults of a library.
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { moveLabel } from './labels.ts'
import { loadLookup } from './lookup.ts'
import { publishTemplates } from './publish.ts'
import { removeTemplate } from './remove.ts'
import { retireTemplates } from './retire.ts'
import { HOST_TENANT } from './rows.ts'

it('the default of a kind is the newest template whose newest version is tagged so', async () => {
  const store = memoryStore(() => new Date().toISOString(), PRODUCT_PROJECTIONS)
  const writer = { tenant: 'acme', libraryId: 'house', actor: 'test' }
  const publish = (templateId: string, version: string, tags: readonly string[]) =>
    publishTemplates(store, writer, [{ templateId, version, kind: 'system', text: 'x', tags }], { mode: 'create', origin: 'user' })
  const offered = async () => {
    const found = (await loadLookup(store, 'acme', { refs: [], libraries: ['house'], hostRefs: [] })).defaultOf('house', 'system')
    return found?.status === 'found' ? `${found.template.templateId}@${found.template.version}` : (found?.status ?? null)
  }
  expect(await offered()).toBeNull()
  await publish('plain', '1.0.0', [])
  expect(await offered()).toBe('missing')
  await publish('first', '1.0.0', ['default'])
  await publish('second', '1.0.0', ['default', 'other'])
  expect(await offered()).toBe('second@1.0.0')
  await publish('first', '1.1.0', ['default'])
  expect(await offered()).toBe('first@1.1.0')
  await publish('first', '2.0.0', [])
  expect(await offered()).toBe('second@1.0.0')
  await removeTemplate(store, writer, { templateId: 'second', mayMoveProtected: false })
  expect(await offered()).toBe('missing')
  expect((await loadLookup(store, 'other', { refs: [], libraries: ['house'], hostRefs: [] })).defaultOf('house', 'system')).toBeNull()
  await publishTemplates(
    store,
    { ...writer, tenant: HOST_TENANT },
    [{ templateId: 'theirs', version: '1.0.0', kind: 'system', text: 'x', tags: ['default'] }],
    {
      mode: 'create',
      origin: 'host',
    },
  )
  expect(await offered()).toBe('theirs@1.0.0')
  await store.close()
})

describe('the version that a ref without one means', () => {
  const WRITER = { tenant: 'acme', libraryId: 'house', actor: 'test' }
  const store = memoryStore(() => new Date().toISOString(), PRODUCT_PROJECTIONS)
  afterAll(() => store.close())
  const publish = (templateId: string, version: string, writer = WRITER, active: readonly [string, string][] = []) =>
    publishTemplates(store, writer, [{ templateId, version, kind: 'system', text: 'x' }], {
      mode: 'create',
      origin: writer.tenant === HOST_TENANT ? 'host' : 'user',
      active: new Map(active.map(([id, to]) => [id, { version: to, onlyFirst: false, why: null }])),
    })
  const label = (templateId: string, to: string | null, writer = WRITER) =>
    moveLabel(store, writer, { templateId, label: 'active', to, why: null, mayMoveProtected: false })
  const meant = async (templateId: string, tenant = 'acme') => {
    const ref = { libraryId: null, templateId, version: null, label: null, variableOverrides: null }
    const found = (await loadLookup(store, tenant, { refs: [ref], libraries: [], hostRefs: [] })).find(ref)
    return found.status === 'found' ? `${found.meant} ${found.template.version}` : found
  }

  it('is the newest until it has the label, and then only the label decides', async () => {
    await publish('a', '1.0.0')
    await publish('a', '2.0.0')
    expect(await meant('a')).toBe('newest 2.0.0')
    await label('a', '1.0.0')
    await publish('a', '3.0.0')
    expect(await meant('a')).toBe('active 1.0.0')
    await label('a', null)
    expect(await meant('a')).toEqual({ status: 'missing', versions: ['1.0.0', '2.0.0', '3.0.0'], labels: [] })
  })

  it('comes back with the first version of a template that was removed', async () => {
    await publish('b', '1.0.0', WRITER, [['b', '1.0.0']])
    await removeTemplate(store, WRITER, { templateId: 'b', mayMoveProtected: false })
    expect(await meant('b')).toEqual({ status: 'missing' })
    await publish('b', '1.1.0')
    expect(await meant('b')).toBe('active 1.1.0')
  })

  it("of the host's templates is the host's, unless the tenant labelled another", async () => {
    const host = { ...WRITER, tenant: HOST_TENANT }
    await publish('c', '1.0.0', host, [['c', '1.0.0']])
    await publish('c', '2.0.0', host)
    expect(await meant('c')).toBe('active 1.0.0')
    await label('c', '2.0.0')
    expect([await meant('c'), await meant('c', 'umbrella')]).toEqual(['active 2.0.0', 'active 1.0.0'])
  })

  it('is never a retired one', async () => {
    await publish('d', '1.0.0')
    await publish('d', '2.0.0')
    await retireTemplates(store, WRITER, ['d'], '2.0.0')
    expect(await meant('d')).toBe('newest 1.0.0')
    await expect(label('d', '2.0.0')).rejects.toMatchObject({ code: 'version_retired' })
    await label('d', '1.0.0')
    await expect(retireTemplates(store, WRITER, ['d'], '1.0.0')).rejects.toMatchObject({ code: 'version_active' })
  })
})
