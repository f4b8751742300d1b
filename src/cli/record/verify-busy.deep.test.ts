// Tests verifying a record while another connection writes to it.
import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { verifyFile } from '../../book/verify-file.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ type: 'thing.happened', actor: 'ada', payload: { n } }))

it('reliability D8: the log beside the file does not grow for as long as a verification takes', async () => {
  const path = freshPath()
  const store = sqliteStore(path, clock)
  for (let n = 0; n < 40; n++) await store.commit({ tenant: 'acme', appends: [{ stream: `s/${n}`, expected: -1, entries: entries(100) }] })
  const writer = openDatabase(path)
  const add = writer.prepare("INSERT INTO answers VALUES ('acme', ?, ?)")
  let [written, largest] = [0, 0]
  const verified = await verifyFile(path, {
    check: null,
    progress: () => {
      for (let n = 0; n < 8; n++) add.run(`k${written++}`, `"${'x'.repeat(256 * 1024)}"`)
      largest = Math.max(largest, statSync(`${path}-wal`).size)
    },
  })
  writer.close()
  await store.close()
  const bytes = written * 256 * 1024
  expect(bytes).toBeGreaterThan(64 * 1024 * 1024)
  expect(largest / bytes).toBeLessThan(0.5)
  expect(verified).toMatchObject({ intact: true, events: 4000 })
}, 120_000)

it('reliability D8: streams that go on meanwhile are verified up to where they were, and nothing is called broken', async () => {
  const path = freshPath()
  const store = sqliteStore(path, clock)
  for (let n = 0; n < 20; n++) await store.commit({ tenant: 'acme', appends: [{ stream: `s/${n}`, expected: -1, entries: entries(50) }] })
  const writing: Promise<unknown>[] = []
  let seq = 49
  const verifying = verifyFile(path, {
    check: null,
    progress: () => {
      writing.push(store.commit({ tenant: 'acme', appends: [{ stream: 's/19', expected: seq++, entries: entries(1) }] }))
    },
  })
  expect(await verifying).toMatchObject({ intact: true, events: 1000, breaks: [] })
  await Promise.all(writing)
  expect(seq).toBeGreaterThan(60)
  await store.close()
  expect(await verifyFile(path, { check: null })).toMatchObject({ intact: true, events: 1000 + seq - 49 })
}, 60_000)
