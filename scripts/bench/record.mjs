// @ts-check
// npm run bench -- record: appending, objects, verifying and folding, each beside the same work without a record, in one run.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { scratchTables, verifyRecord } from 'onbook'
import { digestBytes } from 'onbook/core'
import { interleave, number, table } from './measuring/measure.mjs'
import { bareStore } from './record/bare.mjs'
import { concurrently, entry, inFolder, openStore, TENANT } from './record/story.mjs'

const BENCHES = { append: benchAppend, objects: benchObjects, verify: benchVerify, fold: benchFold }
const [only] = process.argv.slice(2)
for (const [name, bench] of Object.entries(BENCHES)) if (only === undefined || only === name) await bench()

async function benchAppend() {
  const rows = [['', 'bare SQLite, events/s', 'onbook, events/s', 'ratio']]
  for (const callers of [1, 16, 64, 256]) {
    const total = callers === 1 ? 2_000 : 20_000
    const { bare = 0, onbook = 0 } = await interleave(
      {
        bare: () => inFolder(folder => appendBare(folder, callers, total)),
        onbook: () => inFolder(folder => append(folder, callers, total)),
      },
      5,
    )
    rows.push([`${callers} callers`, number(1000 / bare, 0), number(1000 / onbook, 0), number(bare / onbook)])
  }
  table('Append, durable, with chain and two projections', rows)
}

/** @param {string} folder @param {number} callers @param {number} total */
async function append(folder, callers, total) {
  const store = openStore(folder)
  const ms = await concurrently(callers, total, (caller, n) =>
    store.commit({ tenant: TENANT, appends: [{ stream: `run/${caller}`, expected: n - 1, entries: [entry(caller, n)] }] }),
  )
  await store.close()
  return ms
}

/** The same number of bytes, made beforehand. @param {string} folder @param {number} callers @param {number} total */
async function appendBare(folder, callers, total) {
  const store = bareStore(join(folder, 'bare.db'))
  const event = {
    v: 1,
    tenant: TENANT,
    stream: 'run/00',
    seq: 100,
    ...entry(10, 100),
    at: new Date().toISOString(),
    prev: digestBytes(new Uint8Array()),
  }
  const bytes = new TextEncoder().encode(JSON.stringify(event))
  const ms = await concurrently(callers, total, (caller, n) => store.append(caller, n, bytes))
  store.close()
  return ms
}

async function benchObjects() {
  const rows = [['', 'bare put/s', 'onbook put/s', 'ratio', 'bare get/s', 'onbook get/s', 'ratio']]
  for (const size of [1, 4, 64]) {
    const total = size === 64 ? 2_000 : 8_000
    const bodies = Array.from({ length: total }, (_, n) => Buffer.alloc(size * 1024, `${size} ${n} `))
    const digests = bodies.map(body => digestBytes(body))
    const blobs = digests.map(digest => Buffer.from(digest.slice(7), 'hex'))
    /** @type {Record<string, number[]>} */
    const gets = { bare: [], onbook: [] }
    const { bare = 0, onbook = 0 } = await interleave(
      {
        bare: () =>
          inFolder(async folder => {
            const store = bareStore(join(folder, 'bare.db'))
            const ms = await concurrently(64, total, (caller, n) => store.put(...pick(blobs, bodies, caller * Math.ceil(total / 64) + n)))
            gets.bare?.push(await concurrently(1, total, async (_, n) => store.get(/** @type {Buffer} */ (blobs[n]))))
            store.close()
            return ms
          }),
        onbook: () =>
          inFolder(async folder => {
            const store = openStore(folder)
            const ms = await concurrently(64, total, (caller, n) =>
              store.commit({ tenant: TENANT, objects: [pick(blobs, bodies, caller * Math.ceil(total / 64) + n)[1]] }),
            )
            gets.onbook?.push(await concurrently(1, total, (_, n) => store.object(TENANT, /** @type {any} */ (digests[n]))))
            await store.close()
            return ms
          }),
      },
      5,
    )
    const [bareGet, onbookGet] = [gets.bare, gets.onbook].map(values => [...(values ?? [])].sort((a, b) => a - b)[2] ?? 0)
    const rates = [bare, onbook].map(ms => number(1000 / ms, 0))
    const got = [bareGet, onbookGet].map(ms => number(1000 / (ms ?? 0), 0))
    rows.push([`${size} kB`, ...rates, number(bare / onbook), ...got, number((bareGet ?? 0) / (onbookGet ?? 1))])
  }
  table('Objects: put (64 callers, durable) and get (checked against its name)', rows)
}

/** @param {readonly Buffer[]} blobs @param {readonly Buffer[]} bodies @param {number} index @returns {[Buffer, Buffer]} */
function pick(blobs, bodies, index) {
  return [/** @type {Buffer} */ (blobs[index % blobs.length]), /** @type {Buffer} */ (bodies[index % bodies.length])]
}

/** A store as runs leave it: three events to two objects of 4 kB, prompt and reply. */
async function benchVerify() {
  await inFolder(async folder => {
    const store = openStore(folder)
    /** @type {Uint8Array[]} */
    const bytes = []
    for (let run = 0; run < 200; run++) {
      const bodies = Array.from({ length: 100 }, (_, n) => Buffer.alloc(4096, `${run} ${n} `))
      const entries = Array.from({ length: 150 }, (_, n) => {
        const body = bodies[n]
        const { payload, ...rest } = entry(run, n)
        return { ...rest, payload: body === undefined ? payload : { ...payload, prompt: digestBytes(body) } }
      })
      await store.commit({ tenant: TENANT, objects: bodies, appends: [{ stream: `run/${run}`, expected: -1, entries }] })
      bytes.push(...bodies)
      for await (const stored of store.read(TENANT, `run/${run}`, -1)) bytes.push(stored.bytes)
    }
    const { bare = 0, onbook = 0 } = await interleave(
      {
        bare: () => {
          const started = performance.now()
          for (const piece of bytes) createHash('sha256').update(piece).digest('hex')
          return performance.now() - started
        },
        onbook: async () => {
          const started = performance.now()
          const inspection = await store.inspect()
          const scratch = scratchTables(store.projections)
          const { intact } = await verifyRecord(inspection, { projections: store.projections, scratch, check: null })
          scratch.close()
          await inspection.close()
          if (!intact) throw new Error('broken')
          return performance.now() - started
        },
      },
      7,
    )
    const megabytes = bytes.reduce((sum, piece) => sum + piece.length, 0) / 1e6
    table(`Verify: 30,000 events, 20,000 objects, ${number(megabytes, 0)} MB`, [
      ['', 'MB/s'],
      ['sha256 of each, from memory', number((megabytes * 1000) / bare, 0)],
      ['onbook verify, from disk', number((megabytes * 1000) / onbook, 0)],
      ['ratio', number(bare / onbook)],
    ])
    await store.close()
  })
}

async function benchFold() {
  await inFolder(async folder => {
    const store = openStore(folder)
    for (let n = 0; n < 1_000_000; n += 1_000) {
      const entries = Array.from({ length: 1_000 }, (_, index) => entry(0, n + index))
      await store.commit({ tenant: TENANT, appends: [{ stream: 'run/long', expected: n - 1, entries }] })
    }
    let bytes = 0
    for await (const stored of store.read(TENANT, 'run/long', 999_000)) bytes += stored.bytes.length
    await store.close()
    const size = statSync(join(folder, 'onbook.db')).size
    const { stdout, status, stderr } = spawnSync(process.execPath, [join('scripts', 'bench', 'record', 'fold.mjs'), folder], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
    const { events, ms, earlyMb, rssMb } = JSON.parse(stdout)
    table('Fold of 1,000,000 events', [
      ['events/s', number((events * 1000) / ms, 0)],
      ['resident memory after 100,000 events, MB', number(earlyMb, 0)],
      ['resident memory at the end, MB', number(rssMb, 0)],
      ['bytes of an event', number(bytes / 999, 0)],
      ['bytes in the file per event, with two projections', number(size / 1_000_000, 0)],
    ])
  })
}
