import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { storeContract } from '../../testing/store-contract.ts'
import { openDatabase } from './database.ts'
import { sqliteStore } from './sqlite-store.ts'

const clock = () => new Date().toISOString()
const freshPath = () => join(mkdtempSync(join(tmpdir(), 'onbook-store-')), 'onbook.db')

storeContract('sqliteStore', async () => sqliteStore(freshPath(), clock))

it('finds everything again after it was closed', async () => {
  const path = freshPath()
  const first = sqliteStore(path, clock)
  const { heads } = await first.commit({
    tenant: 'acme',
    appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 1 }] }],
  })
  await first.close()
  const second = sqliteStore(path, clock)
  expect(await second.head('acme', 's')).toEqual(heads[0])
  await second.close()
})

it('shows what one handle wrote to the followers of another', async () => {
  const path = freshPath()
  const [writer, reader] = [sqliteStore(path, clock), sqliteStore(path, clock)]
  const stop = new AbortController()
  const seen = (async () => {
    for await (const { event } of reader.follow('acme', 's', -1, stop.signal)) return event.payload
    return null
  })()
  await writer.commit({ tenant: 'acme', appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload: 42 }] }] })
  expect(await seen).toBe(42)
  await Promise.all([writer.close(), reader.close()])
})

it('lets many processes open a new file at once', async () => {
  const path = freshPath()
  const open = `import { sqliteStore } from ${JSON.stringify(resolve('dist/adapters/sqlite-store/sqlite-store.js'))}
    await sqliteStore(${JSON.stringify(path)}, () => '').close()`
  const codes = await Promise.all(
    Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', open], { stdio: 'ignore' })
      return new Promise(done => child.on('close', done))
    }),
  )
  expect(codes).toEqual(Array(8).fill(0))
})

it('leaves a file alone that a newer version wrote', () => {
  const path = freshPath()
  const database = openDatabase(path)
  database.exec('PRAGMA user_version = 999')
  database.close()
  expect(() => sqliteStore(path, clock)).toThrow(expect.objectContaining({ code: 'store_newer' }))
})
