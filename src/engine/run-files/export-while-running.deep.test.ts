// Exports of a run that is still active: at any moment the file is sound, and holds the run so far.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { replayRun } from '../replay/replay.ts'
import { exportRun } from './export-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-running-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NODES = Array.from({ length: 12 }, (_, n) => ({ id: `n${n}` }))
const GRAPH = { id: 'wide', objective: 'Work.', nodes: NODES, edges: NODES.slice(4).map(({ id }, n) => ({ from: `n${n % 4}`, to: id })) }
const soon = () => new Promise(resume => setTimeout(resume, 3))
const MOST = 40

it('verifies and replays', async () => {
  const house = runHouse(async ({ time }) => {
    await soon()
    return time < 4 ? { tools: [{ toolName: 'probe', arguments: {} }] } : 'Done.'
  })
  await house.create(GRAPH)
  let over = false
  const ran = house.runs.quiet(TENANT, 'r1').finally(() => {
    over = true
  })
  const files: string[] = []
  while (!over && files.length < MOST) {
    const lines: string[] = []
    for await (const line of exportRun(house.store, { tenant: TENANT, runId: 'r1', withPolicy: false })) lines.push(line)
    files.push(lines.join(''))
    await soon()
  }
  await ran
  expect((await house.state()).phase).toBe('completed')
  await house.close()
  await house.store.close()
  expect(new Set(files).size).toBeGreaterThan(2)
  for (const [n, text] of files.entries()) {
    const path = join(folder, `${n}.jsonl`)
    writeFileSync(path, text)
    const { store } = await exportedStore(path)
    expect(await replayRun(store, TENANT, 'r1')).toMatchObject({ identical: true, divergences: [] })
    await store.close()
  }
})
