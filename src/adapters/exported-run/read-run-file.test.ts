// Checkpoints of a run file that are unsigned or repeated: both verifiers agree, and reading takes no longer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verifyFile } from '../../../verify.mjs'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { emptyHead, writeEvent } from '../../core/record/event.ts'
import { nameWithLine, runFileHeader, writeEndLine } from '../../core/record/run-file.ts'
import { openFile } from './lines.ts'
import { type FileBreak, readRunFile } from './read-run-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-sealed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const SIGNATURE = Buffer.alloc(64, 1).toString('base64url')
const [TENANT, AT] = ['acme', '2026-01-01T00:00:00.000Z']

/** A stream of one event, and checkpoints that name it, each several times. */
function sealedFile(checkpoints: number, heads: number, signature: string): string {
  const draft = { type: 'x', actor: 'a', cause: null, payload: { x: 'y'.repeat(900_000) } }
  const { event, bytes, text } = writeEvent(emptyHead(TENANT, 'run/r1'), draft, AT)
  const head = digestBytes(bytes)
  const spoken = Array.from({ length: heads }, () => ({ stream: event.stream, seq: 0, headHash: head }))
  const seal = { type: 'checkpoint.signed', actor: 'a', cause: null, payload: { heads: spoken, key: 'sign-0123456789abcdef', signature } }
  const checkpoint = writeEvent(emptyHead(TENANT, 'checkpoints'), seal, AT).text
  const streams = [{ tenant: TENANT, stream: event.stream, events: 1, head, objects: false }]
  const header = runFileHeader({ tenant: TENANT, run: 'r1', streams, checkpoints, leftOut: [] })
  const lines = [header, text, ...Array.from({ length: checkpoints }, () => checkpoint)]
  return [...lines, writeEndLine(lines.reduce<Digest | ''>((name, line) => nameWithLine(name, line), '') as Digest), ''].join('\n')
}

/** The reports of both verifiers, and the ratio of bytes read to the file's size. */
async function judged(...sealed: Parameters<typeof sealedFile>) {
  const path = join(folder, 'sealed.jsonl')
  const content = sealedFile(...sealed)
  writeFileSync(path, content)
  const file = await openFile(path)
  let read = 0
  const counted = {
    read: async (...args: Parameters<FileHandle['read']>) => {
      const found = await file.read(...args)
      read += found.bytesRead
      return found
    },
  } as unknown as FileHandle
  const breaks: FileBreak[] = []
  await readRunFile(counted, found => breaks.push(found))
  await file.close()
  return {
    ours: breaks.map(({ code }) => code),
    script: (await verifyFile(path)).breaks.map(({ code }) => code),
    times: read / content.length,
  }
}

it('reads a file once, however often its checkpoints speak of an event', async () => {
  const { ours, script, times } = await judged(500, 1, SIGNATURE)
  expect([ours, script]).toEqual([[], []])
  expect(times).toBeLessThan(3)
})

it.each([
  ['speaks of a stream twice', 2, SIGNATURE],
  ['has no signature', 1, ''],
  ['has half a signature', 1, SIGNATURE.slice(0, 40)],
])('a checkpoint that %s is forged, for both', async (_, heads, signature) => {
  const { ours, script } = await judged(1, heads, signature)
  expect([ours, script]).toEqual([['checkpoint_forged'], ['checkpoint_forged']])
})
