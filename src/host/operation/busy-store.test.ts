// Tests a host while another process locks the database file: reads are answered, and a write happens when the file is free.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { watchEventLoop } from '../../testing/event-loop.ts'
import { startHost, template } from '../../testing/hosts/start-host.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

const HELD_MS = 3_000

it('reliability D10: while another process holds the write lock, the host answers reads, and writes afterwards', async () => {
  const path = freshPath()
  const host = await startHost({}, { store: sqliteStore(path, clock, PRODUCT_PROJECTIONS) })
  await host.ask('POST', '/v1/prompts', { body: template('first') })
  const holder = spawn(process.execPath, [resolve('src/testing/stores/lock-holder.mjs'), path, String(HELD_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const released = once(holder, 'close')
  const written = Promise.all([
    host.ask('POST', '/v1/prompts', { body: template('second') }),
    host.ask('POST', '/v1/objects', { body: new Uint8Array(300_000), headers: { 'content-type': 'application/octet-stream' } }),
  ])
  let answered = 0
  const { longestMs } = await watchEventLoop(async () => {
    for (let free = false; !free; answered++) {
      for (const path of ['/healthz', '/v1/prompts/first']) expect((await host.ask('GET', path)).status).toBe(200)
      free = await Promise.race([released.then(() => true), new Promise<boolean>(next => setTimeout(next, 10, false))])
    }
  })
  expect((await written).map(({ status }) => status)).toEqual([201, 201])
  expect((await host.ask('GET', '/v1/prompts/second')).status).toBe(200)
  expect(answered).toBeGreaterThan(5)
  // The lock was held for about that long. A wait that blocks the thread would take all of it.
  expect(longestMs / HELD_MS).toBeLessThan(0.5)
  await host.close()
})
