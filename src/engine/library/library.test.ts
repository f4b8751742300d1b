// The library on every store, with several writers at once: what wins, what is refused, and what stays for ever.
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Store } from '../../ports.ts'
import { template } from '../../testing/hosts/start-host.ts'
import { breaksIn } from '../../testing/mutations/breaks-in.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { labelHistory, labelsOf, moveLabel, protectLabel } from './labels.ts'
import { listTemplates } from './list.ts'
import { publishTemplates } from './publish.ts'
import { removeTemplate } from './remove.ts'
import { findTemplate } from './render-ref.ts'
import type { Writer } from './rows.ts'

const WRITER: Writer = { tenant: 'acme', libraryId: 'onbook', actor: 'test' }
const STREAM = 'library/onbook'
/** Two writers: of one store where it lives in a process, of one file where there may be several. */
const PLACES: readonly [string, () => readonly [Store, Store]][] = [
  [
    'memory',
    () => {
      const store = memoryStore(clock, PRODUCT_PROJECTIONS)
      return [store, store]
    },
  ],
  [
    'SQLite',
    () => {
      const path = freshPath()
      return [sqliteStore(path, clock, PRODUCT_PROJECTIONS), sqliteStore(path, clock, PRODUCT_PROJECTIONS)]
    },
  ],
]

const open: Store[] = []
afterEach(async () => {
  await Promise.all([...new Set(open.splice(0))].map(store => store.close()))
})

type Mode = 'create' | 'raise'
const publish = (store: Store, one: LibraryTemplate, mode: Mode = 'create', writer: Writer = WRITER) =>
  publishTemplates(store, writer, [one], { mode, origin: 'user' })
const move = (store: Store, to: string | null, more: object = {}) =>
  moveLabel(store, WRITER, { templateId: 'a', label: 'live', to, why: null, mayMoveProtected: false, ...more })
const remove = (store: Store, more: object = {}) => removeTemplate(store, WRITER, { templateId: 'a', mayMoveProtected: false, ...more })
const eventCount = async (store: Store) => (await store.head('acme', STREAM)).seq + 1
const newest = async (store: Store, ref = 'prompt:a') => (await findTemplate(store, 'acme', ref)).template
const versions = (count: number) => Array.from({ length: count }, (_, n) => `1.${n}.0`)

/** How each ended: null for what was done, else the code of the fault. */
async function outcomes(all: readonly Promise<unknown>[]): Promise<readonly (string | null)[]> {
  const settled = await Promise.allSettled(all)
  return settled.map(one => (one.status === 'fulfilled' ? null : String((one.reason as { code?: string }).code)))
}

describe.each(PLACES)('in %s', (_, makePlaces) => {
  function places(): readonly [Store, Store] {
    const pair = makePlaces()
    open.push(...pair)
    return pair
  }

  describe('publishing', () => {
    it('lets one of two win a version; the other is told that it exists, and wrote nothing', async () => {
      const [here, there] = places()
      const done = await outcomes([publish(here, template('a', { text: 'one' })), publish(there, template('a', { text: 'two' }))])
      expect(new Set(done)).toEqual(new Set([null, 'template_exists']))
      expect(await eventCount(here)).toBe(1)
      expect((await newest(there)).text).toBe(done[0] === null ? 'one' : 'two')
    })

    it('takes every version of many that come at once', async () => {
      const stores = places()
      const all = versions(16).map((version, n) => publish(stores[n % 2]!, template('a', { version })))
      expect(new Set(await outcomes(all))).toEqual(new Set([null]))
      expect(await eventCount(stores[0])).toBe(16)
      expect((await newest(stores[0])).version).toBe('1.15.0')
    })

    it('raises only ever upwards, whoever is quicker', async () => {
      const stores = places()
      await publish(stores[0], template('a', { version: '0.1.0' }))
      const all = versions(12).map((version, n) => publish(stores[n % 2]!, template('a', { version }), 'raise'))
      const done = await outcomes(all)
      expect(done.every(code => code === null || code === 'version_not_greater')).toBe(true)
      const written: number[] = []
      for await (const { event } of stores[0].read('acme', STREAM, 0))
        written.push(Number((event.payload as { version: string }).version.split('.')[1]))
      expect(written).toEqual([...written].sort((a, b) => a - b))
      expect(written).toHaveLength(done.filter(code => code === null).length)
      expect(written.at(-1)).toBe(11)
    })

    it('lets one of many through that all saw the same', async () => {
      const stores = places()
      await publish(stores[0], template('a'))
      const { row } = await findTemplate(stores[0], 'acme', 'prompt:a')
      const all = versions(8).map((_version, n) =>
        publishTemplates(stores[n % 2]!, WRITER, [template('a', { version: `2.${n}.0` })], {
          mode: 'raise',
          origin: 'user',
          precondition: digest => digest === row.digest,
        }),
      )
      const done = await outcomes(all)
      expect(done.filter(code => code === null)).toHaveLength(1)
      expect(done.filter(code => code === 'precondition_failed')).toHaveLength(7)
    })

    it('is all or nothing', async () => {
      const [store] = places()
      const twice = [template('a'), template('b'), template('a')]
      expect(await outcomes([publishTemplates(store, WRITER, twice, { mode: 'create', origin: 'user' })])).toEqual(['template_exists'])
      expect(await eventCount(store)).toBe(0)
    })

    it('is done once under one key, also when asked at once, and replayed afterwards', async () => {
      const [here, there] = places()
      const writer = { ...WRITER, idempotency: { key: 'k', answer: { status: 201 } } }
      const all = await Promise.all(
        [1, 2, 3].map(n => publish(n === 2 ? there : here, template('a'), 'create', writer).catch(error => error.code)),
      )
      expect(all.filter(outcome => outcome.replayed === false)).toHaveLength(1)
      expect(await eventCount(here)).toBe(1)
      expect(await here.answer('acme', 'k')).toEqual({ status: 201 })
      expect(await here.answer('umbrella', 'k')).toBeNull()
    })

    it("is each tenant's own", async () => {
      const [here, there] = places()
      const theirs = { ...WRITER, tenant: 'umbrella' }
      expect(
        await outcomes([publish(here, template('a', { text: 'A' })), publish(there, template('a', { text: 'B' }), 'create', theirs)]),
      ).toEqual([null, null])
      expect((await newest(here)).text).toBe('A')
      expect((await findTemplate(here, 'umbrella', 'prompt:a')).template.text).toBe('B')
    })
  })

  describe('labels', () => {
    it('moved by many at once have one history without a gap', async () => {
      const stores = places()
      for (const version of versions(10)) await publish(stores[0], template('a', { version }))
      expect(new Set(await outcomes(versions(10).map((version, n) => move(stores[n % 2]!, version))))).toEqual(new Set([null]))
      const history = await labelHistory(stores[1], WRITER, 'a', 'live')
      expect(history).toHaveLength(10)
      expect(history.map(({ from }) => from)).toEqual([null, ...history.slice(0, -1).map(({ to }) => to)])
      expect((await labelsOf(stores[1], WRITER, 'a'))[0]?.version).toBe(history.at(-1)!.to)
    })

    it('say nothing when they stay where they are, and are refused what is not there', async () => {
      const [store] = places()
      await publish(store, template('a'))
      await move(store, '1.0.0')
      const before = await eventCount(store)
      await move(store, '1.0.0')
      expect(await outcomes([move(store, '9.0.0'), move(store, null, { label: 'other' })])).toEqual([
        'prompt_template_not_found',
        'label_missing',
      ])
      expect(await eventCount(store)).toBe(before)
    })

    it('that are protected are moved only by whoever may', async () => {
      const [store] = places()
      await publish(store, template('a'))
      await protectLabel(store, WRITER, 'live', true)
      expect(await outcomes([move(store, '1.0.0')])).toEqual(['label_protected'])
      expect(await outcomes([move(store, '1.0.0', { mayMoveProtected: true })])).toEqual([null])
      await protectLabel(store, WRITER, 'live', false)
      expect(await outcomes([move(store, null)])).toEqual([null])
    })
  })

  describe('removal', () => {
    it('takes every version and label, and leaves their names taken', async () => {
      const [here, there] = places()
      for (const version of ['1.0.0', '2.0.0']) await publish(here, template('a', { version }))
      await move(here, '1.0.0')
      await remove(there)
      expect(await outcomes([newest(here), newest(here, 'prompt:a@1.0.0'), remove(here)])).toEqual(
        Array(3).fill('prompt_template_not_found'),
      )
      expect(await labelsOf(here, WRITER, 'a')).toEqual([])
      expect((await labelHistory(here, WRITER, 'a')).map(({ to }) => to)).toEqual(['1.0.0', null])
      expect(await outcomes([publish(here, template('a')), publish(here, template('a', { version: '2.0.0', text: 'x' }))])).toEqual(
        Array(2).fill('template_exists'),
      )
      expect(await outcomes([publish(here, template('a', { version: '3.0.0' }), 'raise')])).toEqual(['prompt_template_not_found'])
      expect(await outcomes([publish(here, template('a', { version: '3.0.0' }))])).toEqual([null])
      expect((await newest(there)).version).toBe('3.0.0')
    })

    it('is refused while a protected label points there', async () => {
      const [store] = places()
      await publish(store, template('a'))
      await move(store, '1.0.0')
      await protectLabel(store, WRITER, 'live', true)
      expect(await outcomes([remove(store)])).toEqual(['label_protected'])
      expect((await newest(store)).version).toBe('1.0.0')
      expect(await outcomes([remove(store, { mayMoveProtected: true })])).toEqual([null])
    })

    it('is done once of many at once', async () => {
      const stores = places()
      await publish(stores[0], template('a'))
      const done = await outcomes(Array.from({ length: 6 }, (_none, n) => remove(stores[n % 2]!)))
      expect(done.filter(code => code === null)).toHaveLength(1)
      expect(done.filter(code => code === 'prompt_template_not_found')).toHaveLength(5)
    })

    it('and publishing and labels at once leave what follows from their order, and nothing else', async () => {
      const stores = places()
      await publish(stores[0], template('a'))
      await outcomes([
        ...versions(6).map((version, n) => publish(stores[n % 2]!, template('a', { version: `2.${version}`.slice(0, 5) }), 'raise')),
        ...[0, 1].map(n => remove(stores[n]!)),
        ...[0, 1].map(n => move(stores[n]!, '1.0.0')),
      ])
      const pointing = await labelsOf(stores[0], WRITER, 'a')
      for (const { version } of pointing) expect((await newest(stores[1], `prompt:a@${version}`)).version).toBe(version)
      const listed: string[] = []
      for await (const row of listTemplates(stores[1], 'acme', {}, null)) listed.push(`${row.templateId}@${row.version}`)
      expect(listed.length).toBeLessThanOrEqual(1)
      expect(await breaksIn(stores[0])).toEqual([])
    })
  })
})

/** The same store, except that another writer acts just before the nth request. */
function interrupted(store: Store, nth: number, act: () => Promise<unknown>): Store {
  let asked = 0
  const before = async () => {
    if (asked++ === nth) await act()
  }
  return {
    ...store,
    async head(...given) {
      await before()
      return store.head(...given)
    },
    async commit(given) {
      await before()
      return store.commit(given)
    },
    async *rows(...given) {
      await before()
      yield* store.rows(...given)
    },
  }
}

describe.each(PLACES)('in %s, whenever somebody else is quicker', (_, makePlaces) => {
  type Act = (store: Store) => Promise<unknown>

  /** The quick one acts before each thing in turn that the slow one asks of the store. How the slow one ended, and on what. */
  async function* atEveryMoment(quick: Act, slow: Act): AsyncIterable<readonly [code: string | null, store: Store]> {
    for (let nth = 0, came = true; came; nth++) {
      const [here, there] = makePlaces()
      open.push(here, there)
      await publish(here, template('a', { version: '0.1.0' }))
      came = false
      const act = async () => {
        came = true
        await quick(there)
      }
      const [code] = await outcomes([slow(interrupted(here, nth, act))])
      if (came) yield [code!, here]
    }
  }

  it('the same version is not published twice', async () => {
    let moments = 0
    const quick: Act = store => publish(store, template('a', { text: 'quick' }))
    for await (const [code, store] of atEveryMoment(quick, slow => publish(slow, template('a', { text: 'slow' })))) {
      moments++
      expect(code).toBe('template_exists')
      expect((await newest(store)).text).toBe('quick')
    }
    expect(moments).toBeGreaterThan(2)
  })

  it('nothing is raised to what is no longer greater', async () => {
    const quick: Act = store => publish(store, template('a', { version: '1.2.0' }), 'raise')
    for await (const [code] of atEveryMoment(quick, slow => publish(slow, template('a', { version: '1.1.0' }), 'raise')))
      expect(code).toBe('version_not_greater')
  })

  it('no label comes to point to what was removed', async () => {
    for await (const [code, store] of atEveryMoment(remove, slow => move(slow, '0.1.0'))) {
      expect(code).toBe('prompt_template_not_found')
      expect(await labelsOf(store, WRITER, 'a')).toEqual([])
    }
  })

  it('a label that was just set goes with its template', async () => {
    for await (const [code, store] of atEveryMoment(quick => move(quick, '0.1.0'), remove)) {
      expect(code).toBeNull()
      expect(await labelsOf(store, WRITER, 'a')).toEqual([])
    }
  })
})
