import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { eraseObject } from '../record/erase.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { type ListFilter, listTemplates } from './list.ts'
import { publishTemplates } from './publish.ts'
import { removeTemplate } from './remove.ts'
import { findTemplate } from './render-ref.ts'

const writer = { tenant: 'acme', libraryId: 'onbook', actor: 'test' }
let store: Store

const template = (templateId: string, more: Partial<LibraryTemplate> = {}): LibraryTemplate => ({
  templateId,
  version: '1.0.0',
  kind: 'system',
  text: `Words of ${templateId}.`,
  ...more,
})
const publish = (...templates: LibraryTemplate[]) => publishTemplates(store, writer, templates, { mode: 'create', origin: 'user' })

async function idsOf(filter: ListFilter): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { templateId, version } of listTemplates(store, 'acme', filter, null)) ids.push(`${templateId}@${version}`)
  return ids
}

beforeAll(async () => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  await publish(
    template('changed', { tags: ['old'], modelHints: { modelClass: 'small' } }),
    template('changed', { version: '2.0.0', kind: 'user', tags: ['new'] }),
    template('gone', { tags: ['old', 'new'] }),
    template('plain', { tags: ['new', 'a\0b'] }),
    template('two', { tags: ['new', 'other'], modelHints: { modelClass: 'small' } }),
  )
  await removeTemplate(store, writer, { templateId: 'gone', mayMoveProtected: false })
})
afterAll(() => store.close())

it.each<[string, ListFilter, readonly string[]]>([
  ['everything that is there', {}, ['changed@2.0.0', 'plain@1.0.0', 'two@1.0.0']],
  ['a kind, whatever older versions were', { kind: 'system' }, ['plain@1.0.0', 'two@1.0.0']],
  ['a tag that the newest version has', { tags: ['new'] }, ['changed@2.0.0', 'plain@1.0.0', 'two@1.0.0']],
  ['nothing for a tag that only older or removed versions have', { tags: ['old'] }, []],
  ['what has all tags', { tags: ['new', 'other'] }, ['two@1.0.0']],
  ['a tag with a NUL in it', { tags: ['a\0b'] }, ['plain@1.0.0']],
  ['nothing for a tag that is spelled as tables spell a NUL', { tags: ['a\u2400b'] }, []],
  ['a class of models', { modelClass: 'small' }, ['two@1.0.0']],
  ['a tag and a kind together', { tags: ['new'], kind: 'user' }, ['changed@2.0.0']],
  ['nothing from an origin that has none', { origin: 'host' }, []],
])('lists %s', async (_, filter, ids) => {
  expect(await idsOf(filter)).toEqual(ids)
})

it('does not go on giving what was erased', async () => {
  await publish(template('secret'))
  const { row } = await findTemplate(store, 'acme', 'prompt:secret')
  await eraseObject(store, { tenant: 'acme', digest: row.digest, actor: 'test', why: 'somebody asked for it' })
  await expect(findTemplate(store, 'acme', 'prompt:secret')).rejects.toThrow(expect.objectContaining({ code: 'object_missing' }))
})
