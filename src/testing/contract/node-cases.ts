// Nodes: objects that reference objects. The referenced objects must exist, and stay for as long as the node does.
import assert from 'node:assert/strict'
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import { MOST_NODE_BYTES } from '../../core/record/references.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import type { Store } from '../../ports.ts'
import { bytesOf } from './place.ts'
import { append, entry, type StoreTest } from './store-contract.ts'

const missing = { code: 'object_missing' }
const invalid = { code: 'object_invalid' }
const FAR_AHEAD = '2999-01-01T00:00:00.000Z'

const nodeOf = (links: Json): Uint8Array => bytesOf(JSON.stringify({ $node: 'test', links }))
const write = (store: Store, ...objects: Uint8Array[]) => store.commit({ tenant: 'acme', objects })
const isThere = (store: Store, bytes: Uint8Array): Promise<boolean> =>
  store.object('acme', digestBytes(bytes)).then(
    () => true,
    () => false,
  )
const erase = (store: Store, bytes: Uint8Array) =>
  eraseObject(store, { tenant: 'acme', digest: digestBytes(bytes), actor: 'ada', why: 'asked for' })

const leaf = bytesOf('a leaf')
const folder = nodeOf([digestBytes(leaf)])
const root = nodeOf({ deep: [{ folder: digestBytes(folder) }], leaf: digestBytes(leaf) })
const spokenOf = (object: Uint8Array) => entry(0, { body: digestBytes(object) })

const writeTree = (store: Store) =>
  store.commit({ tenant: 'acme', objects: [root, folder, leaf], appends: [{ stream: 's', expected: -1, entries: [spokenOf(root)] }] })

const nested = (levels: number): Uint8Array => bytesOf(`{"$node":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)
const long = (bytes: number): Uint8Array => bytesOf(`{"$node":"${'x'.repeat(bytes - '{"$node":""}'.length)}"}`)
const NO_NODES: Readonly<Record<string, Uint8Array>> = {
  'not JSON': bytesOf('{"$node":'),
  'JSON and more': bytesOf('{"$node":1} and so on'),
  'not UTF-8': Buffer.concat([bytesOf('{"$node":"'), Buffer.of(0xff), bytesOf('"}')]),
  'too deep': nested(101),
  'too long': long(MOST_NODE_BYTES + 1),
  'much too long': long(3 * MOST_NODE_BYTES),
}
/** Any bytes are an object, and the hash of an object that is not stored is not a link. */
const FINE: readonly Uint8Array[] = [
  nested(100),
  long(MOST_NODE_BYTES),
  bytesOf('{"$node"'),
  bytesOf(' {"$node":'),
  bytesOf(`{"node":"${digestBytes(bytesOf('nowhere'))}"}`),
  bytesOf(`{"$node":1,"seenHash":"${digestBytes(bytesOf('nowhere'))}","${digestBytes(bytesOf('nowhere'))}":1}`),
]

export const nodeCases: Readonly<Record<string, StoreTest>> = {
  'keeps what a node speaks of, down to the last leaf': async store => {
    await writeTree(store)
    assert.equal(await store.collect(FAR_AHEAD), 0)
    for (const object of [root, folder, leaf]) assert(await isThere(store, object))
  },

  'frees a whole tree with the last that speaks of it, but for what others speak of': async store => {
    const items = Array.from({ length: 1200 }, (_, n) => bytesOf(`item ${n}`))
    const lists = [items.slice(0, 700), items.slice(500)].map(some => nodeOf([...some, folder].map(digestBytes)))
    const chain = [nodeOf(lists.map(digestBytes))]
    while (chain.length < 50) chain.push(nodeOf(digestBytes(chain.at(-1)!)))
    await write(store, ...items, leaf, folder, ...lists, ...chain)
    await append(store, 's', -1, spokenOf(folder))
    assert.equal(await store.collect(FAR_AHEAD), 1252)
    for (const object of [leaf, folder]) assert(await isThere(store, object))
    for (const object of [...lists, ...chain, ...items]) assert(!(await isThere(store, object)))
    assert.equal(await store.collect(FAR_AHEAD), 0)
  },

  'refuses a node that speaks of what is not there, or is another tenant’s, and all that came with it': async store => {
    const other = bytesOf('other')
    const refused = () =>
      store.commit({ tenant: 'acme', objects: [other, root, folder], appends: [{ stream: 's', expected: -1, entries: [spokenOf(other)] }] })
    await assert.rejects(refused(), { ...missing, details: { digest: digestBytes(leaf) } })
    await store.commit({ tenant: 'umbrella', objects: [leaf, folder, root] })
    await assert.rejects(refused(), missing)
    assert.deepEqual(await Promise.all([other, root, folder].map(object => isThere(store, object))), [false, false, false])
    assert.equal((await store.head('acme', 's')).seq, -1)
    await write(store, leaf)
    await refused()
  },

  'takes nodes in pieces, too': async store => {
    const pieces = (bytes: Uint8Array) => Array.from(bytes, byte => Uint8Array.of(byte))
    await assert.rejects(store.writeObject('acme', pieces(folder)), missing)
    assert(!(await isThere(store, folder)))
    await store.writeObject('acme', pieces(leaf))
    assert.equal(await store.writeObject('acme', pieces(folder)), digestBytes(folder))
    await append(store, 's', -1, spokenOf(folder))
    assert.equal(await store.collect(FAR_AHEAD), 0)
    assert(await isThere(store, leaf))
  },

  'refuses what begins like a node and is none, however it comes': async store => {
    for (const [what, bytes] of Object.entries(NO_NODES)) {
      await assert.rejects(write(store, bytes), invalid, what)
      await assert.rejects(store.writeObject('acme', [bytes]), invalid, what)
      assert(!(await isThere(store, bytes)), what)
    }
    for (const bytes of FINE) {
      await write(store, bytes)
      assert.equal(await store.writeObject('acme', [bytes]), digestBytes(bytes))
    }
    assert.equal(await store.collect(FAR_AHEAD), FINE.length)
  },

  'lets what a node speaks of be erased, and come back': async store => {
    await writeTree(store)
    await erase(store, leaf)
    assert(!(await isThere(store, leaf)))
    assert(await isThere(store, folder))
    await write(store, folder)
    await assert.rejects(write(store, nodeOf({ again: digestBytes(leaf) })), missing)
    await write(store, leaf)
    assert.equal(await store.collect(FAR_AHEAD), 0)
    assert(await isThere(store, leaf))
  },

  'lets go of what an erased node spoke of, until the node is written again': async store => {
    await writeTree(store)
    await erase(store, root)
    assert.equal(await store.collect(FAR_AHEAD), 2)
    await assert.rejects(write(store, root), missing)
    await write(store, root, folder, leaf)
    assert.equal(await store.collect(FAR_AHEAD), 0)
    assert(await isThere(store, leaf))
  },
}
