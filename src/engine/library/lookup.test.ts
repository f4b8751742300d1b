// What a library offers by default: DESIGN decision 27.
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store.ts'
import { PRODUCT_PROJECTIONS } from '../projections.ts'
import { loadLookup } from './lookup.ts'
import { publishTemplates } from './publish.ts'
import { removeTemplate } from './remove.ts'
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
