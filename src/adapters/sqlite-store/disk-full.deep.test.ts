// A disk that is full at any write: a refused write is reported and absent, an acknowledged one is present, and the store goes on when
// there is room.
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import { verifyRecord } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { CONTRACT_PROJECTIONS } from '../../testing/contract/place.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { type Disk, noDiskBecause, smallDisk } from '../../testing/stores/tmpfs.ts'
import { backupStore } from './backup.ts'
import { openDatabase } from './database.ts'
import { guarded } from './faults.ts'
import { scratchTables } from './inspect/scratch-tables.ts'
import { migrate, STEPS } from './schema.ts'
import { sqliteStore } from './sqlite-store.ts'

const TENANT = 'acme'
const WRITER = resolve('src/testing/stores/limited-writer.mjs')
const BIG = 700_000
const bytesOf = (text: string, size = text.length): Uint8Array => new Uint8Array(Buffer.alloc(size, text))
const TO_ERASE = [bytesOf('erase me ', BIG), bytesOf('and forget me')]

/** The requests to a store and its answers, and so the data that must be there. */
interface Trial {
  store: Store
  readonly path: string
  readonly disk: Disk
  /** Last sequence of each stream that was acknowledged. */
  readonly acknowledged: Map<string, number>
  readonly there: Set<Digest>
  readonly absent: Set<Digest>
  readonly refusals: string[]
}

const events = (n: number, body: Digest) => [{ type: 'thing.happened', actor: 'ada', payload: { n, body } }]

/** True when it was acknowledged. A refusal is always a fault. */
async function attempt(trial: Trial, work: () => unknown): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Fault)
    trial.refusals.push((error as Fault).code)
    return false
  }
}

async function append(trial: Trial, stream: string, n: number, object: Uint8Array): Promise<boolean> {
  const { store, acknowledged, there, absent } = trial
  const [body, expected] = [digestBytes(object), acknowledged.get(stream) ?? -1]
  const written = await attempt(trial, () =>
    store.commit({ tenant: TENANT, objects: [object], appends: [{ stream, expected, entries: events(n, body) }] }),
  )
  if (written) acknowledged.set(stream, expected + 1)
  if (written) there.add(body)
  else absent.add(body)
  return written
}

/** Each is done with less room than it needs, and with enough. */
const WORKS: Readonly<Record<string, (trial: Trial) => Promise<unknown>>> = {
  'small events': async trial => {
    for (let n = 0; n < 40; n++) if (!(await append(trial, 's', n, bytesOf(`small ${n} `, 300 + n * 40)))) return
  },
  'many callers at once': trial => Promise.all(Array.from({ length: 30 }, (_, n) => append(trial, `s${n}`, n, bytesOf(`${n} `, 2_000)))),
  'an event with a big object': trial => append(trial, 's', 0, bytesOf('big ', BIG)),
  'a big object in pieces': async trial => {
    const pieces = Array.from({ length: 9 }, (_, n) => bytesOf(`piece ${n} `, BIG / 10))
    const digest = digestBytes(Buffer.concat(pieces))
    const written = await attempt(trial, () => trial.store.writeObject(TENANT, pieces))
    ;(written ? trial.there : trial.absent).add(digest)
  },
  'an erasure': async trial => {
    for (const object of TO_ERASE) {
      const digest = digestBytes(object)
      if (!(await attempt(trial, () => eraseObject(trial.store, { tenant: TENANT, digest, actor: 'ada', why: 'asked for' })))) continue
      trial.there.delete(digest)
      trial.absent.add(digest)
      trial.acknowledged.set('audit', (trial.acknowledged.get('audit') ?? -1) + 1)
    }
  },
  'a rebuild': trial => attempt(trial, () => trial.store.rebuild()),
  'a collection': trial => attempt(trial, () => trial.store.collect('2999-01-01T00:00:00.000Z')),
  'a backup': async trial => {
    const to = join(trial.disk.folder, 'backup.db')
    const done = await attempt(trial, () => backupStore(trial.path, to, async () => true))
    expect(readdirSync(trial.disk.folder).filter(name => name.startsWith('backup.db'))).toEqual(done ? ['backup.db'] : [])
    rmSync(to, { force: true })
  },
  'a migration': async trial => {
    const [database, copy] = [openDatabase(trial.path), `${trial.path}.before-${STEPS.length + 1}`]
    const steps = [...STEPS, 'CREATE TABLE colours (colour TEXT)']
    const done = await attempt(trial, () => guarded(trial.path, () => migrate(database, trial.path, steps)))
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    expect(version).toBe(done ? STEPS.length + 1 : STEPS.length)
    expect(readdirSync(trial.disk.folder).filter(name => /before-\d+./.test(name))).toEqual([])
    rmSync(copy, { force: true })
    trial.disk.roomy()
    database.exec(`DROP TABLE IF EXISTS colours; PRAGMA user_version = ${STEPS.length}`)
    database.close()
  },
  'a new store beside it': async trial => {
    const path = join(trial.disk.folder, 'other.db')
    if (await attempt(trial, () => sqliteStore(path, clock).close())) return
    trial.disk.roomy()
    await sqliteStore(path, clock).close()
  },
  'being closed and opened again': async trial => {
    await trial.store.close()
    await attempt(trial, () => {
      trial.store = sqliteStore(trial.path, clock, CONTRACT_PROJECTIONS)
    })
    if (trial.refusals.length === 0) return
    trial.disk.roomy()
    trial.store = sqliteStore(trial.path, clock, CONTRACT_PROJECTIONS)
  },
}

/** From none at all, page by page, to more than any of it needs. */
const upTo = (count: number, from: number, step: number) => Array.from({ length: count }, (_, n) => from + n * step)
const ROOMS = [...upTo(10, 0, 1), ...upTo(20, 10, 2), ...upTo(15, 50, 46), 4_000]
const REFUSED_WITH = ['store_full', 'store_failed']

const because = noDiskBecause()
if (because !== null) console.warn(`NOT TESTED: a full disk. No small disk can be mounted here: ${because}`)

describe.skipIf(because !== null)('on a disk without room', () => {
  it.each(Object.keys(WORKS))('%s: refused with a fault or done, never half', async name => {
    const seen = new Set<string>()
    for (const pages of ROOMS) for (const code of await tryWith(name, pages)) seen.add(code)
    // A work that was never refused, or never done, has proved nothing.
    const closing = name.startsWith('being closed')
    if (!closing) expect(seen).toContain('store_full')
    expect(seen).toContain('done')
    expect([...seen].filter(code => code !== 'done' && !REFUSED_WITH.includes(code))).toEqual([])
  })
})

/** Kilobytes that a file may have: the limit is met by the log first, and by the file when the log is moved over. */
const LIMITS = [...upTo(12, 170, 37), ...upTo(8, 700, 450), ...upTo(4, 8_500, 200)]

describe('with files that may not grow', () => {
  it.each(LIMITS)('up to %i kilobytes a writer is refused with a fault, loses nothing, and goes on when they may', async limit => {
    const path = freshPath()
    await sqliteStore(path, clock).close()
    const writer = spawn('bash', ['-c', `ulimit -S -f ${limit}; exec "$0" "$1" "$2"`, process.execPath, WRITER, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let text = ''
    const refused = new Promise<void>(resume => {
      writer.stdout.on('data', chunk => {
        text += chunk
        if (text.includes('refused')) resume()
      })
      writer.on('close', () => resume())
    })
    const ended = new Promise(done => writer.on('close', done))
    await refused
    expect(text).toMatch(/^refused Fault store_(full|failed)$/m)
    execFileSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited'])
    writer.stdin.end('go on\n')
    expect(await ended).toBe(0)
    const acknowledged = text.split('\n').filter(line => /^\d+ sha256/.test(line))
    expect(acknowledged.map(line => Number(line.split(' ')[0]))).toEqual(acknowledged.map((_, n) => n))

    const store = sqliteStore(path, clock)
    const { seq, digest } = await store.head(TENANT, 's')
    expect(`${seq} ${digest}`).toBe(acknowledged.at(-1))
    await checkWhole(store)
    await store.close()
  })
})

describe('while another process keeps the file locked', () => {
  const entries = [{ type: 'thing.happened', actor: 'ada', payload: { n: 1 } }]
  const works: readonly [string, (store: Store) => Promise<unknown>][] = [
    ['a commit', store => store.commit({ tenant: TENANT, appends: [{ stream: 's', expected: -1, entries }] })],
    ['an object in pieces', store => store.writeObject(TENANT, [bytesOf('x', BIG)])],
    ['a rebuild', store => store.rebuild()],
    ['a collection', store => store.collect('2999-01-01T00:00:00.000Z')],
  ]
  it.each(works)('%s is refused after a while, and done when it is free', async (_, work) => {
    const path = freshPath()
    const store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
    const other = openDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(work(store)).rejects.toMatchObject({ name: 'Fault', code: 'store_busy' })
    other.exec('ROLLBACK')
    await work(store)
    await checkWhole(store)
    other.close()
    await store.close()
  })

  it('the command line says so in one line', async () => {
    const path = freshPath()
    const store = sqliteStore(path, clock)
    await store.commit({ tenant: TENANT, appends: [{ stream: 's', expected: -1, entries }] })
    await store.close()
    const other = openDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    const runs = await Promise.all(['checkpoint', 'rebuild', 'collect', 'verify'].map(name => runCli([name, '--data', dirname(path)])))
    other.close()
    const busy = { code: 2, out: '', err: `onbook: Other processes kept ${path} busy for too long; nothing was written. Try again.\n` }
    expect(runs.slice(0, 3)).toEqual([busy, busy, busy])
    expect(runs[3]).toMatchObject({ code: 0, err: '' })
  })
})

async function tryWith(name: string, pages: number): Promise<readonly string[]> {
  const disk = smallDisk()
  const path = join(disk.folder, 'onbook.db')
  const store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  const trial: Trial = { store, path, disk, acknowledged: new Map(), there: new Set(), absent: new Set(), refusals: [] }
  try {
    for (const [n, object] of TO_ERASE.entries()) await append(trial, 'before', n, object)
    await store.commit({ tenant: TENANT, objects: Array.from({ length: 50 }, (_, n) => bytesOf(`unspoken of ${n} `, 5_000)) })
    expect(trial.refusals).toEqual([])
    disk.leave(pages)
    await WORKS[name]!(trial)
    const refusals = [...trial.refusals]
    // Still full: everything can be read.
    await check(trial)
    disk.roomy()
    expect(await append(trial, 'after', 1, bytesOf(`room again ${pages}`))).toBe(true)
    await check(trial)
    for (const object of TO_ERASE)
      if (trial.absent.has(digestBytes(object))) expect(filesIn(disk.folder)).not.toContain(Buffer.from(object.subarray(0, 9)).toString())
    await trial.store.close()
    trial.store = sqliteStore(path, clock, CONTRACT_PROJECTIONS)
    await check(trial)
    await trial.store.close()
    return refusals.length === 0 ? ['done'] : refusals
  } catch (error) {
    throw new Error(`with room for ${pages} pages: ${(error as Error).message}`, { cause: error })
  } finally {
    disk.unmount()
  }
}

const filesIn = (folder: string): string =>
  readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'latin1'))
    .join('')

async function check({ store, acknowledged, there, absent }: Trial): Promise<void> {
  const found = new Map<string, number>()
  for await (const { stream, seq } of store.streams(TENANT)) found.set(stream, seq)
  expect(found).toEqual(acknowledged)
  for (const digest of there) await store.object(TENANT, digest)
  for (const digest of absent) await expect(store.object(TENANT, digest)).rejects.toMatchObject({ code: 'object_missing' })
  await checkWhole(store)
}

async function checkWhole(store: Store): Promise<void> {
  const { projections } = store
  const [inspection, scratch] = [await store.inspect(), scratchTables(projections)]
  const { intact, breaks } = await verifyRecord(inspection, { projections, scratch, check: null })
  scratch.close()
  await inspection.close()
  expect({ intact, breaks }).toEqual({ intact: true, breaks: [] })
}
