// API keys on every store: who is admitted, the exact time of expiry, and the record of keys.
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { KEYS, SCOPES } from '../../core/access/keys.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { authenticate, createKey, type KeyRequest, listKeys, noteUse, provedPrincipal, revokeKey } from './access.ts'

const randomness = (bytes: number, as: 'hex' | 'base64url') => randomBytes(bytes).toString(as)
const open: Store[] = []
const opened = <S extends Store>(store: S): S => {
  open.push(store)
  return store
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(store => store.close()))
})

/** Reads all rows at once, and yields them only after `first`. */
async function* late<T>(rows: AsyncIterable<T>, first: () => Promise<void>): AsyncIterable<T> {
  const read: T[] = []
  for await (const row of rows) read.push(row)
  await first()
  yield* read
}

const PLACES: readonly [string, () => Store][] = [
  ['memory', () => memoryStore(clock, PRODUCT_PROJECTIONS)],
  ['SQLite', () => sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)],
]

describe.each(PLACES)('in %s, a key', (_, makeStore) => {
  const make = (store: Store, more: Partial<KeyRequest> = {}) =>
    createKey(store, randomness, { tenant: 'acme', scopes: ['prompts:read'], actor: 'test', ...more })

  it('opens for whom it was made, and says what they may', async () => {
    const store = opened(makeStore())
    const { id, key } = await make(store, { workspaces: ['desk'] })
    expect(await authenticate(store, clock, key)).toEqual({
      keyId: id,
      actor: `key:${id}`,
      tenant: 'acme',
      scopes: ['prompts:read'],
      workspaces: ['desk'],
    })
  })

  it('is never made for the host itself', async () => {
    const store = opened(makeStore())
    await expect(make(store, { tenant: HOST_TENANT })).rejects.toMatchObject({ code: 'usage_invalid' })
    expect(await listKeys(store)).toEqual([])
  })

  it.each(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000+01:00'])(
    'that lasts until %s is over at that instant',
    async expiresAt => {
      const store = opened(makeStore())
      const { key } = await make(store, { expiresAt })
      const at = (now: string) => authenticate(store, () => now, key)
      expect(await at('2025-12-31T23:59:59.999Z')).not.toBeNull()
      expect(await at('2026-01-01T00:00:00.000Z')).toBeNull()
      expect(await at('2026-01-01T00:00:00.001Z')).toBeNull()
    },
  )

  it.each(['', 'never', '2026-13-45', '٢٠٢٦'])('that lasts until %j, which nobody can read, opens nothing', async expiresAt => {
    const store = opened(makeStore())
    const { key } = await make(store, { expiresAt })
    expect(await authenticate(store, clock, key)).toBeNull()
  })

  it('that ends opens nothing while nobody knows what time it is; one without an end does', async () => {
    const store = opened(makeStore())
    const { key } = await make(store, { expiresAt: '2999-01-01T00:00:00Z' })
    const { key: lasting } = await make(store)
    expect(await authenticate(store, () => 'soon', key)).toBeNull()
    expect(await authenticate(store, () => 'soon', lasting)).not.toBeNull()
  })

  it('opens nothing when any part of it is another', async () => {
    const store = opened(makeStore())
    const [one, other] = [await make(store), await make(store)]
    const secretOf = (key: string) => key.slice(-43)
    const wrong = [
      '',
      'onbook',
      one.key.toUpperCase(),
      `${one.key} `,
      one.key.slice(0, -1),
      `onbook_${one.id}_${secretOf(other.key)}`,
      `onbook_${'0'.repeat(16)}_${secretOf(one.key)}`,
      `onbook_${one.id}_${'A'.repeat(43)}`,
    ]
    for (const text of wrong) expect(await authenticate(store, clock, text), text).toBeNull()
  })

  it('that was revoked opens nothing, however often it is revoked or used', async () => {
    const store = opened(makeStore())
    const { id, key } = await make(store)
    expect(await authenticate(store, clock, key)).not.toBeNull()
    await Promise.all([revokeKey(store, id, 'test'), noteUse(store, id, '2026-01-01T00:00:00Z'), revokeKey(store, id, 'test')])
    await noteUse(store, id, '2026-01-02T00:00:00Z')
    expect(await authenticate(store, clock, key)).toBeNull()
    expect(await listKeys(store)).toMatchObject([{ id, revoked: true, lastUsedAt: '2026-01-02T00:00:00Z' }])
  })

  it('that has opened opens again at once, until anything is written', async () => {
    const store = opened(makeStore())
    const { id, key } = await make(store)
    expect(provedPrincipal(store, clock, key)).toBeNull()
    const principal = await authenticate(store, clock, key)
    expect(provedPrincipal(store, clock, key)).toEqual(principal)
    expect(provedPrincipal(store, clock, `${key.slice(0, -1)}_`)).toBeNull()
    await noteUse(store, id, '2026-01-01T00:00:00Z')
    expect(provedPrincipal(store, clock, key)).toBeNull()
  })

  it('that has opened is over at its instant all the same', async () => {
    const store = opened(makeStore())
    const { key } = await make(store, { expiresAt: '2026-01-01T00:00:00.000Z' })
    expect(await authenticate(store, () => '2025-12-31T23:59:59.999Z', key)).not.toBeNull()
    expect(provedPrincipal(store, () => '2025-12-31T23:59:59.999Z', key)).not.toBeNull()
    expect(provedPrincipal(store, () => '2026-01-01T00:00:00.000Z', key)).toBeNull()
  })

  it('that is revoked while it is looked up is not kept as one that opens', async () => {
    const store = opened(makeStore())
    const { id, key } = await make(store)
    const looking = authenticate(store, clock, key)
    await Promise.all([revokeKey(store, id, 'test'), looking])
    expect(provedPrincipal(store, clock, key)).toBeNull()
    // Looked up before the revocation, here only when it is over.
    const other = await make(store)
    const slow = {
      ...store,
      rows: (...asked: Parameters<Store['rows']>) => late(store.rows(...asked), () => revokeKey(store, other.id, 'test')),
    }
    await authenticate(slow, clock, other.key)
    expect(provedPrincipal(slow, clock, other.key)).toBeNull()
  })

  it('that does not exist cannot be revoked', async () => {
    const store = opened(makeStore())
    await expect(revokeKey(store, 'f'.repeat(16), 'test')).rejects.toMatchObject({ code: 'key_missing' })
    expect((await store.head(HOST_TENANT, KEYS)).seq).toBe(-1)
  })

  it('is one of twenty that were made at once, each its own event', async () => {
    const store = opened(makeStore())
    const made = await Promise.all(Array.from({ length: 20 }, () => make(store, { scopes: SCOPES })))
    expect(new Set(made.map(({ id }) => id)).size).toBe(20)
    expect((await store.head(HOST_TENANT, KEYS)).seq).toBe(19)
    expect((await listKeys(store)).map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort())
    for (const { key, id } of made) expect((await authenticate(store, clock, key))?.keyId).toBe(id)
  })

  it('is kept as a hash: its secret is in no event', async () => {
    const store = opened(makeStore())
    const { key } = await make(store)
    for await (const { bytes } of store.read(HOST_TENANT, KEYS, -1)) {
      expect(Buffer.from(bytes).toString()).toContain('key.created')
      expect(Buffer.from(bytes).toString()).not.toContain(key.slice(-43))
    }
  })
})

it('a key that one process revokes opens nothing in another, from then on', async () => {
  const path = freshPath()
  const [here, there] = [1, 2].map(() => opened(sqliteStore(path, clock, PRODUCT_PROJECTIONS)))
  const { id, key } = await createKey(here!, randomness, { tenant: 'acme', scopes: SCOPES, actor: 'test' })
  expect(await authenticate(there!, clock, key)).not.toBeNull()
  expect(provedPrincipal(there!, clock, key)).not.toBeNull()
  await revokeKey(here!, id, 'test')
  expect(provedPrincipal(there!, clock, key)).toBeNull()
  expect(await authenticate(there!, clock, key)).toBeNull()
})
