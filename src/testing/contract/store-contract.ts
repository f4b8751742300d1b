// The contract of every store. An adapter that breaks it fails here. Needs no test runner: each case is a name and a function.
import assert from 'node:assert/strict'
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import { type EventDraft, emptyHead, readEvent, type StreamHead } from '../../core/record/event.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import { nodeCases } from './node-cases.ts'
import { objectCases } from './object-cases.ts'
import { bytesOf, CONTRACT_PROJECTIONS, type ContractCase, type StorePlace } from './place.ts'
import { crashCase, sharingCase } from './processes.ts'
import { projectionCases } from './projection-cases.ts'

export const entry = (n: number, more: { readonly [key: string]: Json } = {}): EventDraft => ({
  type: 'thing.happened',
  actor: 'ada',
  payload: { n, ...more },
})

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

export const numbers = (events: readonly StoredEvent[]) => events.map(({ event }) => (event.payload as { n: number }).n)
const upTo = (end: number, from = 0) => Array.from({ length: end - from }, (_, n) => from + n)

/** Appends like a concurrent writer: reads the head, tries, and reads again when another writer was first. */
async function appendPatiently(store: Store, stream: string, n: number): Promise<number> {
  for (;;) {
    const { seq } = await store.head('acme', stream)
    try {
      const { heads } = await store.commit({ tenant: 'acme', appends: [{ stream, expected: seq, entries: [entry(n)] }] })
      return heads[0]!.seq
    } catch (error) {
      if ((error as { code?: string }).code !== 'stream_moved') throw error
    }
  }
}

export const append = (store: Store, stream: string, expected: number, ...entries: EventDraft[]) =>
  store.commit({ tenant: 'acme', appends: [{ stream, expected, entries }] })

export type StoreTest = (store: Store, there: StorePlace) => Promise<void>

const STREAM_CASES: Readonly<Record<string, StoreTest>> = {
  'gives events back in order, tied into a chain, after any sequence': async store => {
    await append(store, 's', -1, entry(0), entry(1))
    const { heads } = await append(store, 's', 1, entry(2))
    assert.deepEqual(heads[0], await store.head('acme', 's'))
    const all = await collect(store.read('acme', 's', -1))
    assert.deepEqual(numbers(all), [0, 1, 2])
    let head: StreamHead = emptyHead('acme', 's')
    for (const { bytes } of all) {
      const read = readEvent(head, bytes)
      assert(read.ok)
      head = read.head
    }
    assert.deepEqual(head, heads[0])
    assert.deepEqual(numbers(await collect(store.read('acme', 's', 1))), [2])
  },

  'gives the same events a page at a time': async store => {
    await append(store, 's', -1, ...Array.from({ length: 600 }, (_, n) => entry(n)))
    for (const after of [-1, 255, 511, 599]) {
      const pages = await collect(store.pages('acme', 's', after))
      assert.deepEqual(
        pages.flatMap(page => [...page]),
        await collect(store.read('acme', 's', after)),
      )
    }
  },

  'says when a commit was written, as its events do': async store => {
    const { at } = await append(store, 's', -1, entry(0), entry(1))
    const all = await collect(store.read('acme', 's', -1))
    assert.deepEqual(
      all.map(({ event }) => event.at),
      [at, at],
    )
  },

  'refuses everything when a sequence is stale, and says where the stream is': async store => {
    await append(store, 's', -1, entry(0))
    const object = bytesOf('refused')
    const stale = store.commit({
      tenant: 'acme',
      objects: [object],
      appends: [
        { stream: 'other', expected: -1, entries: [entry(1)] },
        { stream: 's', expected: -1, entries: [entry(1)] },
      ],
    })
    await assert.rejects(stale, { code: 'stream_moved', details: { stream: 's', expected: -1, found: 0 } })
    assert.equal((await store.head('acme', 'other')).seq, -1)
    await assert.rejects(store.object('acme', digestBytes(object)), { code: 'object_missing' })
  },

  'moves several streams together, and one stream twice': async store => {
    const { heads } = await store.commit({
      tenant: 'acme',
      appends: [
        { stream: 'b', expected: -1, entries: [entry(1)] },
        { stream: 'a', expected: -1, entries: [entry(2), entry(3)] },
        { stream: 'b', expected: 0, entries: [entry(4)] },
      ],
    })
    assert.deepEqual(
      heads.map(({ stream, seq }) => [stream, seq]),
      [
        ['b', 0],
        ['a', 1],
        ['b', 1],
      ],
    )
    assert.deepEqual(
      (await collect(store.streams('acme'))).map(({ stream }) => stream),
      ['a', 'b'],
    )
    assert.deepEqual(numbers(await collect(store.read('acme', 'b', -1))), [1, 4])
  },

  'lists streams by the bytes of their names, from after any name on': async store => {
    const names = ['a', 'a/b', 'b', '\uffff', '\u{10000}']
    for (const stream of names.toReversed()) await append(store, stream, -1, entry(1))
    const after = async (name?: string) => (await collect(store.streams('acme', name))).map(({ stream }) => stream)
    assert.deepEqual(await after(), names)
    assert.deepEqual(await after('a'), names.slice(1))
    assert.deepEqual(await after('a/a'), names.slice(1))
    assert.deepEqual(await after('\uffff'), names.slice(4))
    assert.deepEqual(await after('\u{10000}'), [])
  },

  'neither loses an event nor leaves a gap when appenders come at the same time': async store => {
    const sequences = await Promise.all(upTo(30).map(n => appendPatiently(store, 's', n)))
    assert.deepEqual(
      [...sequences].sort((a, b) => a - b),
      upTo(30),
    )
    const all = await collect(store.read('acme', 's', -1))
    assert.deepEqual(
      all.map(({ event }) => event.seq),
      upTo(30),
    )
    assert.equal(new Set(numbers(all)).size, 30)
  },

  'keeps a refused commit from taking others of the same moment with it': async store => {
    const [first, second, third] = await Promise.allSettled([
      append(store, 'a', -1, entry(1)),
      append(store, 'a', 7, entry(2)),
      append(store, 'b', -1, entry(3)),
    ])
    assert.deepEqual([first.status, second.status, third.status], ['fulfilled', 'rejected', 'fulfilled'])
    assert.deepEqual(numbers(await collect(store.read('acme', 'a', -1))), [1])
  },

  'knows whether anything was written since': async (store, there) => {
    const first = store.moment()
    assert.equal(store.moment(), first)
    await append(store, 's', -1, entry(0))
    const second = store.moment()
    assert.notEqual(second, first)
    const third = store.moment(['s', 't'])
    await append(store, 't/1', -1, entry(0))
    const fourth = store.moment(['s', 't'])
    assert.notEqual(fourth, third)
    const bytes = new TextEncoder().encode('soon gone')
    await store.commit({ tenant: 'acme', objects: [bytes] })
    const [within, alone] = [store.moment(['s', 't']), store.moment([])]
    await store.commit({ tenant: 'acme', erase: [digestBytes(bytes)] })
    assert.notEqual(store.moment(['s', 't']), within)
    assert.notEqual(store.moment([]), alone)
    if (there.writer === null) return
    const other = await there.open(CONTRACT_PROJECTIONS)
    const before = store.moment(['s'])
    await append(other, 's', 0, entry(1))
    assert.notEqual(store.moment(), second)
    assert.notEqual(store.moment(['s']), before)
    await other.close()
  },

  'names every tenant once, by the bytes of its name, whether it has streams or only objects': async store => {
    assert.deepEqual(await store.tenants(), [])
    for (const tenant of ['\u{10000}', 'b', '\uffff'])
      await store.commit({ tenant, appends: [{ stream: 's', expected: -1, entries: [entry(1)] }] })
    for (const tenant of ['a', 'b']) await store.commit({ tenant, objects: [new TextEncoder().encode(tenant)] })
    assert.deepEqual(await store.tenants(), ['a', 'b', '\uffff', '\u{10000}'])
  },

  'keeps tenants apart, whatever their streams are called': async store => {
    await append(store, 's', -1, entry(0))
    assert.equal((await store.head('umbrella', 's')).seq, -1)
    assert.deepEqual(await collect(store.streams('umbrella')), [])
    assert.deepEqual(await store.tenants(), ['acme'])
  },

  'gives the first answer again for a key that was used, and writes nothing': async store => {
    const request = (n: number) => ({
      tenant: 'acme',
      appends: [{ stream: 's', expected: -1, entries: [entry(n)] }],
      idempotency: { key: 'once', answer: { n } },
    })
    assert.equal(await store.answer('acme', 'once'), null)
    assert.equal((await store.commit(request(1))).replayed, null)
    assert.deepEqual(await store.answer('acme', 'once'), { n: 1 })
    assert.equal(await store.answer('umbrella', 'once'), null)
    assert.deepEqual((await store.commit(request(2))).replayed, { n: 1 })
    assert.deepEqual(numbers(await collect(store.read('acme', 's', -1))), [1])
  },

  'refuses names and events that nobody could read': async store => {
    for (const draft of [
      { ...entry(1), type: '' },
      { ...entry(1), actor: 'a\nb' },
      { ...entry(1), type: 'x'.repeat(1000) },
      entry(1, { long: 'x'.repeat(2_000_000) }),
      entry(1, { half: ['\ud800'] }),
      entry(1, { deep: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) }),
    ])
      await assert.rejects(append(store, 's', -1, draft), { code: 'entry_invalid' })
    assert.equal((await store.head('acme', 's')).seq, -1)
  },

  'shows followers every event once, from wherever they start, however they race the writers': async store => {
    const stop = new AbortController()
    await append(store, 's', -1, entry(0))
    const seen = [-1, 0, 5].map(async after => {
      const found: number[] = []
      for await (const { event } of store.follow('acme', 's', after, stop.signal)) {
        found.push(event.seq)
        if (event.seq === 20) break
      }
      return found
    })
    await Promise.all(upTo(20).map(n => appendPatiently(store, 's', n + 1)))
    assert.deepEqual(await Promise.all(seen), [upTo(21), upTo(21, 1), upTo(21, 6)])
    stop.abort()
  },

  'lets a follower go when it is told to': async store => {
    const stop = new AbortController()
    const following = collect(store.follow('acme', 'quiet', -1, stop.signal))
    setTimeout(() => stop.abort(), 20)
    assert.deepEqual(await following, [])
  },
}

const inStore = (place: () => Promise<StorePlace>, [name, test]: readonly [string, StoreTest]): ContractCase => ({
  name,
  async run() {
    const there = await place()
    const store = await there.open(CONTRACT_PROJECTIONS)
    await test(store, there)
    await store.close()
  },
})

export interface ContractOptions {
  /** Whether places have a writer. */
  readonly processes: boolean
  /** How many writers are killed. */
  readonly kills?: number
}

export function storeContract(place: () => Promise<StorePlace>, { processes, kills = 4 }: ContractOptions): readonly ContractCase[] {
  const cases = Object.entries({ ...STREAM_CASES, ...objectCases, ...nodeCases, ...projectionCases }).map(test => inStore(place, test))
  return processes ? [...cases, sharingCase(place), crashCase(place, kills)] : cases
}
