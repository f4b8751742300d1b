// @ts-check
// A library of any size, written through the store in big commits, and keys to read it with.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { sqliteStore } from '../../../dist/adapters/sqlite-store/sqlite-store.js'
import { SCOPES } from '../../../dist/core/access/keys.js'
import { libraryStream, publishedDraft } from '../../../dist/core/library/events.js'
import { templateText } from '../../../dist/core/library/template.js'
import { createKey } from '../../../dist/engine/access/access.js'
import { PRODUCT_PROJECTIONS } from '../../../dist/engine/record/projections.js'

/** @typedef {import('../../../dist/core/library/template.js').LibraryTemplate} Template */

const AT_ONCE = 2_000
const KINDS = /** @type {const} */ (['system', 'user', 'few-shot', 'schema-hint'])
/** However large the library, so many templates have the rare tag. */
const RARE = 40

/** @param {number} index */
export const idOf = index => `template-${String(index).padStart(7, '0')}`

/** @param {number} index @param {number} count @returns {Template} */
const templateAt = (index, count) => ({
  templateId: idOf(index),
  version: '1.0.0',
  kind: KINDS[index % KINDS.length] ?? 'system',
  text: `You are helper ${index}. Write about {{topic}} in plain words, name your sources, and say what you do not know.`,
  variables: [{ name: 'topic', type: 'string', required: true }],
  tags: ['common', ...(index % Math.ceil(count / RARE) === 0 ? ['rare'] : [])],
  meta: { source: 'user' },
})

/**
 * @param {string} folder @param {readonly Template[] | number} templates these, or so many @param {readonly string[]} tenants one key each
 * @returns {Promise<readonly string[]>} the keys
 */
export async function makeLibrary(folder, templates, tenants) {
  const store = sqliteStore(join(folder, 'onbook.db'), () => new Date().toISOString(), PRODUCT_PROJECTIONS)
  const tenant = tenants[0] ?? ''
  const stream = libraryStream('onbook')
  const count = typeof templates === 'number' ? templates : templates.length
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) =>
      typeof templates === 'number' ? templateAt(from + n, count) : /** @type {Template} */ (templates[from + n]),
    )
    const objects = some.map(template => Buffer.from(templateText(template)))
    const entries = some.map(template => publishedDraft(template, 'bench'))
    await store.commit({ tenant, objects, appends: [{ stream, expected: from - 1, entries }] })
  }
  const randomness = (/** @type {number} */ bytes, /** @type {'hex' | 'base64url'} */ as) => randomBytes(bytes).toString(as)
  const keys = []
  for (const owner of tenants) keys.push((await createKey(store, randomness, { tenant: owner, scopes: SCOPES, actor: 'bench' })).key)
  await store.close()
  return keys
}
