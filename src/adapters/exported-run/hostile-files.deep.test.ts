// Forged run files: both verifiers report every change, and neither is harmed.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyFile } from '../../../verify.mjs'
import { verifyRunFile } from '../../cli/record/verify-run-file.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { nameWithLine, writeEndLine } from '../../core/record/run-file.ts'
import { exportRun } from '../../engine/run-files/export-run.ts'
import { runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { exportedStore } from './exported-store.ts'

const HISTORY = 'fixtures/histories/workshop.v0.1.jsonl'
const folder = mkdtempSync(join(tmpdir(), 'onbook-hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A run of one node with a one-word reply, in a lasting session: the file has two streams. */
let small: Buffer
let lines: readonly string[]
beforeAll(async () => {
  const house = runHouse(() => 'Done.')
  const { phase } = await house.go({ id: 'work', objective: 'Say one word.', nodes: [{ id: 'only', session: 'desk' }] })
  expect(phase).toBe('completed')
  const all: string[] = []
  for await (const line of exportRun(house.store, { tenant: TENANT, runId: 'r1', withPolicy: false })) all.push(line)
  await house.close()
  await house.store.close()
  small = Buffer.from(all.join(''))
  lines = all.map(line => line.slice(0, -1))
})

const path = join(folder, 'run.jsonl')
/** Whether each of the two finds it intact. */
async function judged(content: string | Buffer): Promise<readonly [ours: boolean, script: boolean]> {
  writeFileSync(path, content)
  return [(await verifyRunFile(path, null, false)).intact, (await verifyFile(path)).intact]
}

/** With an end that fits: what is left to find is what the file says. */
const ended = (all: readonly string[]): string => {
  const name = all.reduce<Digest | ''>((before, line) => nameWithLine(before, line), '')
  return [...all, writeEndLine(name as Digest), ''].join('\n')
}
const body = () => lines.slice(0, -1)
const swapped = (at: number, ...others: readonly string[]) => ended(body().toSpliced(at, 1, ...others))
const objectsAt = () => lines.findIndex(line => line.startsWith('{"digest"'))

it('is intact as it was exported, for both', async () => {
  expect(await judged(small)).toEqual([true, true])
  expect(await judged(ended(body()))).toEqual([true, true])
  const sealed = { publicKeys: readFileSync(HISTORY.replace('.jsonl', '.pem'), 'utf8') }
  const { unsealed, ...counts } = await verifyFile(HISTORY, sealed)
  expect(await verifyRunFile(HISTORY, null, false)).toMatchObject({ ...counts, unsealed: counts.events })
  expect(unsealed).toBeLessThan(counts.events)
})

it('is not, wherever it is cut off', async () => {
  const whole: number[] = []
  // Every byte of its first and last lines, and of the rest some.
  for (let at = 0; at < small.length; at += at < 600 || at > small.length - 200 ? 1 : 97) {
    const [ours, script] = await judged(small.subarray(0, at))
    if (ours || script) whole.push(at)
  }
  expect(whole).toEqual([])
})

it('is not, whichever bit is turned', async () => {
  const unnoticed: number[] = []
  for (let at = 0; at < small.length; at += 173) {
    const changed = Buffer.from(small)
    changed[at]! ^= 1 << (at % 7)
    const [ours, script] = await judged(changed)
    if (ours || script) unnoticed.push(at)
  }
  expect(unnoticed).toEqual([])
})

describe('is refused by both', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const header = () => JSON.parse(lines[0]!)
  const withHeader = (change: object) => swapped(0, JSON.stringify({ ...header(), ...change }))
  it.each<[string, () => string | Buffer]>([
    ['two headers', () => swapped(0, lines[0]!, lines[0]!)],
    ['a key twice in the header', () => swapped(0, lines[0]!.replace('"run":"r1"', '"run":"r2","run":"r1"'))],
    ['a key twice in an event', () => swapped(1, lines[1]!.replace('"v":1', '"v":2,"v":1'))],
    ['a key more in an event', () => swapped(1, lines[1]!.replace('"v":1', '"v":1,"x":1'))],
    ['a key twice in an object', () => swapped(objectsAt(), lines[objectsAt()]!.replace('"base64"', '"base64":"","base64"'))],
    ['objects in another order', () => swapped(objectsAt(), lines[objectsAt() + 1]!, lines[objectsAt()]!)],
    ['an object twice', () => swapped(objectsAt(), lines[objectsAt()]!, lines[objectsAt()]!)],
    [
      'an object in a spelling that decodes to the same',
      () =>
        swapped(
          objectsAt(),
          lines[objectsAt()]!.replace(/=*"\}$/, m => (m === '"}' ? '\\n"}' : '"}')),
        ),
    ],
    ['an object before the events', () => ended([lines[0]!, lines[objectsAt()]!, ...body().slice(1)])],
    ['streams in another order', () => withHeader({ streams: [...header().streams].reverse() })],
    ['a stream twice', () => withHeader({ streams: [header().streams[0], ...header().streams] })],
    ['a stream without events', () => withHeader({ streams: [...header().streams, { ...header().streams[0], stream: 'x', events: 0 }] })],
    [
      'a head that is another',
      () => withHeader({ streams: header().streams.map((one: object) => ({ ...one, head: `sha256:${'0'.repeat(64)}` })) }),
    ],
    ['objects that are not promised', () => withHeader({ streams: header().streams.map((one: object) => ({ ...one, objects: false })) })],
    ['more checkpoints than there are', () => withHeader({ checkpoints: 3 })],
    ['a run that is named like a path', () => withHeader({ run: '../x' })],
    ['a run that is named like a folder', () => withHeader({ run: '..' })],
    ['a version that is not known', () => withHeader({ v: 2 })],
    [
      'more streams than there may be',
      () =>
        withHeader({
          streams: Array.from({ length: 20_001 }, (_, n) => ({ ...header().streams[0], stream: `s${String(n).padStart(6, '0')}` })),
        }),
    ],
    ['a header that is deep', () => swapped(0, `{"onbook":"run","v":1,"tenant":${deep}}`)],
    ['an event that is deep', () => swapped(1, deep)],
    ['a line that is too long', () => swapped(1, 'x'.repeat(9 * 1024 * 1024))],
    ['a hundred thousand lines', () => ended([...body(), ...Array<string>(100_000).fill('{}')])],
    ['a byte order mark', () => `\ufeff${small}`],
    ['line ends of another system', () => small.toString().replaceAll('\n', '\r\n')],
    ['something after the end', () => `${small}\n`],
    ['two ends', () => `${small}${lines.at(-1)}\n`],
    ['itself, packed', () => gzipSync(small)],
    ['a packed file that would be huge', () => gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['zeros', () => Buffer.alloc(1024 * 1024)],
  ])('%s', async (_, content) => expect(await judged(content())).toEqual([false, false]))
})

describe('what is no file', () => {
  it.each<[string, (path: string) => void]>([
    ['a folder', path => void mkdirSync(path)],
    ['a pipe that nobody writes to', path => void execFileSync('mkfifo', [path])],
    ['a link that leads nowhere', path => symlinkSync('nowhere', path)],
    ['a link to itself', path => symlinkSync(path, path)],
    ['a device', path => symlinkSync('/dev/zero', path)],
  ])('is not waited for: %s', async (name, make) => {
    const path = join(folder, name)
    make(path)
    await expect(exportedStore(path)).rejects.toMatchObject({ code: 'file_unreadable' })
  })

  it('is read through a link', async () => {
    const path = join(folder, 'link')
    writeFileSync(join(folder, 'linked.jsonl'), small)
    symlinkSync('linked.jsonl', path)
    const { store, header } = await exportedStore(path)
    expect(header.run).toBe('r1')
    await store.close()
  })
})
