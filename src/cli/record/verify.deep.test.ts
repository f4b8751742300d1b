// Tests onbook verify from outside: intact and damaged records, keys and anchors.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { type CliRun, runCli } from '../../testing/hosts/run-cli.ts'
import { appendTo, nameOf, sampleRecord } from '../../testing/stores/sample-record.ts'

let [sound, anchor, keys, otherKeys] = ['', '', '', '']
beforeAll(async () => {
  sound = await sampleRecord()
  const folder = mkdtempSync(join(tmpdir(), 'onbook-anchor-'))
  anchor = join(folder, 'anchor.jsonl')
  keys = join(folder, 'onbook.pem')
  otherKeys = join(folder, 'other.pem')
  await runCli(['anchor', anchor, '--public-key', keys, '--data', sound])
  await runCli(['anchor', join(folder, 'other.jsonl'), '--public-key', otherKeys, '--data', await sampleRecord()])
})

function copyOf(record: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'onbook-copy-'))
  cpSync(record, copy, { recursive: true })
  return copy
}

function changed(sql: string): string {
  const copy = copyOf(sound)
  const database = openDatabase(join(copy, 'onbook.db'))
  database.exec(sql)
  database.close()
  return copy
}

const verify = (record: string, ...args: readonly string[]): Promise<CliRun> => runCli(['verify', '--data', record, ...args])
const asJson = async (record: string, ...args: readonly string[]) => {
  const { code, out, err } = await verify(record, '--json', ...args)
  return { code, err, ...JSON.parse(out) }
}

describe('onbook verify', () => {
  it('says what it looked at, and that it is intact', async () => {
    const { code, out, err } = await verify(sound)
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(`${sound}/onbook.db: 5 streams, 8 events, 5 objects\nintact\n`)
  })

  it('has one shape as JSON', async () => {
    const { out } = await verify(sound, '--json')
    const counts = {
      streams: 5,
      events: 8,
      objects: 5,
      erased: 0,
      unreferenced: 0,
      unproven: { answers: 0, uploads: 0, declarations: 0, laterRows: 0 },
    }
    expect(JSON.parse(out)).toEqual({ intact: true, unsealed: 0, ...counts, breaks: [], moreBreaks: 0 })
  })

  it('counts what no signature covers', async () => {
    const copy = copyOf(sound)
    await appendTo(copy, 'talk', 'later')
    expect((await verify(copy)).out).toContain(
      'unsealed: 1 event (written after the last checkpoint; "onbook store checkpoint" signs them)',
    )
    expect(await asJson(copy)).toMatchObject({ code: 0, intact: true, unsealed: 1 })
    await runCli(['checkpoint', '--data', copy])
    expect(await asJson(copy)).toMatchObject({ code: 0, intact: true, unsealed: 0 })
  })

  it.each([
    ['an event was changed', `UPDATE events SET bytes = CAST(replace(bytes, '"ada"', '"eve"') AS BLOB) WHERE seq = 1`, 'chain_broken'],
    ['an event is gone', 'DELETE FROM events WHERE seq = 1', 'sequence_broken'],
    ['an object was changed', `UPDATE objects SET bytes = x'00' WHERE size < 100`, 'object_corrupt'],
    ['a chunk of an object is gone', 'DELETE FROM chunks WHERE n = 2', 'object_corrupt'],
    ['an object was emptied', 'UPDATE objects SET size = NULL, bytes = NULL WHERE size < 40', 'object_missing'],
    ['a stream was cut off', `DELETE FROM events WHERE seq = 3; UPDATE streams SET seq = 2 WHERE stream = 'talk'`, 'checkpoint_ahead'],
  ])('exits with 1 when %s', async (_, sql, code) => {
    const copy = changed(sql)
    const [plain, json] = [await verify(copy), await asJson(copy)]
    expect([plain.code, json.code, json.intact, plain.err, json.err]).toEqual([1, 1, false, '', ''])
    expect(json.breaks.map((found: { code: string }) => found.code)).toContain(code)
    expect(plain.out).toMatch(/BROKEN in \d+ places?\n$/)
    expect(plain.out).toContain(code)
  })

  it('shows nothing raw of a name that somebody planted', async () => {
    const copy = changed(`UPDATE streams SET stream = 'a' || char(27) || '[31m' || char(155) || char(10) || 'b' WHERE stream = 'odd'`)
    const { code, out } = await verify(copy)
    expect(code).toBe(1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(out).not.toMatch(/[\u001b\u009b]/)
    expect(out).toContain('a␛[31m<U+009B>␊b')
    expect(await runCli(['streams', '--data', copy])).toMatchObject({ code: 0, out: expect.stringContaining('a␛[31m<U+009B>␊b') })
  })

  it('holds with a sound anchor and its keys, from anywhere', async () => {
    const { code, out } = await verify(sound, '--anchor', anchor, '--public-key', keys)
    expect([code, out]).toEqual([0, expect.stringContaining('compared with 2 anchors')])
  })

  it('finds that a record is older than its anchor', async () => {
    const copy = copyOf(sound)
    const later = join(mkdtempSync(join(tmpdir(), 'onbook-anchor-')), 'later.jsonl')
    await appendTo(copy, 'talk', 'later')
    await runCli(['anchor', later, '--data', copy])
    const { code, breaks } = await asJson(sound, '--anchor', later)
    expect([code, breaks[0].code]).toEqual([1, 'anchor_ahead'])
  })

  it('does not take the word of a key that it does not know', async () => {
    const { code, breaks } = await asJson(sound, '--anchor', anchor, '--public-key', otherKeys)
    expect(code).toBe(1)
    expect(breaks.map((found: { code: string }) => found.code)).toContain('checkpoint_key_unknown')
  })

  it('names an anchor whose signature is wrong', async () => {
    const forged = join(mkdtempSync(join(tmpdir(), 'onbook-anchor-')), 'forged.jsonl')
    writeFileSync(forged, readFileSync(anchor, 'utf8').replace(/"signature":"..../g, '"signature":"AAAA'))
    const { code, breaks } = await asJson(sound, '--anchor', forged, '--public-key', keys)
    expect([code, breaks.some((found: { code: string }) => found.code === 'anchor_forged')]).toEqual([1, true])
  })

  const damaged = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), 'onbook-anchor-')), 'damaged')
    writeFileSync(path, text)
    return path
  }
  it.each([
    ['an anchor that is not there', () => ['--anchor', '/nowhere/anchor.jsonl'], /anchor\.jsonl cannot be read: it does not exist/],
    ['an anchor that is damaged', () => ['--anchor', damaged(readFileSync(anchor, 'utf8').slice(0, 100))], /line 1 is not an anchor/],
    ['an anchor that is empty', () => ['--anchor', damaged('\n\n')], /holds no anchor/],
    ['an anchor that is a folder', () => ['--anchor', tmpdir()], /cannot be read: it is a folder/],
    ['a key that is not there', () => ['--public-key', '/nowhere/onbook.pem'], /onbook\.pem cannot be read: it does not exist/],
    ['a file without a key', () => ['--public-key', damaged('hello')], /holds no public key/],
    [
      'a key that is damaged',
      () => ['--public-key', damaged('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n')],
      /a public key in it is not one/,
    ],
  ])('exits with 2 and one line for %s', async (_, args, says) => {
    const { code, out, err } = await verify(sound, ...args())
    expect([code, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1])
    expect(err).toMatch(says)
    expect((await asJson(sound, ...args())).error).toMatch(/^file_unreadable$/)
  })

  it('needs keys for an anchor', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'onbook-bare-'))
    cpSync(join(sound, 'onbook.db'), join(bare, 'onbook.db'))
    const { code, err } = await verify(bare, '--anchor', anchor)
    expect([code, err]).toEqual([2, 'onbook: --anchor needs --public-key: this record has no keys.\n'])
    expect((await verify(bare)).out).toContain('there are no keys to check signatures with')
    expect(await asJson(bare)).toMatchObject({ code: 0, intact: true, unsealed: 6 })
  })

  it('accepts what was erased, and says how much that is', async () => {
    const copy = copyOf(sound)
    await runCli(['erase', nameOf('big'), '--why', 'asked for', '--data', copy])
    expect(await asJson(copy)).toMatchObject({ code: 0, intact: true, objects: 5, erased: 1 })
    expect((await verify(copy)).out).toContain('5 objects (1 erased)')
  })

  it('reads on after what somebody appended to the file', async () => {
    const copy = copyOf(sound)
    appendFileSync(join(copy, 'onbook.db'), 'garbage')
    expect((await verify(copy)).code).toBe(0)
  })
})
