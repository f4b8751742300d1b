import { afterEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { digestBytes } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { remembered, rememberedContent } from './remembered.ts'

const opened: Store[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

const open = (path = freshPath()): Store => {
  const store = sqliteStore(path, clock)
  opened.push(store)
  return store
}
/** To a new stream. */
const write = (store: Store, family = 'library') =>
  store
    .commit({
      tenant: 'acme',
      appends: [{ stream: `${family}/${counted++}`, expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: null }] }],
    })
    .then(() => undefined)
let counted = 0

/** Answers how often it was asked. */
const counter = () => {
  let asked = 0
  return async () => ++asked
}

describe('what is remembered of a store', () => {
  it('is asked for once, also by many at the same time', async () => {
    const [store, ask] = [open(), counter()]
    const answers = await Promise.all([remembered(store, ['library'], 'a', ask), remembered(store, ['library'], 'a', ask)])
    expect([...answers, await remembered(store, ['library'], 'a', ask)]).toEqual([1, 1, 1])
  })

  it('is asked for again as soon as this store has written', async () => {
    const [store, ask] = [open(), counter()]
    await remembered(store, ['library'], 'a', ask)
    await write(store)
    expect(await remembered(store, ['library'], 'a', ask)).toBe(2)
  })

  it('is asked for again as soon as another store on the same file has written, also in the same turn of the event loop', async () => {
    const path = freshPath()
    const [store, other, ask] = [open(path), open(path), counter()]
    const writing = write(other)
    await remembered(store, ['library'], 'a', ask)
    await writing
    expect(await remembered(store, ['library'], 'a', ask)).toBe(2)
  })

  it('is kept while streams of other families are written, until something is erased', async () => {
    const [store, ask] = [open(), counter()]
    const bytes = new TextEncoder().encode('soon gone')
    await store.commit({ tenant: 'acme', objects: [bytes] })
    await remembered(store, ['library'], 'a', ask)
    await write(store, 'run')
    expect(await remembered(store, ['library'], 'a', ask)).toBe(1)
    await store.commit({ tenant: 'acme', erase: [digestBytes(bytes)] })
    expect(await remembered(store, ['library'], 'a', ask)).toBe(2)
  })

  it('is not kept when asking failed', async () => {
    const store = open()
    await expect(remembered(store, ['library'], 'a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await remembered(store, ['library'], 'a', async () => 'yes')).toBe('yes')
  })

  it('outlives writes when a digest names it', async () => {
    const [store, ask] = [open(), counter()]
    await rememberedContent(store, 'a', ask)
    await write(store)
    expect(await rememberedContent(store, 'a', ask)).toBe(1)
  })

  it('makes room by forgetting the oldest, and forgets at once what is larger than all the room there is', async () => {
    const store = open()
    const [first, second, huge] = [counter(), counter(), counter()]
    const half = () => 9 * 1024 * 1024
    await rememberedContent(store, 'first', first, half)
    await rememberedContent(store, 'second', second, half)
    expect([await rememberedContent(store, 'second', second, half), await rememberedContent(store, 'first', first, half)]).toEqual([1, 2])
    for (const _ of [1, 2]) await rememberedContent(store, 'huge', huge, () => 100 * 1024 * 1024)
    expect(await huge()).toBe(3)
  })
})
