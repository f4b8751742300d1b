// Damage to the file itself, below anything that SQL can do: it is named or harmless, and never the end of the program.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { Fault } from '../../errors.ts'
import { copyOf, dump, makeRecord, removeRecords, type TamperRecord, verifyUnopened } from '../../testing/mutations/tamper-record.ts'

const SEED = 20_261_115
const FLIPS = 600

interface Page {
  readonly name: string
  readonly number: number
}

let record: TamperRecord
let file: Buffer
let whole: string
let pages: readonly Page[]
let pageSize: number

beforeAll(async () => {
  record = await makeRecord()
  file = readFileSync(record.path)
  whole = dump(record.path)
  const database = openDatabase(record.path)
  pages = database.prepare('SELECT name, pageno AS number FROM dbstat ORDER BY pageno').all() as unknown as Page[]
  pageSize = (database.prepare('PRAGMA page_size').get() as { page_size: number }).page_size
  database.close()
})

afterAll(removeRecords)

/** mulberry32 */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** Null when the damage is named, or refused with a fault, or changes nothing of what was written. */
async function problemWith(damage: (bytes: Buffer) => void): Promise<string | null> {
  const path = copyOf(record.path)
  const bytes = Buffer.from(file)
  damage(bytes)
  writeFileSync(path, bytes)
  try {
    const { intact, breaks } = await verifyUnopened(record, path)
    if (intact) return dumpOf(path) === whole ? null : 'unnoticed'
    return breaks.length > 0 ? null : 'broken nowhere'
  } catch (error) {
    return error instanceof Fault ? null : String((error as Error).stack)
  } finally {
    rmSync(dirname(path), { recursive: true, force: true })
  }
}

function dumpOf(path: string): string {
  try {
    return dump(path)
  } catch (error) {
    return String(error)
  }
}

interface Damage {
  readonly what: string
  readonly damage: (bytes: Buffer) => void
}

async function wrongAmong(damages: readonly Damage[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const { what, damage } of damages) {
    const problem = await problemWith(damage)
    if (problem !== null) wrong.push(`${what}: ${problem}`)
  }
  return wrong
}

it(`names any byte that was changed, or it was none that counts (seed ${SEED})`, async () => {
  const random = randomFrom(SEED)
  const trees = [...new Set(pages.map(({ name }) => name))]
  const anywhere = () => random(file.length)
  const inSomeTree = () => {
    const tree = trees[random(trees.length)]!
    const own = pages.filter(({ name }) => name === tree)
    return (own[random(own.length)]!.number - 1) * pageSize + random(pageSize)
  }
  const flips = Array.from({ length: FLIPS }, (_, n) => {
    let at = anywhere()
    // Most of a small file is empty space, where a flip does no harm.
    if (n % 4 > 0)
      do at = inSomeTree()
      while (file[at] === 0)
    const bit = 1 << random(8)
    const damage = (bytes: Buffer) => {
      bytes[at]! ^= bit
    }
    return { what: `bit ${bit} of byte ${at} in ${pages.find(({ number }) => number === Math.floor(at / pageSize) + 1)?.name}`, damage }
  })
  expect(await wrongAmong(flips)).toEqual([])
})

const overwritings: Readonly<Record<string, (bytes: Buffer, page: Buffer, random: (below: number) => number) => void>> = {
  zeros: (_, page) => void page.fill(0),
  noise: (_, page, random) => {
    for (let at = 0; at < page.length; at++) page[at] = random(256)
  },
  'some noise in the middle': (_, page, random) => {
    // Where something is written: rows fill a page from its end.
    const from = page.length - 64 - random(256)
    for (let at = from; at < from + 64; at++) page[at] = random(256)
  },
  'another page': (bytes, page, random) => {
    const from = (1 + random(bytes.length / page.length - 1)) * page.length
    page.set(Buffer.from(bytes.subarray(from, from + page.length)))
  },
}

it.each(Object.entries(overwritings))(`names any page that is overwritten with %s (seed ${SEED})`, async (_, overwrite) => {
  const random = randomFrom(SEED)
  const chunks = pages.filter(({ name }) => name === 'chunks').slice(3)
  const damages = pages
    .filter(page => page.number > 1 && !chunks.includes(page))
    .map(({ name, number }) => ({
      what: `page ${number} of ${name}`,
      damage: (bytes: Buffer) => overwrite(bytes, bytes.subarray((number - 1) * pageSize, number * pageSize), random),
    }))
  expect(await wrongAmong(damages)).toEqual([])
})

it('names a file that is cut off', async () => {
  const damages = [1, pageSize, 3 * pageSize, file.length - pageSize * 2, file.length - 10].map(length => ({
    what: `${length} bytes`,
    damage: (bytes: Buffer) => void bytes.fill(0, length),
  }))
  expect(await wrongAmong(damages)).toEqual([])
})
