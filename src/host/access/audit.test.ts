// Tests that the audit of refused requests survives failed writes and waits for open ones.
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { ACCESS_AUDIT } from '../../core/access/audit.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import type { Store } from '../../ports.ts'
import { clock } from '../../testing/stores/sqlite-place.ts'
import { auditOf } from './audit.ts'

const HOUR_MS = 3_600_000

it('waits, when it is flushed once more, for what is still being written: the store may be closed after it', async () => {
  const store = memoryStore(clock)
  const slow: Store = { ...store, commit: async commit => wait(50).then(() => store.commit(commit)) }
  const audit = auditOf(slow, clock, HOUR_MS, error => expect.fail(String(error)))
  audit.failed('203.0.113.7')
  const first = audit.flush()
  await audit.flush()
  expect((await store.head(HOST_TENANT, ACCESS_AUDIT)).seq).toBe(0)
  await first
})

it('goes on after a write that failed, and tells', async () => {
  const store = memoryStore(clock)
  let broken = true
  const told: unknown[] = []
  const failing: Store = { ...store, commit: async commit => (broken ? Promise.reject(new Error('no disk')) : store.commit(commit)) }
  const audit = auditOf(failing, clock, HOUR_MS, error => told.push(error))
  audit.failed('203.0.113.7')
  await audit.flush()
  broken = false
  audit.failed('203.0.113.7')
  await audit.flush()
  expect([told.length, (await store.head(HOST_TENANT, ACCESS_AUDIT)).seq]).toEqual([1, 0])
})
