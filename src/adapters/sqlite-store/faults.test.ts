// Damaged or inaccessible files: each is refused with its own fault, and left unchanged.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { digestBytes } from '../../core/digest/digest.ts'
import { verifyRecord } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'
import { CONTRACT_PROJECTIONS } from '../../testing/contract/place.ts'
import { asUser, OTHER_USER, reachableProduct } from '../../testing/hosts/other-user.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { openDatabase } from './database.ts'
import { faultOf } from './faults.ts'
import { scratchTables } from './inspect/scratch-tables.ts'
import { rebuild } from './rebuild.ts'
import { migrate, STEPS } from './schema.ts'
import { sqliteStore } from './sqlite-store.ts'

const PAGE = 8192
const words = (n: number) => new TextEncoder().encode(`words ${n} `.repeat(200))
/** But for what a driver leaves there: a log without anything in it, and its index. */
const namesBeside = (path: string) =>
  readdirSync(dirname(path)).filter(
    name => !name.endsWith('-shm') && (!name.endsWith('-wal') || statSync(join(dirname(path), name)).size > 0),
  )

/** A closed store of some hundred pages. */
async function aStore(): Promise<string> {
  const path = freshPath()
  const store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      store.commit({
        tenant: 'acme',
        objects: [words(n)],
        appends: [
          {
            stream: `s${n}`,
            expected: -1,
            entries: [{ type: 'thing.happened', actor: 'ada', payload: { n, body: digestBytes(words(n)) } }],
          },
        ],
      }),
    ),
  )
  await store.close()
  // One driver leaves them there, empty.
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  return path
}

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

const BAD_FILES: readonly { readonly what: string; readonly make: (path: string) => void; readonly code: string; readonly says: RegExp }[] =
  [
    {
      what: 'a text',
      make: path => writeFileSync(path, 'this is no database at all\n'.repeat(1000)),
      code: 'store_corrupt',
      says: /not a database.*restore a backup/,
    },
    { what: 'a short text', make: path => writeFileSync(path, 'hello'), code: 'store_corrupt', says: /not a database/ },
    { what: 'a folder', make: path => mkdirSync(path), code: 'store_failed', says: /it is a folder/ },
    {
      what: 'the tables of another program',
      make: path => {
        const database = openDatabase(path)
        database.exec('CREATE TABLE theirs (x)')
        database.close()
      },
      code: 'store_corrupt',
      says: /tables that are not a record’s/,
    },
    {
      what: 'the tables of another program with a version of its own',
      make: path => {
        const database = openDatabase(path)
        database.exec('CREATE TABLE theirs (x); PRAGMA user_version = 1')
        database.close()
      },
      code: 'store_corrupt',
      says: /tables that are not a record’s/,
    },
    {
      what: 'the tables of another program with the version of ours',
      make: path => {
        const database = openDatabase(path)
        database.exec(`CREATE TABLE theirs (x); PRAGMA user_version = ${STEPS.length}`)
        database.close()
      },
      code: 'store_corrupt',
      says: /no such table/,
    },
  ]

it.each(BAD_FILES)('refuses $what in the place of a record, and leaves it as it was', ({ make, code, says }) => {
  const path = freshPath()
  make(path)
  const bytesOf = () => (code === 'store_failed' ? null : readFileSync(path))
  const [names, before] = [namesBeside(path), bytesOf()]
  const error = thrownBy(() => sqliteStore(path, clock))
  expect(error).toBeInstanceOf(Fault)
  expect(error).toMatchObject({ code, message: expect.stringMatching(says) })
  expect([namesBeside(path), bytesOf()]).toEqual([names, before])
})

it('refuses a folder that does not exist, and does not make it', () => {
  const path = join(dirname(freshPath()), 'nowhere', 'onbook.db')
  const error = thrownBy(() => sqliteStore(path, clock))
  expect(error).toMatchObject({ code: 'store_failed', message: expect.stringContaining('its folder does not exist') })
  expect(readdirSync(dirname(dirname(path)))).toEqual([])
})

it('makes a record of an empty file, as SQLite does: whoever must not, looks first', async () => {
  const path = freshPath()
  writeFileSync(path, '')
  const store = sqliteStore(path, clock)
  expect(await store.tenants()).toEqual([])
  await store.close()
})

/** Reads all there is, the way an application and the way `verify` does; every problem must be a fault. */
async function readAll(path: string): Promise<{ readonly codes: ReadonlySet<string>; readonly intact: boolean | null }> {
  const codes = new Set<string>()
  const noting = async (work: () => Promise<unknown>) => {
    try {
      return await work()
    } catch (error) {
      expect(error).toBeInstanceOf(Fault)
      codes.add((error as Fault).code)
      return null
    }
  }
  const store = (await noting(async () => sqliteStore(path, clock, CONTRACT_PROJECTIONS))) as ReturnType<typeof sqliteStore> | null
  if (store === null) return { codes, intact: null }
  for (let n = 0; n < 300; n++) {
    await noting(() => store.object('acme', digestBytes(words(n))))
    await noting(async () => {
      for await (const _ of store.read('acme', `s${n}`, -1));
    })
    await noting(async () => {
      for await (const _ of store.readObject('acme', digestBytes(words(n))));
    })
  }
  const intact = await noting(async () => {
    const [inspection, scratch] = [await store.inspect(), scratchTables(store.projections)]
    try {
      return (await verifyRecord(inspection, { projections: store.projections, scratch, check: null })).intact
    } finally {
      scratch.close()
      await inspection.close()
    }
  })
  await noting(() => store.commit({ tenant: 'acme', appends: [{ stream: 'new', expected: -1, entries: [] }] }))
  await store.close()
  return { codes, intact: intact as boolean | null }
}

it('reads a sound file without a fault', async () => {
  const { codes, intact } = await readAll(await aStore())
  expect([[...codes], intact]).toEqual([[], true])
})

it.each([0.9, 0.5, 0.2, 0.02])('never takes the first %d of a file for the whole', async part => {
  const path = await aStore()
  truncateSync(path, Math.max(PAGE, Math.floor((readFileSync(path).length * part) / PAGE) * PAGE))
  const { codes, intact } = await readAll(path)
  expect(intact).not.toBe(true)
  expect(codes).toContain('store_corrupt')
})

it.each([1, 2, 3, 5, 8, 13, 21, 34, 55, 89])('never overlooks that page %i was overwritten', async page => {
  const path = await aStore()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(PAGE, 'damage '), 0, PAGE, page * PAGE)
  const { codes, intact } = await readAll(path)
  expect(intact).not.toBe(true)
  for (const code of codes) expect(['store_corrupt', 'object_missing', 'object_corrupt', 'event_corrupt']).toContain(code)
})

const OPEN_AND_WRITE = (path: string) => `
  import { sqliteStore } from ${JSON.stringify(join(reachableProduct(), 'dist/bundle/index.mjs'))}
  try {
    const store = sqliteStore(${JSON.stringify(path)}, () => '2026-01-01T00:00:00.000Z')
    await store.commit({ tenant: 'acme', appends: [{ stream: 'n', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }] })
    console.log('written')
  } catch (error) {
    console.log(error.name, error.code, error.message)
  }`

function asOtherUser(code: string): Promise<string> {
  const child = spawn(process.execPath, [...asUser(OTHER_USER), '--input-type=module', '-e', code], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  return new Promise(done => child.on('close', () => done(out.trim())))
}

const READ_ONLY: readonly { readonly what: string; readonly file: number; readonly folder: number; readonly says: RegExp }[] = [
  { what: 'may be written to', file: 0o666, folder: 0o777, says: /^written$/ },
  { what: 'is read-only', file: 0o444, folder: 0o777, says: /^Fault store_read_only .*is read-only/ },
  { what: 'is in a read-only folder', file: 0o666, folder: 0o555, says: /^Fault store_read_only .*the folder it is in/ },
  { what: 'is read-only in a read-only folder', file: 0o444, folder: 0o555, says: /^Fault store_read_only/ },
  { what: 'may not even be read', file: 0o000, folder: 0o777, says: /^Fault store_read_only/ },
]

it.each(READ_ONLY)('says so when a record $what', async ({ file, folder, says }) => {
  const path = await aStore()
  chmodSync(path, file)
  chmodSync(dirname(path), folder)
  expect(await asOtherUser(OPEN_AND_WRITE(path))).toMatch(says)
  chmodSync(dirname(path), 0o700)
})

it('opens while another connection makes the projections anew, and sees the old rows until they are whole', async () => {
  const path = await aStore()
  const other = openDatabase(path)
  other.exec('BEGIN IMMEDIATE; DELETE FROM p_things')
  const store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  let rows = 0
  for await (const _ of store.rows('things', 'acme')) rows++
  expect(rows).toBe(300)
  other.exec('ROLLBACK')
  rebuild(other, store.projections)
  await store.commit({ tenant: 'acme', appends: [{ stream: 'n', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }] })
  other.close()
  await store.close()
})

it('goes on writing what it knows while another process brings the tables forward, and is refused when it is opened anew', async () => {
  const path = await aStore()
  const store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  const other = openDatabase(path)
  migrate(other, path, [...STEPS, 'CREATE TABLE colours (colour TEXT)'])
  other.close()
  await store.commit({ tenant: 'acme', appends: [{ stream: 's1', expected: 0, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }] })
  expect((await store.head('acme', 's1')).seq).toBe(1)
  await store.close()
  expect(thrownBy(() => sqliteStore(path, clock))).toMatchObject({ code: 'store_newer' })
})

it.each([
  ['database is locked', 'store_busy'],
  ['database table is locked', 'store_busy'],
  ['locking protocol', 'store_busy'],
  ['database or disk is full', 'store_full'],
  ['attempt to write a readonly database', 'store_read_only'],
  ['disk I/O error', 'store_failed'],
  ['database disk image is malformed', 'store_corrupt'],
  ['file is not a database', 'store_corrupt'],
])('knows "%s" when the driver gives no number with it', (message, code) => {
  const error = Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' })
  expect(faultOf('x.db', error)).toMatchObject({ code })
  const foreign = new Error(message)
  expect(faultOf('x.db', foreign)).toBe(foreign)
})
