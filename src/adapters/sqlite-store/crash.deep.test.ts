// Writers are killed under load, again and again. What they were told is written must be there, and nothing must be torn.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import { emptyHead, readEvent } from '../../core/record/event.ts'
import type { Store } from '../../ports.ts'
import { sqliteStore } from './sqlite-store.ts'

const KILLS = 200
const WRITER = resolve('src/testing/record-writer.mjs')

interface Acknowledged {
  readonly stream: string
  readonly seq: number
  readonly head: string
  readonly digest: Digest
}

interface Writer {
  readonly child: ChildProcess
  readonly output: Promise<string>
  readonly running: Promise<void>
}

function startWriter(path: string, name: string): Writer {
  const child = spawn(process.execPath, [WRITER, path, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  const running = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', code => reject(new Error(`${name} ended by itself with ${code}`)))
  })
  child.stdout.on('data', chunk => {
    text += chunk
  })
  return { child, running, output: new Promise(resolve => child.on('close', () => resolve(text))) }
}

/** The last line may be torn: it was not said whole, so nothing was promised. */
const acknowledgedIn = (text: string): Acknowledged[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => {
      const [stream, seq, head, digest] = line.split(' ')
      return { stream: stream!, seq: Number(seq), head: head!, digest: digest as Digest }
    })

async function checkStreams(store: Store): Promise<Map<string, readonly string[]>> {
  const digests = new Map<string, readonly string[]>()
  for (const { stream, seq } of await store.streams('acme')) {
    let head = emptyHead('acme', stream)
    const found: string[] = []
    for await (const { bytes } of store.read('acme', stream, -1)) {
      const read = readEvent(head, bytes)
      if (!read.ok) throw new Error(`${stream} ${head.seq + 1}: ${read.fault}`)
      head = read.head
      found.push(head.digest!)
    }
    expect(head.seq, `${stream} ends where its head says`).toBe(seq)
    digests.set(stream, found)
  }
  return digests
}

it(
  `loses nothing it acknowledged in ${KILLS} kills of writers under load, two at a time`,
  async () => {
    let kills = 0
    let promised = 0
    while (kills < KILLS) {
      const path = join(mkdtempSync(join(tmpdir(), 'onbook-crash-')), 'onbook.db')
      const told: Acknowledged[] = []
      // Ten rounds on one file: each goes on from what the one before left behind.
      for (let round = 0; round < 10 && kills < KILLS; round++) {
        const writers = [startWriter(path, `a${round}`), startWriter(path, `b${round}`)]
        await Promise.all(writers.map(({ running }) => running))
        for (const { child } of writers) {
          await new Promise(resume => setTimeout(resume, Math.random() * 60))
          child.kill('SIGKILL')
          kills++
        }
        for (const { output } of writers) told.push(...acknowledgedIn(await output))
      }
      const store = sqliteStore(path, () => new Date().toISOString())
      const digests = await checkStreams(store)
      for (const { stream, seq, head, digest } of told) {
        expect(digests.get(stream)?.[seq], `${stream} ${seq}`).toBe(head)
        await store.object('acme', digest)
      }
      promised += told.length
      await store.close()
    }
    console.log({ kills, promised })
    expect(promised).toBeGreaterThan(KILLS)
  },
  20 * 60_000,
)
