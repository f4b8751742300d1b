// Lists of runs over a real store: the cost of a filtered list depends on what it shows, not on the number of other runs.
import { expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { runRows } from '../../core/run/projections.ts'
import type { Append, Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'

const TENANT = 'acme'
const AT_ONCE = 1_000
const entry = (type: string, payload = {}) => ({ type, actor: 'test', cause: null, payload })

/** All but the first three completed, and are of one workflow. */
async function addRuns(store: Store, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    const appends: Append[] = []
    for (let index = first; index < Math.min(to, first + AT_ONCE); index += 1) {
      const runId = `run_${String(index).padStart(6, '0')}`
      const isRare = index < 3
      const created = entry('run.created', { runId, workflowId: isRare ? 'rare' : 'usual' })
      appends.push({ stream: `run/${runId}`, expected: -1, entries: [created, entry(isRare ? 'run.failed' : 'run.completed')] })
    }
    await store.commit({ tenant: TENANT, objects: [], appends })
  }
}

/** The least of many: what the machine does besides only adds to it. */
async function costOf(store: Store, cells: Record<string, string>): Promise<number> {
  let least = Infinity
  for (let time = 0; time < 200; time += 1) {
    const begun = performance.now()
    let count = 0
    for await (const _ of store.rows(runRows.table, TENANT, cells, { by: 'runId', after: '' })) count += 1
    least = Math.min(least, performance.now() - begun)
    expect(count).toBe(3)
  }
  return least
}

it('reliability D19: a list of runs by status or workflow costs about the same among 100 runs and among 10,000', async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const filters = [{ phase: 'failed' }, { workflowId: 'rare' }, { workflowId: 'rare', phase: 'failed' }]
  await addRuns(store, 0, 100)
  const few: number[] = []
  for (const cells of filters) few.push(await costOf(store, cells))
  await addRuns(store, 100, 10_000)
  // Reading every run costs eight times as much and more.
  for (const [index, cells] of filters.entries()) expect((await costOf(store, cells)) / few[index]!).toBeLessThan(4)
  await store.close()
})
