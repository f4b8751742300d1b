// An exported stream holds everything that can be reached from it, and a reader of the file can check that.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verifyFile } from '../../../verify.mjs'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { eraseObject } from './erase.ts'
import { exportStream } from './export-stream.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-export-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const encode = (text: string) => new TextEncoder().encode(text)
const nodeOf = (links: Json, more = '') => encode(JSON.stringify({ $node: 'test', links, more }))

const leaves = Array.from({ length: 20 }, (_, n) => encode(`leaf ${n}`))
const folders = Array.from({ length: 5 }, (_, n) => nodeOf(leaves.slice(n * 4, n * 4 + 4).map(digestBytes)))
const large = nodeOf(folders.map(digestBytes), 'x'.repeat(700_000))
const [plain, elsewhere] = [encode('{"node":1}'), encode('not from here')]
const roots = [nodeOf([digestBytes(large), digestBytes(leaves[0]!)]), nodeOf([digestBytes(folders[0]!)])]
const tree = [...leaves, ...folders, large, plain, ...roots]

async function exported(store: Store): Promise<{ readonly text: string; readonly digests: readonly Digest[] }> {
  const lines: string[] = []
  for await (const line of exportStream(store, 'acme', 's')) lines.push(line)
  const objects = lines.filter(line => line.startsWith('{"digest":') && !line.includes('"more":true}'))
  return { text: lines.join(''), digests: objects.map(line => JSON.parse(line).digest) }
}

async function verified(text: string) {
  const path = join(folder, 'stream.jsonl')
  writeFileSync(path, text)
  const { breaks, objects, erased } = await verifyFile(path)
  return { breaks, objects, erased }
}

const stores: Readonly<Record<string, () => Store>> = { memory: () => memoryStore(clock), SQLite: () => sqliteStore(freshPath(), clock) }

it.each(Object.entries(stores))('takes what nodes speak of along from %s, each once and in order', async (_, open) => {
  const store = open()
  const payload = [digestBytes(plain), ...roots.map(digestBytes)]
  const entries = [{ type: 'a.b', actor: 'x', payload }]
  await store.commit({ tenant: 'acme', objects: [...tree, elsewhere], appends: [{ stream: 's', expected: -1, entries }] })
  const whole = await exported(store)
  expect(whole.digests).toEqual(tree.map(digestBytes).sort())
  expect(await verified(whole.text)).toEqual({ breaks: [], objects: tree.length, erased: 0 })

  for (const gone of [leaves[3]!, folders[1]!])
    await eraseObject(store, { tenant: 'acme', digest: digestBytes(gone), actor: 'x', why: 'so' })
  const less = await exported(store)
  const unreachable = leaves.slice(4, 8).map(digestBytes)
  expect(less.digests).toEqual(whole.digests.filter(digest => !unreachable.includes(digest)))
  expect(await verified(less.text)).toEqual({ breaks: [], objects: tree.length - 4, erased: 2 })
  await store.close()
})
