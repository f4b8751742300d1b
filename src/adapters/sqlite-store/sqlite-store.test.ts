import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { digestBytes } from '../../core/digest/digest.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import type { Store } from '../../ports.ts'
import { CONTRACT_PROJECTIONS } from '../../testing/contract/place.ts'
import { storeContract } from '../../testing/contract/store-contract.ts'
import { clock, freshPath, sqlitePlace } from '../../testing/stores/sqlite-place.ts'
import { restoreStore } from './backup.ts'
import { openDatabase } from './database.ts'
import { migrate, STEPS } from './schema.ts'
import { sqliteStore } from './sqlite-store.ts'

for (const { name, run } of storeContract(sqlitePlace, { processes: true })) it(`in SQLite, a store ${name}`, run)

it('finds everything again after it was closed', async () => {
  const path = freshPath()
  const first = sqliteStore(path, clock)
  const { heads } = await first.commit({
    tenant: 'acme',
    appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }],
  })
  await first.close()
  const second = sqliteStore(path, clock)
  expect(await second.head('acme', 's')).toEqual(heads[0])
  await second.close()
})

it('shows what one handle wrote to the followers of another', async () => {
  const path = freshPath()
  const [writer, reader] = [sqliteStore(path, clock), sqliteStore(path, clock)]
  const stop = new AbortController()
  const seen = (async () => {
    for await (const { event } of reader.follow('acme', 's', -1, stop.signal)) return event.payload
    return null
  })()
  await writer.commit({ tenant: 'acme', appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 42 }] }] })
  expect(await seen).toBe(42)
  await Promise.all([writer.close(), reader.close()])
})

it('shows to followers what others wrote, also where it has written itself', async () => {
  const path = freshPath()
  const [here, there] = [sqliteStore(path, clock), sqliteStore(path, clock)]
  const stop = new AbortController()
  const payloads = async (stream: string, most: number) => {
    const seen: unknown[] = []
    for await (const { event } of here.follow('acme', stream, -1, stop.signal)) if (seen.push(event.payload) === most) break
    return seen
  }
  const write = (store: Store, stream: string, expected: number, payload: number) =>
    store.commit({ tenant: 'acme', appends: [{ stream, expected, entries: [{ type: 'a.b', actor: 'x', payload }] }] })
  await write(here, 's', -1, 0)
  const [all, late] = [payloads('s', 4), payloads('late', 1)]
  await write(here, 'other', -1, 1)
  await write(there, 's', 0, 2)
  await write(here, 's', 1, 3)
  await write(there, 's', 2, 4)
  await write(there, 'late', -1, 5)
  expect(await all).toEqual([0, 2, 3, 4])
  expect(await late).toEqual([5])
  await Promise.all([here.close(), there.close()])
})

it('lets many processes open a new file at once', async () => {
  const path = freshPath()
  const open = `import { sqliteStore } from ${JSON.stringify(resolve('dist/adapters/sqlite-store/sqlite-store.js'))}
    await sqliteStore(${JSON.stringify(path)}, () => '').close()`
  const codes = await Promise.all(
    Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', open], { stdio: 'ignore' })
      return new Promise(done => child.on('close', done))
    }),
  )
  expect(codes).toEqual(Array(8).fill(0))
})

it('leaves a file alone that a newer version wrote', () => {
  const path = freshPath()
  const database = openDatabase(path)
  database.exec('PRAGMA user_version = 999')
  database.close()
  expect(() => sqliteStore(path, clock)).toThrow(expect.objectContaining({ code: 'store_newer' }))
})

it('keeps up the tables it finds when it is opened without projections', async () => {
  const path = freshPath()
  const first = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  const second = sqliteStore(path, clock)
  const happened = (n: number) => ({ type: 'thing.happened', actor: 'ada', payload: { n } })
  await second.commit({ tenant: 'acme', appends: [{ stream: 's', expected: -1, entries: [happened(1)] }] })
  await first.commit({ tenant: 'acme', appends: [{ stream: 's', expected: 0, entries: [happened(2)] }] })
  const found: unknown[] = []
  for await (const { cells } of second.rows('things', 'acme')) found.push(cells.n)
  expect(found).toEqual([1, 2])
  await Promise.all([first.close(), second.close()])
})

const SECRET = 'nobody may ever read this again'
it.each([1, 100_000])('leaves nothing of %i times an erased text in any of its files', async times => {
  const path = freshPath()
  const store = sqliteStore(path, clock)
  const words = new TextEncoder().encode(SECRET.repeat(times))
  const digest = digestBytes(words)
  const entries = [{ type: 'a.b', actor: 'x', payload: { digest } }]
  await store.commit({ tenant: 'acme', objects: [words], appends: [{ stream: 's', expected: -1, entries }] })
  const everything = () =>
    readdirSync(dirname(path))
      .map(name => readFileSync(join(dirname(path), name), 'latin1'))
      .join('')
  expect(everything()).toContain(SECRET)
  await eraseObject(store, { tenant: 'acme', digest, actor: 'ada', why: 'asked for' })
  expect(everything()).not.toContain(SECRET)
  await store.close()
  expect(everything()).not.toContain(SECRET)
})

it('makes a copy before it changes the tables of an older version, and loses nothing', async () => {
  const path = freshPath()
  const store = sqliteStore(path, clock)
  await store.commit({ tenant: 'acme', appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }] })
  await store.close()
  const database = openDatabase(path)
  const steps = [...STEPS, 'ALTER TABLE streams ADD COLUMN colour TEXT']
  migrate(database, path, steps)
  migrate(database, path, steps)
  expect(database.prepare('SELECT stream, seq, colour FROM streams').all()).toEqual([{ stream: 's', seq: 0, colour: null }])
  database.close()
  const copy = sqliteStore(`${path}.before-${steps.length}`, clock)
  expect((await copy.head('acme', 's')).seq).toBe(0)
  await copy.close()
  expect(() => sqliteStore(path, clock)).toThrow(expect.objectContaining({ code: 'store_newer' }))
})

it('restores a backup that an older version made, and leaves the backup as it was', async () => {
  const [from, to] = [freshPath(), freshPath()]
  const old = openDatabase(from)
  migrate(old, from, STEPS.slice(0, 1))
  old.close()
  for (const end of ['-wal', '-shm']) rmSync(`${from}${end}`, { force: true })
  const before = readFileSync(from)
  const versionOf = (path: string) => {
    const database = openDatabase(path)
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    database.close()
    return version
  }
  let seen = 0
  const approve = async (copy: string) => {
    seen = versionOf(copy)
    return true
  }
  expect(await restoreStore(from, to, approve)).toBe(true)
  expect([seen, versionOf(to)]).toEqual([STEPS.length, STEPS.length])
  expect(readFileSync(from)).toEqual(before)
  expect(readdirSync(dirname(to)).filter(name => !/-(wal|shm)$/.test(name))).toEqual(['onbook.db'])
})

it('stops reading what begins like a node and never ends', async () => {
  const store = sqliteStore(freshPath(), clock)
  let pieces = 0
  let ended = false
  async function* endless() {
    try {
      yield new TextEncoder().encode('{"$node":"')
      for (; ; pieces++) yield Buffer.alloc(100_000, 'x')
    } finally {
      ended = true
    }
  }
  await expect(store.writeObject('acme', endless())).rejects.toMatchObject({ code: 'object_invalid' })
  expect([ended, pieces < 20]).toEqual([true, true])
  await store.close()
})

it('brings a record without links forward, keeps a copy, and takes nodes from then on', async () => {
  const path = freshPath()
  const old = openDatabase(path)
  migrate(old, path, STEPS.slice(0, 1))
  old.exec("INSERT INTO objects (tenant, digest, written_at, size, bytes) VALUES ('acme', x'00', '2020-01-01T00:00:00.000Z', 1, x'00')")
  old.close()
  const store = sqliteStore(path, clock)
  const leaf = new TextEncoder().encode('leaf')
  const node = new TextEncoder().encode(JSON.stringify({ $node: 'tree', leaf: digestBytes(leaf) }))
  const entries = [{ type: 'a.b', actor: 'x', payload: { node: digestBytes(node) } }]
  await store.commit({ tenant: 'acme', objects: [node, leaf], appends: [{ stream: 's', expected: -1, entries }] })
  expect(await store.collect('2100-01-01T00:00:00.000Z')).toBe(1)
  expect(await store.object('acme', digestBytes(leaf))).toEqual(leaf)
  await store.close()
  const copy = openDatabase(`${path}.before-2`)
  expect(copy.prepare('SELECT (SELECT COUNT(*) FROM objects) AS n, user_version FROM pragma_user_version').get()).toEqual({
    n: 1,
    user_version: 1,
  })
  copy.close()
})

it('takes a step back whole when it fails', async () => {
  const path = freshPath()
  await sqliteStore(path, clock).close()
  const database = openDatabase(path)
  expect(() => migrate(database, path, [...STEPS, 'CREATE TABLE fine (x); CREATE TABLE streams (x)'])).toThrow(/already exists/)
  expect(database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'fine'").get()).toEqual({ n: 0 })
  database.close()
  await sqliteStore(path, clock).close()
})
