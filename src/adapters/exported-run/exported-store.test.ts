// A run file answers like the store that it came from; every change to the file is found and named.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyFile } from '../../../verify.mjs'
import { verifyRunFile } from '../../cli/record/verify-run-file.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { nameWithLine, writeEndLine } from '../../core/record/run-file.ts'
import { runStream } from '../../core/run/events.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import { sealStore } from '../../engine/record/seal.ts'
import { exportRun } from '../../engine/run-files/export-run.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { clock } from '../../testing/stores/sqlite-place.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { fileKeyring } from '../keys/file-keyring.ts'
import { signatureChecker } from '../keys/public-keys.ts'
import { exportedStore } from './exported-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-run-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const GRAPH = {
  id: 'work',
  mode: 'implementation',
  objective: 'Work.',
  nodes: [{ id: 'first' }, { id: 'second' }],
  edges: [{ from: 'first', to: 'second' }],
}
const keyring = fileKeyring(join(folder, 'keys'), clock)
let house: RunHouse
let text: string
let lines: readonly string[]

const exported = async (store: Store, without?: ReadonlySet<Digest>, runId = 'r1'): Promise<string> => {
  const found: string[] = []
  for await (const line of exportRun(store, { tenant: TENANT, runId, withPolicy: true, ...(without && { without }) })) found.push(line)
  return found.join('')
}

let made = 0
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++made}.jsonl`)
  writeFileSync(path, content)
  return path
}

function pipeAt(path: string): string {
  execFileSync('mkfifo', [path])
  return path
}

/** With an end that fits: what is left to find is what the file says. */
function ended(all: readonly string[]): string {
  const name = all.reduce<Digest | ''>((before, line) => nameWithLine(before, line), '')
  return [...all, writeEndLine(name as Digest), ''].join('\n')
}

const breaksIn = async (content: string | Uint8Array) => {
  const path = fileOf(content)
  const { intact, breaks } = await verifyRunFile(path, null, false)
  expect([intact, (await verifyFile(path)).intact]).toEqual([breaks.length === 0, breaks.length === 0])
  return breaks.map(({ stream, sequence, line, digest, code }) =>
    [code, stream, sequence ?? null, line === undefined ? null : `line ${line}`, digest ?? null].filter(part => part !== null).join(' '),
  )
}

beforeAll(async () => {
  house = runHouse(({ time }) =>
    time === 1 ? { tools: [{ toolName: 'probe', arguments: { say: 'ä'.repeat(150_000) } }] } : `Done, ${'word '.repeat(80_000)}`,
  )
  await house.go(GRAPH)
  await sealStore(house.store, keyring)
  text = await exported(house.store)
  lines = text.trimEnd().split('\n')
  return async () => {
    await house.close()
    await house.store.close()
  }
})

const readAll = async (store: Store, stream: string) => {
  const all: string[] = []
  for await (const { bytes } of store.read(TENANT, stream, -1)) all.push(new TextDecoder().decode(bytes))
  return all
}

describe('an exported run', () => {
  it('is the same file every time', async () => {
    expect(await exported(house.store)).toBe(text)
  })

  it('answers as the store does that it comes from, and can be exported again', async () => {
    const { store, header } = await exportedStore(fileOf(text))
    expect([header.tenant, header.run]).toEqual([TENANT, 'r1'])
    for (const stream of [runStream('r1')]) {
      expect(await readAll(store, stream)).toEqual(await readAll(house.store, stream))
      expect(await store.head(TENANT, stream)).toEqual(await house.store.head(TENANT, stream))
    }
    const digests = new Set(lines.slice(1).flatMap(line => /^\{"digest":"([^"]+)"/.exec(line)?.[1] ?? []))
    expect(digests.size).toBeGreaterThan(20)
    for (const digest of digests) expect(digestText(new TextDecoder().decode(await store.object(TENANT, digest as Digest)))).toBe(digest)
    await expect(store.object('umbrella', [...digests][0] as Digest)).rejects.toMatchObject({ code: 'object_missing' })
    await expect(store.commit({ tenant: TENANT })).rejects.toMatchObject({ code: 'run_file_read_only' })
    expect(await exported(store)).toBe(text)
    await store.close()
  })

  it('is sealed by the checkpoints that go with it, for whoever has the key', async () => {
    const path = fileOf(text)
    const check = signatureChecker(await keyring.publicKeys())
    expect(await verifyRunFile(path, check, true)).toMatchObject({ intact: true, unsealed: 0, streams: 1, erased: 0 })
    const { events, unsealed } = await verifyRunFile(path, null, false)
    expect(unsealed).toBe(events)
    // An independent verifier, without code of this project, reports the same.
    const publicKeys = (await keyring.publicKeys()).map(({ pem }) => pem).join('\n')
    const { moreBreaks: _, ...counts } = await verifyRunFile(path, check, true)
    expect(await verifyFile(path, { publicKeys })).toEqual(counts)
    const stranger = signatureChecker(
      await fileKeyring(join(folder, 'other'), clock)
        .sign(new Uint8Array())
        .then(() => fileKeyring(join(folder, 'other'), clock).publicKeys()),
    )
    expect((await verifyRunFile(path, stranger, true)).breaks.map(({ code }) => code)).toEqual(['checkpoint_key_unknown'])
  })

  it('names what was erased, and what is kept back', async () => {
    const erased = JSON.parse(lines.find(line => line.startsWith('{"digest"'))!).digest as Digest
    const path = fileOf(await exported(house.store, new Set([erased])))
    const run = await exportedStore(path)
    expect(run.erased).toEqual([erased])
    await expect(run.store.object(TENANT, erased)).rejects.toMatchObject({ code: 'object_missing' })
    await run.store.close()
    expect(await verifyRunFile(path, null, false)).toMatchObject({ intact: true, erased: 1 })
  })

  it('is refused for a run that is not there', async () => {
    await expect(exported(house.store, undefined, 'nobody')).rejects.toMatchObject({ code: 'run_missing' })
  })
})

describe('a run file that somebody changed', () => {
  it('is found out whichever byte it was', async () => {
    const small = runHouse(() => 'Done.')
    await small.go({ id: 'work', nodes: [{ id: 'only' }] })
    const whole = Buffer.from(await exported(small.store))
    await small.close()
    await small.store.close()
    const unnoticed: number[] = []
    for (let at = 0; at < whole.length; at += 211) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      const path = join(folder, 'changed.jsonl')
      writeFileSync(path, changed)
      await exportedStore(path).then(
        ({ store }) => {
          unnoticed.push(at)
          return store.close()
        },
        error => expect(error).toMatchObject({ code: expect.stringMatching(/^run_file_(broken|unknown)$/) }),
      )
    }
    expect(unnoticed).toEqual([])
  })

  const eventLine = (stream: string, seq: number) => lines.findIndex(line => line.includes(`"stream":"${stream}","seq":${seq},"type"`))
  /** The line of an object that fits into one line. */
  const objectLine = () =>
    lines.findIndex((line, at) => line.startsWith('{"digest"') && !line.includes('"more"') && !lines[at - 1]!.startsWith(line.slice(0, 80)))
  const swapped = (at: number, change: (line: string) => string | readonly string[]) =>
    ended(lines.slice(0, -1).flatMap((line, index) => (index === at ? change(line) : [line])))

  it('is named by event, by object, by line', async () => {
    const [event, object] = [eventLine('run/r1', 3), objectLine()]
    const { digest } = JSON.parse(lines[object]!)
    expect(await breaksIn(swapped(event, line => line.replace('"actor":"', '"actor":"m')))).toContain('chain_broken run/r1 3')
    expect((await breaksIn(swapped(event, () => [])))[0]).toBe('sequence_broken run/r1 3')
    expect(await breaksIn(swapped(object, line => line.replace(/"base64":"[^"]+"/, '"base64":"AAAA"')))).toEqual([
      expect.stringMatching(new RegExp(`^object_corrupt .*${digest}$`)),
    ])
    expect(await breaksIn(swapped(object, () => []))).toEqual([expect.stringMatching(new RegExp(`^object_missing .*${digest}$`))])
    expect(await breaksIn(swapped(object, line => [line, line]))).toEqual([`store_corrupt line ${object + 2}`])
    expect(await breaksIn(swapped(0, line => line.replace('"leftOut":[]', '"leftOut": []')))).toEqual(['store_corrupt line 1'])
  })

  it('may not bring what nothing speaks of', async () => {
    const [own, base64] = [digestText('planted'), Buffer.from('planted').toString('base64')]
    const all = lines.slice(0, -1)
    const at = all.findIndex(line => line.startsWith('{"digest"') && JSON.parse(line).digest > own)
    const planted = [...all.slice(0, at), JSON.stringify({ digest: own, base64 }), ...all.slice(at)]
    expect(await breaksIn(ended(planted))).toEqual([`reference_unknown ${own}`])
  })

  it('may not say what a checkpoint does not', async () => {
    const at = lines.findIndex(line => line.includes('"type":"checkpoint.signed"'))
    const forged = swapped(at, line => line.replace(/"signature":"./, '"signature":"_'))
    const check = signatureChecker(await keyring.publicKeys())
    expect((await verifyRunFile(fileOf(forged), check, true)).breaks.map(({ code }) => code)).toEqual(['checkpoint_forged'])
    const other = swapped(at, line => line.replaceAll(/("headHash":"sha256:)./g, '$1_'))
    expect((await breaksIn(other)).every(one => one.startsWith('checkpoint_differs'))).toBe(true)
    expect((await breaksIn(other)).length).toBe(1)
  })
})

describe('a file from anywhere', () => {
  const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`
  it.each<[string, () => string | Uint8Array]>([
    ['nothing', () => ''],
    ['no line', () => 'x'],
    ['a line without end', () => 'x'.repeat(9 * 1024 * 1024)],
    ['bytes that are no text', () => Buffer.from([0xff, 0xfe, 10])],
    ['a header that is deep', () => `{"onbook":"run","v":1,"tenant":${deep(200_000)}}\n`],
    [
      'a header with other types',
      () => `${JSON.stringify({ onbook: 'run', v: 1, tenant: {}, run: 7, streams: {}, checkpoints: -1, leftOut: 0 })}\n`,
    ],
    ['a run that is named like a path', () => text.replace('"run":"r1"', '"run":"../r1"')],
    ['a run that is not in it', () => `${lines[0]!.replace('"run":"r1"', '"run":"r2"')}\n`],
    ['a header alone', () => `${lines[0]}\n`],
    [
      'a header with a stream twice',
      () => `${lines[0]!.replace('"streams":[', `"streams":[${JSON.stringify(JSON.parse(lines[0]!).streams[0])},`)}\n`,
    ],
    ['events without number', () => `${lines[0]!.replace(/"events":\d+/, '"events":9007199254740991')}\n${'1\n'.repeat(5_000)}`],
    ['checkpoints without number', () => `${lines[0]!.replace(/"checkpoints":\d+/, '"checkpoints":9007199254740991')}\n`],
    ['events that are deep', () => ended([lines[0]!, ...Array(50).fill(deep(100_000))])],
    ['a file that goes on', () => `${text}{"more":1}\n`],
    ['half a file', () => text.slice(0, text.length / 2)],
    ['no end', () => `${lines.slice(0, -1).join('\n')}\n`],
    ['a stream file', () => `${JSON.stringify({ onbook: 'stream', v: 1 })}\n`],
  ])('is refused, and nothing worse: %s', async (_, content) => {
    const path = fileOf(content())
    await expect(exportedStore(path)).rejects.toMatchObject({ code: expect.stringMatching(/^run_file_(broken|unknown)$/) })
    const { intact, breaks } = await verifyRunFile(path, null, false)
    expect([intact, breaks.length > 0, (await verifyFile(path)).intact]).toEqual([false, true, false])
  })

  it.each([
    ['a folder', () => folder],
    ['no file', () => join(folder, 'none')],
    ['a pipe that nobody writes to', () => pipeAt(join(folder, 'pipe'))],
  ])('says so of %s', async (_, path) => {
    await expect(exportedStore(path())).rejects.toBeInstanceOf(Fault)
  })
})

it('says of an erased object that it was, in a run that goes out later', async () => {
  const reply = JSON.parse(
    readFileSync(fileOf(text), 'utf8')
      .split('\n')
      .find(line => line.includes('"type":"step.settled"'))!,
  )
  const digest = reply.payload.receipt as Digest
  await eraseObject(house.store, { tenant: TENANT, digest, actor: 'ada', why: 'asked for' })
  const { store, erased } = await exportedStore(fileOf(await exported(house.store)))
  expect(erased).toEqual([digest])
  await store.close()
})
