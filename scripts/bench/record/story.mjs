// @ts-check
// What is written: events as a run would write them, with two projections.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from 'onbook'

export const clock = () => new Date().toISOString()
export const TENANT = 'default'

/** How each run stands, and how each of its nodes does: every event changes a row in both. @type {import('onbook/core').Projection[]} */
export const PROJECTIONS = [
  {
    table: 'runs',
    columns: { run: 'text', step: 'integer', state: 'text', at: 'text' },
    key: ['run'],
    from: { 'step.settled': [{ put: { run: 'payload.run', step: 'payload.step', state: { always: 'running' }, at: 'at' } }] },
  },
  {
    table: 'nodes',
    columns: { node: 'text', step: 'integer', outcome: 'text', at: 'text' },
    key: ['node'],
    from: { 'step.settled': [{ put: { node: 'payload.node', step: 'payload.step', outcome: 'payload.outcome', at: 'at' } }] },
  },
]

/** @param {number} caller @param {number} n */
export const entry = (caller, n) => ({
  type: 'step.settled',
  actor: 'model:scripted',
  cause: `run/${caller}#${n}`,
  payload: { run: `run-${caller}`, step: n, node: `writer-${n % 8}`, outcome: 'replied', tokens: { in: 1200 + n, out: 300 } },
})

/** @template T @param {(folder: string) => Promise<T>} work */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} folder */
export const openStore = folder => sqliteStore(join(folder, 'onbook.db'), clock, PROJECTIONS)

/** Callers that each wait for their own answer before they go on. @param {number} callers @param {number} total @param {(caller: number, n: number) => Promise<unknown>} work */
export async function concurrently(callers, total, work) {
  const each = Math.ceil(total / callers)
  const started = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; n < each; n++) await work(caller, n)
    }),
  )
  return (performance.now() - started) / (each * callers)
}
