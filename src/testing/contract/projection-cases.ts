// Projections: written with their events, and the same when they are made again.
import assert from 'node:assert/strict'
import type { Json } from '../../core/digest/digest.ts'
import { CHECKPOINTS, checkpointDraft, nextStatement } from '../../core/record/checkpoint.ts'
import type { Store } from '../../ports.ts'
import { bytesOf } from './place.ts'
import { append, collect, entry, type StoreTest } from './store-contract.ts'

const cellsOf = async (store: Store, table: string, cells = {}) => (await collect(store.rows(table, 'acme', cells))).map(row => row.cells)
const undone = (n: number, actor = 'ada') => ({ type: 'thing.undone', actor, payload: { n } })
const listed = (all: Json) => ({ type: 'thing.listed', actor: 'ada', payload: { all } })

export const projectionCases: Readonly<Record<string, StoreTest>> = {
  'writes rows in the commit of their event, changes them and takes them away': async store => {
    await append(
      store,
      's',
      -1,
      entry(1),
      entry(2),
      undone(1),
      listed([
        { who: 'bob', n: 9 },
        { who: 'eve', n: 'no number' },
      ]),
    )
    assert.deepEqual(
      (await cellsOf(store, 'things')).map(({ n }) => n),
      [2],
    )
    assert.deepEqual(await cellsOf(store, 'latest'), [
      { actor: 'ada', n: 2, state: 'undone' },
      { actor: 'bob', n: 9, state: null },
      { actor: 'eve', n: null, state: null },
    ])
    assert.deepEqual(await cellsOf(store, 'latest', { n: 9 }), [{ actor: 'bob', n: 9, state: null }])
    assert.deepEqual(await collect(store.rows('latest', 'umbrella')), [])
    await assert.rejects(collect(store.rows('nothing', 'acme')), { code: 'table_unknown' })
    await assert.rejects(append(store, 's', 0, entry(5)), { code: 'stream_moved' })
    assert.deepEqual(await cellsOf(store, 'things', { n: 5 }), [])
  },

  'gives rows by a column, from anywhere on, however many there are': async store => {
    const names = Array.from({ length: 700 }, (_, n) => `who ${String((n * 7919) % 350).padStart(3, '0')}`)
    await append(store, 's', -1, ...names.map((who, n) => ({ type: 'thing.happened', actor: who, payload: { n, body: who } })))
    const inOrder = (after?: string) => collect(store.rows('things', 'acme', {}, { by: 'body', ...(after === undefined ? {} : { after }) }))
    assert.deepEqual(
      (await inOrder()).map(({ cells }) => cells.body),
      [...names].sort(),
    )
    assert.deepEqual(
      (await inOrder('who 348')).map(({ cells }) => cells.body),
      ['who 349', 'who 349'],
    )
    const fromLast = (after?: string) =>
      collect(store.rows('things', 'acme', {}, { by: 'body', descending: true, ...(after === undefined ? {} : { after }) }))
    assert.deepEqual(await fromLast(), (await inOrder()).toReversed())
    assert.deepEqual(
      (await fromLast('who 001')).map(({ cells }) => cells.body),
      ['who 000', 'who 000'],
    )
    await assert.rejects(collect(store.rows('things', 'acme', {}, { by: 'nothing' })), { code: 'table_unknown' })
  },

  'makes identical rows again from the streams, whatever came in between': async store => {
    const object = bytesOf('x')
    for (let n = 0; n < 60; n++) {
      const stream = `s${n % 3}`
      const { seq } = await store.head('acme', stream)
      const entries = n % 5 === 4 ? [undone(n - 3, `a${n % 2}`)] : [entry(n % 7), listed([{ who: `😀${n % 4}`, n }])]
      await store.commit({
        tenant: n % 2 === 0 ? 'acme' : 'umbrella',
        objects: [object],
        appends: n % 2 === 0 ? [{ stream, expected: seq, entries }] : [],
      })
    }
    const all = async () => [...(await collect(store.rows('things', 'acme'))), ...(await collect(store.rows('latest', 'acme')))]
    const before = new Set((await all()).map(row => JSON.stringify(row)))
    const events = (await Promise.all(['s0', 's1', 's2'].map(stream => collect(store.read('acme', stream, -1))))).flat().length
    assert.equal(await store.rebuild(), events)
    assert.deepEqual(new Set((await all()).map(row => JSON.stringify(row))), before)
    assert(before.size > 10)
  },

  'makes its tables anew when they are declared differently': async (store, there) => {
    if (there.writer === null) return // nothing stays
    await append(store, 's', -1, entry(1))
    const other = [
      { table: 'numbers', columns: { n: 'integer' as const }, key: ['n'], from: { 'thing.happened': [{ put: { n: 'payload.n' } }] } },
    ]
    const opened = await there.open(other)
    assert.deepEqual(await cellsOf(opened, 'numbers'), [{ n: 1 }])
    await opened.close()
    // A store that was opened with the old projections may not write.
    await assert.rejects(append(store, 's', 0, entry(2)), { code: 'store_changed' })
  },

  'knows which streams no checkpoint covers': async store => {
    await append(store, 'a', -1, entry(1))
    await append(store, 'b', -1, entry(1))
    const names = async () => (await store.unsealed('acme', 10)).map(({ stream, seq }) => `${stream} ${seq}`)
    assert.deepEqual(await names(), ['a 0', 'b 0'])
    const statement = nextStatement(await store.head('acme', CHECKPOINTS), await store.unsealed('acme', 1))
    await append(store, CHECKPOINTS, -1, checkpointDraft(statement, { key: 'k', signature: 's' }, 'onbook'))
    assert.deepEqual(await names(), ['b 0'])
    await append(store, 'a', 0, entry(2))
    assert.deepEqual(await names(), ['a 1', 'b 0'])
    await store.rebuild()
    assert.deepEqual(await names(), ['a 1', 'b 0'])
    assert.deepEqual(await store.unsealed('umbrella', 10), [])
  },
}
