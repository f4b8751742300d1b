// Tests that a signed history cannot be rewritten without a key. forged.deep.test.ts is the complete version.
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { change, copyFolder, forgetSeals, removeCopies, rewriteStream } from '../../testing/mutations/forge.ts'
import { appendTo, sampleRecord } from '../../testing/stores/sample-record.ts'

let [folder, anchor, keys] = ['', '', '']
beforeAll(async () => {
  folder = await sampleRecord()
  const elsewhere = await mkdtemp(join(tmpdir(), 'onbook-elsewhere-'))
  ;[anchor, keys] = [join(elsewhere, 'anchor.jsonl'), join(elsewhere, 'keys.pem')]
  expect((await runCli(['anchor', anchor, '--public-key', keys, '--data', folder])).code).toBe(0)
})
afterAll(removeCopies)

const talk = (seq: number) => ({ tenant: 'default', stream: 'talk', seq })
const codesIn = (out: string) => (JSON.parse(out) as { breaks: { code: string }[] }).breaks.map(({ code }) => code)

describe('a record rewritten without a key', () => {
  it('reliability D1: is not signed by the next checkpoint, is found by verify, and the other streams are still signed', async () => {
    const copy = copyFolder(folder)
    change(copy, database => {
      rewriteStream(database, talk(1))
      forgetSeals(database)
    })
    await appendTo(copy, 'odd', 'written since')
    const signing = await runCli(['checkpoint', '--data', copy])
    expect([signing.code, signing.out]).toEqual([1, 'Signed 1 stream.\n'])
    expect(signing.err).toContain('default talk 3 checkpoint_differs\nRECORD TAMPERED WITH: 1 stream not signed')
    const kept = readFileSync(anchor, 'utf8')
    const anchoring = await runCli(['anchor', anchor, '--data', copy])
    expect([anchoring.code, anchoring.err]).toEqual([1, expect.stringContaining(`${anchor} was not written`)])
    expect(readFileSync(anchor, 'utf8')).toBe(kept)
    await runCli(['rebuild', '--data', copy])
    const found = await runCli(['verify', '--json', '--data', copy])
    expect([found.code, codesIn(found.out)]).toEqual([1, ['checkpoint_differs']])
    const anchored = await runCli(['verify', '--json', '--data', copy, '--anchor', anchor, '--public-key', keys])
    expect(codesIn(anchored.out)).toEqual(['checkpoint_differs', 'anchor_differs'])
  })

  it('reliability D13: a planted trigger, view, table or index is a break, and no command writes to a file with a trigger', async () => {
    const copy = copyFolder(folder)
    change(copy, database => {
      database.exec('CREATE TRIGGER evil AFTER INSERT ON events BEGIN UPDATE objects SET bytes = NULL; END')
      database.exec('CREATE VIEW seen AS SELECT * FROM answers; CREATE TABLE mine (x); CREATE INDEX quick ON events (seq)')
    })
    const found = await runCli(['verify', '--data', copy])
    expect(found.code).toBe(1)
    for (const name of ['trigger evil', 'view seen', 'table mine', 'index quick']) expect(found.out).toContain(`(${name})`)
    const writing = await runCli(['checkpoint', '--json', '--data', copy])
    expect([writing.code, JSON.parse(writing.out)]).toMatchObject([2, { error: 'store_altered' }])
  })

  it('reliability D13: rows that nothing proves are named, and a table without its declaration is a break', async () => {
    const copy = copyFolder(folder)
    change(copy, database => database.exec("INSERT INTO answers VALUES ('default', 'k', '{}'); INSERT INTO settings VALUES ('x', 'y')"))
    const { out } = await runCli(['verify', '--json', '--data', copy])
    expect(JSON.parse(out)).toMatchObject({ unproven: { answers: 1 }, breaks: [{ code: 'schema_unknown', table: 'setting x' }] })
    change(copy, database => database.exec('DELETE FROM settings; CREATE TABLE p_keys (x)'))
    expect(codesIn((await runCli(['verify', '--json', '--data', copy])).out)).toEqual(['schema_unknown'])
  })
})

it('reliability D1: a host on whose record a stream is rewritten says so in its log at the next checkpoint, and names the stream', async () => {
  const copy = copyFolder(folder)
  let isRewritten = false
  const { code, out, err } = await runCli(['serve', '--port', '0', '--json', '--data', copy], {
    cwd: copy,
    during: child =>
      child.stdout!.on('data', data => {
        if (isRewritten || !String(data).includes('"url"')) return
        isRewritten = true
        change(copy, database => {
          rewriteStream(database, talk(1))
          forgetSeals(database)
        })
        // A host that stops makes a checkpoint.
        child.kill('SIGTERM')
      }),
  })
  const lines = `${out}\n${err}`.split('\n').filter(line => line.includes('RECORD TAMPERED WITH'))
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ tenant: 'default', stream: 'talk', code: 'checkpoint_differs' }])
  expect(lines[0]).toContain('onbook verify')
  expect(code).toBe(0)
})
