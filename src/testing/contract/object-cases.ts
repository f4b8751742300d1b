// Objects: found by digest, kept for as long as they are referenced, gone when they were erased.
import assert from 'node:assert/strict'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import { bytesOf } from './place.ts'
import { append, collect, entry, type StoreTest } from './store-contract.ts'

const missing = { code: 'object_missing' }
const LONG_AGO = '2000-01-01T00:00:00.000Z'
const FAR_AHEAD = '2999-01-01T00:00:00.000Z'

export const objectCases: Readonly<Record<string, StoreTest>> = {
  'finds objects by what they are, and only for their tenant': async store => {
    const bytes = bytesOf('hello')
    const digest = digestBytes(bytes)
    await store.commit({ tenant: 'acme', objects: [bytes, bytes, new Uint8Array()] })
    await store.commit({ tenant: 'acme', objects: [bytes] })
    assert.deepEqual(Buffer.from(await store.object('acme', digest)), Buffer.from(bytes))
    assert.equal((await store.object('acme', digestBytes(new Uint8Array()))).length, 0)
    await assert.rejects(store.object('umbrella', digest), missing)
  },

  'refuses an event that speaks of an object that is not there, or is another tenant’s': async store => {
    const bytes = bytesOf('ours')
    const body = digestBytes(bytes)
    await store.commit({ tenant: 'umbrella', objects: [bytes] })
    await assert.rejects(append(store, 's', -1, entry(0, { deep: [{ body }] })), missing)
    await append(store, 's', -1, entry(0, { bodyHash: body, bodyHashes: [body] }))
    await store.commit({ tenant: 'acme', objects: [bytes], appends: [{ stream: 's', expected: 0, entries: [entry(1, { body })] }] })
    assert.equal((await store.head('acme', 's')).seq, 1)
  },

  'takes and gives objects of any size in pieces': async store => {
    for (const size of [0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
      const bytes = Buffer.alloc(size, `${size} `)
      const pieces = Array.from({ length: Math.ceil(size / 100_000) }, (_, n) => bytes.subarray(n * 100_000, (n + 1) * 100_000))
      const digest = await store.writeObject('acme', pieces)
      assert.equal(digest, digestBytes(bytes))
      assert.deepEqual(Buffer.concat(await collect(store.readObject('acme', digest))), bytes)
      assert.deepEqual(Buffer.from(await store.object('acme', digest)), bytes)
      // Whole or in pieces: the same object.
      await store.commit({ tenant: 'acme', objects: [bytes], appends: [] })
      assert.equal((await store.object('acme', digest)).length, size)
    }
    await assert.rejects(collect(store.readObject('umbrella', digestBytes(bytesOf('x')))), missing)
  },

  'leaves nothing of an object whose source fails half-way': async store => {
    async function* failing() {
      yield Buffer.alloc(600_000)
      throw new Error('the source went away')
    }
    await assert.rejects(store.writeObject('acme', failing()), /went away/)
    await assert.rejects(store.object('acme', digestBytes(Buffer.alloc(600_000))), missing)
    await store.writeObject('acme', [bytesOf('fine')])
  },

  'erases bytes and keeps the event that says so': async store => {
    const small = bytesOf('to be forgotten')
    const big = Buffer.alloc(700_000, 'forget ')
    const digests = [digestBytes(small), digestBytes(big)]
    const entries = digests.map((body, n) => entry(n, { body }))
    await store.commit({ tenant: 'acme', objects: [small, big], appends: [{ stream: 's', expected: -1, entries }] })
    for (const digest of digests) await eraseObject(store, { tenant: 'acme', digest, actor: 'ada', why: 'asked for' })
    for (const digest of digests) {
      await assert.rejects(store.object('acme', digest), missing)
      await assert.rejects(append(store, 's', 1, entry(2, { body: digest })), missing)
      await assert.rejects(eraseObject(store, { tenant: 'acme', digest, actor: 'ada', why: 'again' }), missing)
    }
    const erased = await collect(store.rows('erased', 'acme'))
    assert.deepEqual(erased.map(({ cells }) => cells.digest).sort(), [...digests].sort())
    assert.equal((await collect(store.read('acme', 's', -1))).length, 2)
    // It may come back when a client stores the same bytes again.
    await store.commit({ tenant: 'acme', objects: [small, big] })
    for (const digest of digests) await store.object('acme', digest)
  },

  'collects what is old and unspoken of, and nothing else': async store => {
    const [kept, dropped, big] = [bytesOf('spoken of'), bytesOf('nobody knows me'), Buffer.alloc(600_000, 'big')]
    const body: Digest = digestBytes(kept)
    await store.commit({
      tenant: 'acme',
      objects: [kept, dropped, big],
      appends: [{ stream: 's', expected: -1, entries: [entry(0, { body })] }],
    })
    assert.equal(await store.collect(LONG_AGO), 0)
    await store.object('acme', digestBytes(dropped))
    assert.equal(await store.collect(FAR_AHEAD), 2)
    await store.object('acme', body)
    await assert.rejects(store.object('acme', digestBytes(dropped)), missing)
    await assert.rejects(store.object('acme', digestBytes(big)), missing)
  },
}
