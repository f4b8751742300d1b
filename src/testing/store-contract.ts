// What every store must do, whatever it is made of. An adapter that lies fails here.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestBytes } from '../core/digest/digest.ts'
import { emptyHead, readEvent } from '../core/record/event.ts'
import type { Entry, Store, StoredEvent } from '../ports.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const entry = (n: number, refs: Entry['refs'] = []): Entry => ({ type: 'thing.happened', actor: 'ada', payload: { n }, refs })
const collect = async (events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> => {
  const found: StoredEvent[] = []
  for await (const event of events) found.push(event)
  return found
}
const numbers = (events: readonly StoredEvent[]) => events.map(({ event }) => (event.payload as { n: number }).n)

/** Appends as writers do who are not alone: read the head, try, and read again when somebody was quicker. */
export async function appendPatiently(store: Store, tenant: string, stream: string, n: number): Promise<number> {
  for (;;) {
    const { seq } = await store.head(tenant, stream)
    try {
      const { heads } = await store.commit({ tenant, appends: [{ stream, expected: seq, entries: [entry(n)] }] })
      return heads[0]!.seq
    } catch (error) {
      if ((error as { code?: string }).code !== 'stream_moved') throw error
    }
  }
}

export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} keeps the promises of a store:`, () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())
    const append = (stream: string, expected: number, ...entries: Entry[]) =>
      store.commit({ tenant: 'acme', appends: [{ stream, expected, entries }] })

    it('events come back in order, tied into a chain, after any sequence', async () => {
      await append('s', -1, entry(0), entry(1))
      const { heads } = await append('s', 1, entry(2))
      expect(heads[0]).toEqual(await store.head('acme', 's'))
      const all = await collect(store.read('acme', 's', -1))
      expect(numbers(all)).toEqual([0, 1, 2])
      let head = emptyHead('acme', 's')
      for (const { bytes } of all) {
        const read = readEvent(head, bytes)
        if (!read.ok) throw new Error(read.fault)
        head = read.head
      }
      expect(head).toEqual(heads[0])
      expect(numbers(await collect(store.read('acme', 's', 1)))).toEqual([2])
    })

    it('a stale sequence refuses everything, and says where the stream is', async () => {
      await append('s', -1, entry(0))
      const object = bytesOf('refused')
      const stale = store.commit({
        tenant: 'acme',
        objects: [object],
        appends: [
          { stream: 'other', expected: -1, entries: [entry(1)] },
          { stream: 's', expected: -1, entries: [entry(1)] },
        ],
      })
      await expect(stale).rejects.toMatchObject({ code: 'stream_moved', details: { stream: 's', expected: -1, found: 0 } })
      expect((await store.head('acme', 'other')).seq).toBe(-1)
      await expect(store.object('acme', digestBytes(object))).rejects.toMatchObject({ code: 'object_missing' })
    })

    it('several streams move together', async () => {
      const { heads } = await store.commit({
        tenant: 'acme',
        appends: [
          { stream: 'a', expected: -1, entries: [entry(1)] },
          { stream: 'b', expected: -1, entries: [entry(2), entry(3)] },
        ],
      })
      expect(heads.map(({ stream, seq }) => [stream, seq])).toEqual([
        ['a', 0],
        ['b', 1],
      ])
      expect((await store.streams('acme')).map(({ stream }) => stream).sort()).toEqual(['a', 'b'])
    })

    it('appenders at the same time neither lose an event nor leave a gap', async () => {
      const sequences = await Promise.all(Array.from({ length: 30 }, (_, n) => appendPatiently(store, 'acme', 's', n)))
      expect([...sequences].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n))
      const all = await collect(store.read('acme', 's', -1))
      expect(all.map(({ event }) => event.seq)).toEqual(Array.from({ length: 30 }, (_, n) => n))
      expect(new Set(numbers(all)).size).toBe(30)
    })

    it('objects are found by what they are, and only by their tenant', async () => {
      const bytes = bytesOf('hello')
      const digest = digestBytes(bytes)
      await store.commit({ tenant: 'acme', objects: [bytes, bytes] })
      await store.commit({ tenant: 'acme', objects: [bytes] })
      expect(await store.object('acme', digest)).toEqual(bytes)
      await expect(store.object('umbrella', digest)).rejects.toMatchObject({ code: 'object_missing' })
    })

    it('an event cannot speak of an object that is not there, nor of another tenant’s', async () => {
      const bytes = bytesOf('ours')
      const digest = digestBytes(bytes)
      await store.commit({ tenant: 'umbrella', objects: [bytes] })
      await expect(append('s', -1, entry(0, [digest]))).rejects.toMatchObject({ code: 'object_missing' })
      await store.commit({ tenant: 'acme', objects: [bytes], appends: [{ stream: 's', expected: -1, entries: [entry(0, [digest])] }] })
      expect((await store.head('acme', 's')).seq).toBe(0)
    })

    it('tenants have streams of their own, whatever they are called', async () => {
      await append('s', -1, entry(0))
      expect((await store.head('umbrella', 's')).seq).toBe(-1)
      expect(await store.streams('umbrella')).toEqual([])
    })

    it('a key that was used gives the first answer again, and writes nothing', async () => {
      const request = (n: number) => ({
        tenant: 'acme',
        appends: [{ stream: 's', expected: -1, entries: [entry(n)] }],
        idempotency: { key: 'once', answer: { n } },
      })
      expect((await store.commit(request(1))).replayed).toBeNull()
      expect((await store.commit(request(2))).replayed).toEqual({ n: 1 })
      expect(numbers(await collect(store.read('acme', 's', -1)))).toEqual([1])
    })

    it('followers see every event once, from wherever they start, however they race the writers', async () => {
      const stop = new AbortController()
      await append('s', -1, entry(0))
      const seen = [-1, 0, 5].map(async after => {
        const found: number[] = []
        for await (const { event } of store.follow('acme', 's', after, stop.signal)) {
          found.push(event.seq)
          if (event.seq === 20) break
        }
        return found
      })
      await Promise.all(Array.from({ length: 20 }, (_, n) => appendPatiently(store, 'acme', 's', n + 1)))
      const range = (from: number) => Array.from({ length: 21 - from }, (_, n) => from + n)
      expect(await Promise.all(seen)).toEqual([range(0), range(1), range(6)])
      stop.abort()
    })

    it('a follower ends when it is told to', async () => {
      const stop = new AbortController()
      const following = collect(store.follow('acme', 'quiet', -1, stop.signal))
      setTimeout(() => stop.abort(), 20)
      expect(await following).toEqual([])
    })

    it('any history of commits reads back as it was written', async () => {
      const anyCommit = fc.record({ stream: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 4 }) })
      await fc.assert(
        fc.asyncProperty(fc.array(anyCommit, { maxLength: 12 }), async commits => {
          const fresh = await open()
          const expected: Record<string, number[]> = { a: [], b: [], c: [] }
          let n = 0
          for (const { stream, count } of commits) {
            const entries = Array.from({ length: count }, () => entry(n++))
            await fresh.commit({ tenant: 'acme', appends: [{ stream, expected: expected[stream]!.length - 1, entries }] })
            expected[stream]!.push(...numbers(entries.map(({ payload }) => ({ event: { payload } }) as StoredEvent)))
          }
          for (const [stream, wanted] of Object.entries(expected))
            expect(numbers(await collect(fresh.read('acme', stream, -1)))).toEqual(wanted)
          await fresh.close()
        }),
        { numRuns: 20 },
      )
    })
  })
}
