// Tests forgeries: every kind of event of a record with runs is rewritten, cut off or hidden, without and with keys, before and after a checkpoint.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileKeyring } from '../../adapters/keys/file-keyring.ts'
import { signatureChecker } from '../../adapters/keys/public-keys.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { verifyFile } from '../../book/verify-file.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { sealer, sealStore } from '../../engine/record/seal.ts'
import { readAnchors } from '../../engine/verify/anchors.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import {
  change,
  copyFolder,
  cutStream,
  type EventPlace,
  eventsIn,
  fileOf,
  forgetSeals,
  oneOfEachKind,
  removeCopies,
  rewriteStream,
} from '../../testing/mutations/forge.ts'

const clock = () => new Date().toISOString()
const root = mkdtempSync(join(tmpdir(), 'onbook-forger-'))
const [folder, anchor, keys] = [join(root, 'data'), join(root, 'anchor.jsonl'), join(root, 'keys.pem')]
let places: readonly EventPlace[] = []
beforeAll(async () => {
  expect((await runCli(['demo', '--no-serve', '--data', folder])).code).toBe(0)
  expect((await runCli(['anchor', anchor, '--public-key', keys, '--data', folder])).code).toBe(0)
  places = eventsIn(folder)
}, 120_000)
afterAll(() => {
  removeCopies()
  rmSync(root, { recursive: true, force: true })
})

const keyringOf = (copy: string) => fileKeyring(join(copy, 'keys'), clock)
const openCopy = (copy: string) => sqliteStore(fileOf(copy), clock, PRODUCT_PROJECTIONS)

async function verifyCopy(copy: string, anchored = false): Promise<readonly string[]> {
  const check = signatureChecker(await keyringOf(copy).publicKeys())
  const anchors = anchored ? readAnchors(anchor, readFileSync(anchor, 'utf8'), check) : []
  return (await verifyFile(fileOf(copy), { check, anchors })).breaks.map(({ stream, code }) => `${stream} ${code}`)
}

/** The next checkpoint signs the actor of a checkpoint; the checkpoint itself signs its payload. */
const unsealing = (event: RecordedEvent): RecordedEvent => ({ ...event, payload: { ...(event.payload as JsonObject), heads: [] } })

/** Rebuilds everything that is derived from events, and then continues the record. */
async function goOn(copy: string) {
  const store = openCopy(copy)
  await store.rebuild()
  change(copy, forgetSeals)
  const { seq } = await store.head('default', 'audit')
  await store.commit({
    tenant: 'default',
    appends: [{ stream: 'audit', expected: seq, entries: [{ type: 'x.noted', actor: 'ada', payload: null }] }],
  })
  const result = await sealStore(store, keyringOf(copy))
  await store.rebuild()
  await store.close()
  return result
}

describe('without keys', () => {
  it('the record has every kind of stream', () => {
    const kinds = new Set(places.map(({ stream }) => stream.split('/')[0]))
    expect(['run', 'session', 'library', 'workspace', 'checkpoints'].filter(kind => !kinds.has(kind))).toEqual([])
    expect(oneOfEachKind(places).length).toBeGreaterThan(20)
  })

  it('an event of any kind, rewritten with its chain: found before a checkpoint, refused by it, found after it', async () => {
    for (const place of oneOfEachKind(places)) {
      const copy = copyFolder(folder)
      change(copy, database => rewriteStream(database, place, place.stream === 'checkpoints' ? unsealing : undefined))
      const before = await verifyCopy(copy)
      expect(before, JSON.stringify(place)).not.toEqual([])
      const { sealed, refused } = await goOn(copy)
      expect(
        refused.map(({ stream }) => stream),
        JSON.stringify(place),
      ).toContain(place.stream)
      if (place.stream !== 'checkpoints' && place.stream !== 'audit' && place.tenant === 'default') expect(sealed).toBe(1)
      const after = await verifyCopy(copy)
      expect(
        after.some(found => found.startsWith(`${place.stream} c`)),
        `${JSON.stringify(place)} ${after}`,
      ).toBe(true)
      rmSync(copy, { recursive: true, force: true })
    }
  }, 600_000)

  it('a stream of any kind, cut off in the middle or deleted: found, and not signed again', async () => {
    const streams = new Map(places.filter(({ stream }) => stream !== 'checkpoints').map(place => [place.stream.split('/')[0], place]))
    for (const { tenant, stream, seq } of streams.values())
      for (const from of new Set([0, seq])) {
        const copy = copyFolder(folder)
        change(copy, database => cutStream(database, { tenant, stream, seq: from }))
        expect(await verifyCopy(copy), `${stream} ${from}`).toContain(`${stream} checkpoint_ahead`)
        const { refused } = await goOn(copy)
        // A deleted stream has no head that could be signed.
        if (from > 0) expect(refused.map(one => one.stream)).toContain(stream)
        expect(await verifyCopy(copy)).toContain(`${stream} checkpoint_ahead`)
        rmSync(copy, { recursive: true, force: true })
      }
  }, 600_000)

  it('checkpoints cut off as well: found by an anchor, and by a host that was running', async () => {
    const copy = copyFolder(folder)
    const run = places.find(({ stream }) => stream.startsWith('run/'))!
    const store = openCopy(copy)
    const running = sealer(store, keyringOf(copy))
    expect((await running.seal()).refused).toEqual([])
    change(copy, database => {
      rewriteStream(database, { ...run, seq: 1 })
      cutStream(database, { tenant: run.tenant, stream: 'checkpoints', seq: 0 })
    })
    expect((await running.seal()).refused).toMatchObject([{ stream: 'checkpoints', code: 'checkpoint_ahead' }])
    await store.close()
    expect((await goOn(copy)).refused).toEqual([])
    // The limit of what a record can prove by itself.
    expect(await verifyCopy(copy)).toEqual([])
    expect(await verifyCopy(copy, true)).toContain(`${run.stream} anchor_differs`)
  }, 120_000)

  it('the whole file put back to an earlier one: found by an anchor alone', async () => {
    const copy = copyFolder(folder)
    await goOn(copy)
    const later = join(root, 'later.jsonl')
    expect((await runCli(['anchor', later, '--data', copy])).code).toBe(0)
    expect(await verifyCopy(folder)).toEqual([])
    const old = await runCli(['verify', '--json', '--data', folder, '--anchor', later, '--public-key', keys])
    expect([old.code, old.out]).toEqual([1, expect.stringContaining('anchor_ahead')])
  }, 120_000)

  it('a rewritten run, exported: found in the file, by verify and by verify.mjs', async () => {
    const run = places.find(({ stream, type }) => stream.startsWith('run/') && type === 'node.started')!
    const id = run.stream.slice('run/'.length)
    const copy = copyFolder(folder)
    change(copy, database => rewriteStream(database, run))
    await goOn(copy)
    const file = join(root, 'run.jsonl')
    const told = await runCli(['export', id, '--output', join(root, 'told.jsonl'), '--data', copy])
    expect([told.code, told.err]).toEqual([2, expect.stringContaining('checkpoint_differs')])
    writeFileSync(file, (await runCli(['export', id, '--data', copy])).out)
    for (const args of [['verify', file, '--public-key', keys, '--json', '--data', copy]]) {
      const found = await runCli(args)
      expect([found.code, found.out]).toEqual([1, expect.stringContaining('checkpoint_differs')])
    }
    const script = spawnSync(process.execPath, [resolve('verify.mjs'), file, '--public-key', keys, '--anchor', anchor], {
      encoding: 'utf8',
    })
    expect([script.status, script.stdout]).toEqual([1, expect.stringContaining('checkpoint_differs')])
    const sound = join(root, 'sound.jsonl')
    await runCli(['export', id, '--output', sound, '--data', folder])
    expect(
      execFileSync(process.execPath, [resolve('verify.mjs'), sound, '--public-key', keys, '--anchor', anchor], { encoding: 'utf8' }),
    ).toContain('intact')
  }, 120_000)

  it('objects of the schema are planted: each is a break', async () => {
    const plants = [
      'CREATE TRIGGER evil AFTER INSERT ON events BEGIN DELETE FROM refs; END',
      'CREATE VIEW evil AS SELECT * FROM events',
      'CREATE TABLE evil (x)',
      'CREATE INDEX evil ON events (seq)',
      'DROP INDEX refs_object',
      "DELETE FROM settings; INSERT INTO settings VALUES ('projections', '[]')",
      "INSERT INTO settings VALUES ('evil', '1')",
      'ALTER TABLE objects ADD COLUMN evil',
      'UPDATE objects SET size = size + 1 WHERE id = (SELECT MIN(id) FROM objects WHERE size > 0)',
      'UPDATE streams SET sealed = -1',
      'UPDATE streams SET sealed = 1000000',
      "INSERT INTO chunks VALUES (4711, 0, x'00')",
    ]
    for (const sql of plants) {
      const copy = copyFolder(folder)
      change(copy, database => database.exec(sql))
      expect(await verifyCopy(copy), sql).not.toEqual([])
    }
  }, 120_000)
})

it('with the keys: a history that was rewritten and signed again is found by an anchor alone', async () => {
  const copy = copyFolder(folder)
  const run = places.find(({ stream }) => stream.startsWith('run/'))!
  change(copy, database => {
    rewriteStream(database, { ...run, seq: 1 })
    for (const { tenant } of places.filter(place => place.stream === 'checkpoints' && place.seq === 0))
      cutStream(database, { tenant, stream: 'checkpoints', seq: 0 })
  })
  await goOn(copy)
  expect(await verifyCopy(copy)).toEqual([])
  expect(await verifyCopy(copy, true)).toContain(`${run.stream} anchor_differs`)
}, 120_000)

it('the copies of this suite are whole records', () => {
  const copy = mkdtempSync(join(root, 'whole-'))
  cpSync(folder, copy, { recursive: true })
  expect(eventsIn(copy)).toEqual(places)
})
