// Tests the commands that maintain a record from outside: checkpoint, anchor, rebuild, collect, erase, export, backup, restore.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { digestBytes } from '../../core/digest/digest.ts'
import { type CliRun, runCli } from '../../testing/hosts/run-cli.ts'
import { appendTo, nameOf, OBJECTS, sampleRecord } from '../../testing/stores/sample-record.ts'

let data = ''
let out = ''
beforeEach(async () => {
  data = await sampleRecord()
  out = mkdtempSync(join(tmpdir(), 'onbook-keep-'))
})

const cli = (...args: readonly string[]): Promise<CliRun> => runCli([...args, '--data', data])
const json = async (...args: readonly string[]) => {
  const { code, err, out: text } = await cli(...args, '--json')
  return { code, err, ...JSON.parse(text) }
}
const verified = async (record: string) => JSON.parse((await runCli(['verify', '--json', '--data', record])).out)

describe('onbook store checkpoint, anchor, rebuild and collect', () => {
  it('sign what has moved, once', async () => {
    await appendTo(data, 'talk', 'later')
    expect((await cli('checkpoint')).out).toBe('Signed 1 stream.\n')
    expect((await cli('checkpoint')).out).toBe('Every stream was signed already.\n')
    expect(await json('checkpoint')).toEqual({ code: 0, err: '', sealed: 0, refused: [] })
  })

  it('write an anchor with one line for each tenant, and the keys beside it', async () => {
    const [file, keys] = [join(out, 'anchor.jsonl'), join(out, 'onbook.pem')]
    expect(await json('anchor', file, '--public-key', keys)).toEqual({ code: 0, err: '', anchor: file, publicKey: keys })
    const tenants = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).tenant)
    expect(tenants).toEqual(['default', 'umbrella'])
    expect(readFileSync(keys, 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----/)
    expect((await cli('anchor', join(out, 'no', 'anchor.jsonl'))).err).toMatch(/cannot be written: its folder does not exist/)
  })

  it('make every projection again', async () => {
    expect((await cli('rebuild')).out).toBe('Made every projection again from 8 events.\n')
    expect(await json('rebuild')).toEqual({ code: 0, err: '', events: 8 })
    expect((await verified(data)).intact).toBe(true)
  })

  it('drop only what nothing has spoken of for a day', async () => {
    const database = openDatabase(join(data, 'onbook.db'))
    database.exec(
      `INSERT INTO objects (tenant, digest, written_at, size, bytes) VALUES ('default', x'00', '2020-01-01T00:00:00.000Z', 1, x'01')`,
    )
    database.exec(
      `INSERT INTO objects (tenant, digest, written_at, size, bytes) VALUES ('default', x'01', '2999-01-01T00:00:00.000Z', 1, x'01')`,
    )
    database.close()
    expect((await cli('collect')).out).toBe('Dropped 1 object that nothing spoke of for a day.\n')
    expect(await json('collect')).toEqual({ code: 0, err: '', collected: 0 })
  })
})

describe('onbook store erase', () => {
  it('takes the bytes away and keeps that it was done', async () => {
    expect(await json('erase', nameOf('text'), '--why', 'asked \u001b[31m for')).toEqual({ code: 0, err: '', erased: nameOf('text') })
    expect((await cli('object', nameOf('text'))).err).toBe(`onbook: The record has no object ${nameOf('text')}. Check the digest.\n`)
    const { out: audit } = await cli('events', 'audit')
    expect(audit).toMatch(
      /^0 {2}\S+ {2}object\.erased {2}cli:\S+ {2}\{"erasedHash":"sha256:[0-9a-f]{64}","why":"asked \\u001b\[31m for"\}\n$/,
    )
  })

  it.each([
    ['without a reason', () => [nameOf('text')], 'usage_invalid'],
    ['with an empty reason', () => [nameOf('text'), '--why', ' '], 'usage_invalid'],
    ['of what is not there', () => [`sha256:${'0'.repeat(64)}`, '--why', 'x'], 'object_missing'],
    ['of what is no digest', () => ['x', '--why', 'x'], 'usage_invalid'],
    ["of another tenant's object", () => [digestBytes(new TextEncoder().encode('not yours')), '--why', 'x'], 'object_missing'],
  ])('is refused %s, and nothing is written', async (_, args, error) => {
    expect(await json('erase', ...args())).toMatchObject({ code: 2, error })
    expect((await cli('events', 'audit')).err).toContain('There is no stream named audit')
  })
})

describe('onbook run export', () => {
  const check = async (file: string, ...args: readonly string[]) => {
    const child = spawn(process.execPath, [resolve('verify.mjs'), file, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', chunk => {
      text += chunk
    })
    const code = await new Promise(done => child.on('close', done))
    return { code, ...JSON.parse(text) }
  }

  it('writes what verify.mjs holds for whole, with big objects and with erased ones', async () => {
    const [file, after, keys] = [join(out, 'talk.jsonl'), join(out, 'after.jsonl'), join(out, 'onbook.pem')]
    await cli('anchor', join(out, 'anchor'), '--public-key', keys)
    expect(await json('export', 'talk', '--output', file)).toEqual({ code: 0, err: '', exported: file })
    expect(await check(file, '--public-key', keys)).toMatchObject({ code: 0, intact: true, unsealed: 0, events: 4, objects: 4, erased: 0 })
    for (const name of ['big', 'text'] as const) await cli('erase', nameOf(name), '--why', 'asked for')
    await cli('export', 'talk', '--output', after)
    expect(await check(after, '--public-key', keys)).toMatchObject({ code: 0, intact: true, events: 4, erased: 2 })
    expect(readFileSync(after, 'utf8')).not.toContain(Buffer.from(OBJECTS.text).toString('base64').slice(0, 20))
  })

  it('prints the same, and ends without a word when the reader has seen enough', async () => {
    const file = join(out, 'talk.jsonl')
    await cli('export', 'talk', '--output', file)
    expect((await cli('export', 'talk')).out).toBe(readFileSync(file, 'utf8'))
  })

  it.each([
    ['a stream that is not there', () => ['nothing', '--output', join(out, 'new')], 'run_missing'],
    ['a file that is', () => ['talk', '--output', join(data, 'onbook.db')], 'path_exists'],
    ['a folder that is not', () => ['talk', '--output', join(out, 'no', 'new')], 'file_unwritable'],
  ])('refuses %s, and leaves nothing behind', async (_, args, error) => {
    expect(await json('export', ...args())).toMatchObject({ code: 2, error })
    expect([readdirSync(out), (await verified(data)).intact]).toEqual([[], true])
  })
})

/** Appends to stream `busy` until it is stopped. */
const WRITER = (path: string) => `
  import { sqliteStore } from ${JSON.stringify(resolve('dist/adapters/sqlite-store/sqlite-store.js'))}
  const store = sqliteStore(${JSON.stringify(path)}, () => new Date().toISOString())
  let on = true
  process.on('SIGTERM', () => { on = false })
  for (let n = 0; on; n++) {
    await store.commit({ tenant: 'default', appends: [{ stream: 'busy', expected: n - 1, entries: [{ type: 'a.b', actor: 'x', payload: n }] }] })
    if (n === 0) console.log('writing')
  }
  await store.close()`

describe('onbook store backup', () => {
  it('is consistent and verified while a writer appends', async () => {
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER(join(data, 'onbook.db'))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise(done => writer.on('close', done))
    await new Promise(done => writer.stdout.once('data', done))
    const backups = ['one', 'two'].map(name => join(out, name))
    for (const file of backups) expect(await json('backup', file)).toEqual({ code: 0, err: '', backup: file })
    writer.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(readdirSync(out).sort()).toEqual(['one', 'two'])
    const events: number[] = []
    for (const file of backups) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const restored = join(out, `${file}-restored`)
      expect(await runCli(['restore', file, '--data', restored, '--json'])).toMatchObject({ code: 0, err: '' })
      const { intact, events: found } = await verified(restored)
      expect(intact).toBe(true)
      events.push(found)
    }
    expect(events[1]).toBeGreaterThan(events[0]!)
    expect((await verified(data)).events).toBeGreaterThanOrEqual(events[1]!)
  })

  it.each(['', '-wal', '-shm'])('never replaces a file, nor lies down beside a "%s"', async end => {
    writeFileSync(join(out, `b.db${end}`), 'mine')
    expect(await json('backup', join(out, 'b.db'))).toMatchObject({ code: 2, error: 'path_exists' })
    expect([readdirSync(out), readFileSync(join(out, `b.db${end}`), 'utf8')]).toEqual([[`b.db${end}`], 'mine'])
  })

  it('refuses to keep a copy that does not verify, unless it is told to', async () => {
    const database = openDatabase(join(data, 'onbook.db'))
    database.exec('DELETE FROM events WHERE seq = 1')
    database.close()
    const { code, out: said, err } = await cli('backup', join(out, 'b.db'))
    expect([code, said, readdirSync(out)]).toEqual([1, '', []])
    expect(err).toMatch(/sequence_broken[\s\S]*Nothing was written\. With --broken it is kept as it is\.\n$/)
    expect(await json('backup', join(out, 'b.db'))).toMatchObject({ code: 1, intact: false })
    expect((await cli('backup', join(out, 'b.db'), '--broken')).out).toMatch(/^Wrote .*b\.db, whether it verifies or not\./)
    expect(readdirSync(out)).toEqual(['b.db'])
  })

  it('says why when it cannot write there', async () => {
    const { code, err } = await cli('backup', join(out, 'no', 'b.db'))
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^onbook: .*no\/b\.db could not be read or written: its folder does not exist\.\n$/),
    ])
  })
})

describe('onbook store restore', () => {
  const restore = (file: string, to: string, ...args: readonly string[]) => runCli(['restore', file, '--data', to, ...args])

  it.each(['onbook.db', 'onbook.db-wal', 'onbook.db-shm'])('refuses a folder with %s in it', async name => {
    await cli('backup', join(out, 'b.db'))
    mkdirSync(join(out, 'to'))
    writeFileSync(join(out, 'to', name), 'mine')
    const { code, err } = await restore(join(out, 'b.db'), join(out, 'to'))
    expect([code, err]).toEqual([
      2,
      `onbook: ${join(out, 'to', name)} exists already; nothing was written. Remove it, or choose another path.\n`,
    ])
    expect([readdirSync(join(out, 'to')), readFileSync(join(out, 'to', name), 'utf8')]).toEqual([[name], 'mine'])
  })

  it('refuses a broken backup unless it is told to', async () => {
    const file = join(out, 'b.db')
    await cli('backup', file)
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(8192, 'damage '), 0, 8192, Math.floor(statSync(file).size / 2 / 8192) * 8192)
    const { code, err } = await restore(file, join(out, 'to'))
    expect([code, existsSync(join(out, 'to', 'onbook.db'))]).toEqual([1, false])
    expect(err).toMatch(/BROKEN in \d+ places?\nNothing was written\./)
    expect(await restore(file, join(out, 'to'), '--broken')).toMatchObject({
      code: 0,
      out: expect.stringContaining('whether it verifies or not'),
    })
    expect((await verified(join(out, 'to'))).intact).toBe(false)
  })

  it.each([
    ['is not there', () => join(out, 'nothing'), /does not exist/],
    ['is a folder', () => out, /it is not a file/],
    ['is empty', () => emptyFile(), /it is empty/],
  ])('refuses a backup that %s', async (_, file, says) => {
    const { code, err } = await restore(file(), join(out, 'to'))
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
    expect(existsSync(join(out, 'to', 'onbook.db'))).toBe(false)
  })
  const emptyFile = () => {
    writeFileSync(join(out, 'empty'), '')
    return join(out, 'empty')
  }

  it('refuses a text, and a record that is in use: a part of it is in the log beside it', async () => {
    writeFileSync(join(out, 'text'), 'hello '.repeat(2000))
    expect(await restore(join(out, 'text'), join(out, 'to'))).toMatchObject({ code: 1, err: expect.stringContaining('store_corrupt') })
    const database = openDatabase(join(data, 'onbook.db'))
    database.exec(`INSERT INTO settings VALUES ('in', 'use')`)
    cpSync(data, join(out, 'live'), { recursive: true })
    expect(await restore(join(out, 'live', 'onbook.db'), join(out, 'to'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('it is in use'),
    })
    database.close()
    expect(existsSync(join(out, 'to', 'onbook.db'))).toBe(false)
  })
})
