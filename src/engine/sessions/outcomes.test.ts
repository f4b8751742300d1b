// The outcome of a sync for a waiting client: also when a later sync overtook it, and when the host itself failed.
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { Store } from '../../ports.ts'
import { testSessions } from '../../testing/hosts/test-sessions.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { askSync, syncOutcome } from './outcomes.ts'
import { readTranscript } from './views.ts'

const place = { tenant: 'acme', session: 'writer', actor: 'ada' }
const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
const forEver = new AbortController().signal

async function ready(disturb: (store: Store) => Store = store => store, failed: (error: Error) => void = () => {}) {
  const store = memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)
  const files = [{ path: 'prompts/packs/default.json', write: new TextEncoder().encode('[{"role":"system","content":"One."}]') }]
  await commitChanges(store, { tenant: 'acme', policy: EVERYTHING, actor: 'ada' }, { workspace: 'desk', changes: files })
  const sessions = testSessions(disturb(store), undefined, { failed })
  await sessions.work.submit(place, { type: 'create', session: 'writer', config: emptyConfig })
  return { store, ...sessions }
}

it('one that was overtaken has failed, and the newer one is what counts', async () => {
  const { store, work, close } = await ready()
  const [first, second] = await Promise.all([askSync(store, work, place, { selection }), askSync(store, work, place, { selection })])
  const outcomes = [await syncOutcome(store, place, first.asked, forEver), await syncOutcome(store, place, second.asked, forEver)]
  expect(outcomes.at(-1)?.outcome).toMatch(/ready|unchanged/)
  expect(outcomes.every(outcome => outcome !== null)).toBe(true)
  await close()
})

it('a host that fails says so, and what was in force stays', async () => {
  const errors: Error[] = []
  const breaking = (store: Store): Store => ({
    ...store,
    rows: () => {
      throw new Error('the disk is gone')
    },
    object: () => Promise.reject(new Error('the disk is gone')),
  })
  const { store, work, close } = await ready(breaking, error => errors.push(error))
  const { asked } = await askSync(store, work, place, { selection })
  expect(await syncOutcome(store, place, asked, forEver)).toMatchObject({ outcome: 'failed', code: 'internal_error' })
  expect(errors.map(({ message }) => message)).toEqual(['the disk is gone'])
  await close()
})

it('whoever goes away is not waited for', async () => {
  const { store, close } = await ready()
  expect(await syncOutcome(store, place, { sync: 1, after: 0 }, AbortSignal.abort())).toBeNull()
  await close()
})

it('a long transcript comes in pages from anywhere, and ends a page early when messages are long', async () => {
  const { store, close } = await ready()
  const long = JSON.stringify({ role: 'user', content: 'x'.repeat(3 * 1024 * 1024) })
  const digests = await Promise.all(
    Array.from({ length: 3 }, (_, n) => store.writeObject('acme', [new TextEncoder().encode(`${long}${' '.repeat(n)}`)])),
  )
  const loaded = { state: { history: { closed: null, open: digests, count: 3 } }, seq: 0 } as never
  const page = await readTranscript(store, 'acme', loaded, { from: 0, limit: 10 })
  expect([page.entries.length, page.next]).toEqual([2, 2])
  expect(await readTranscript(store, 'acme', loaded, { from: 2, limit: 10 })).toMatchObject({ entries: [{ index: 2 }], next: null })
  expect(await readTranscript(store, 'acme', loaded, { from: 9, limit: 10 })).toEqual({ entries: [], next: null })
  await close()
})
