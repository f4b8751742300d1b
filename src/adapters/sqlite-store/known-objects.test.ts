// A store remembers ids of objects between commits. An object that is gone must not be referenced by its remembered id.
import { expect, it } from 'vitest'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import type { Store } from '../../ports.ts'
import { freshPath } from '../../testing/stores/sqlite-place.ts'
import { sqliteStore } from './sqlite-store.ts'

const TEXT = 'an object'
const DIGEST = digestText(TEXT)
const bytes = new TextEncoder().encode(TEXT)
const LATER = '2026-03-01T00:00:00.000Z'

type Remove = (here: Store, there: Store) => Promise<unknown>

const ways: Readonly<Record<string, Remove>> = {
  'this store collected it': here => here.collect(LATER),
  'another connection collected it': (_, there) => there.collect(LATER),
  'this store erased it': here => erase(here),
  'another connection erased it': (_, there) => erase(there),
}
const erase = (store: Store) => eraseObject(store, { tenant: 'acme', digest: DIGEST, actor: 'x', why: 'so' })

for (const [way, remove] of Object.entries(ways))
  it(`refuses a reference to an object after ${way}, until a commit brings it again`, async () => {
    const path = freshPath()
    let now = '2026-01-01T00:00:00.000Z'
    const clock = () => now
    const [here, there] = [sqliteStore(path, clock), sqliteStore(path, clock)]
    await here.commit({ tenant: 'acme', objects: [bytes] })
    if (way.includes('erased')) await here.commit(referring('before', DIGEST))
    now = '2026-02-01T00:00:00.000Z'
    await remove(here, there)
    await expect(here.commit(referring('after', DIGEST))).rejects.toMatchObject({ code: 'object_missing' })
    await here.commit({ ...referring('again', DIGEST), objects: [bytes] })
    expect(new TextDecoder().decode(await there.object('acme', DIGEST))).toBe(TEXT)
    await Promise.all([here.close(), there.close()])
  })

const referring = (stream: string, digest: Digest) => ({
  tenant: 'acme',
  appends: [{ stream, expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: { digest } }] }],
})
