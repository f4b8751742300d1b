// Tests lists of the command line on a record with many rows: one page, a hint how to see the others, and all rows as JSON.
import { dirname } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { commitChanges } from '../../engine/workspaces/commit.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { columns } from './columns.ts'

const STREAMS = 120
let data: string
beforeAll(async () => {
  const path = freshPath()
  data = dirname(path)
  const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  const entries = Array.from({ length: STREAMS }, (_, n) => ({ type: 'thing.happened', actor: 'ada', payload: { n } }))
  const appends = Array.from({ length: STREAMS }, (_, n) => ({
    stream: `things/${1_000 + n}`,
    expected: -1,
    entries: n === 0 ? entries : entries.slice(0, 1),
  }))
  await store.commit({ tenant: 'default', appends })
  const writer = { tenant: 'versions', actor: 'ada', policy: EVERYTHING }
  for (let n = 0; n < 51; n += 1)
    await commitChanges(store, writer, { workspace: 'desk', changes: [{ path: 'a.md', write: Buffer.from(`${n}`) }] })
  await store.close()
})

it('reliability D9: a list prints a page, and says how to see the rest', async () => {
  const { code, out, err } = await runCli(['streams', '--data', data])
  expect([code, out.trimEnd().split('\n').length, err]).toEqual([0, 51, '70 more are not shown. Show all: --limit 120, or --json\n'])
  const all = await runCli(['streams', '--data', data, '--limit', '120'])
  expect([all.out.trimEnd().split('\n').length, all.err]).toEqual([121, ''])
  const json = await runCli(['streams', '--data', data, '--json'])
  expect([JSON.parse(json.out).streams.length, json.err]).toEqual([STREAMS, ''])
  const few = await runCli(['streams', '--data', data, '--json', '--limit', '3'])
  expect(JSON.parse(few.out).streams).toHaveLength(3)
})

it('reliability D9: events are printed by the page, and as JSON all of them', async () => {
  const { out, err } = await runCli(['events', 'things/1000', '--data', data])
  expect([out.trimEnd().split('\n').length, err]).toEqual([
    50,
    '70 more are not shown. The next: --after 49. All of them: --limit 120, or --json\n',
  ])
  const rest = await runCli(['events', 'things/1000', '--data', data, '--after', '49', '--limit', '100'])
  expect([rest.out.trimEnd().split('\n').length, rest.err]).toEqual([70, ''])
  const json = await runCli(['events', 'things/1000', '--data', data, '--json'])
  expect(json.out.trimEnd().split('\n')).toHaveLength(STREAMS)
})

it('reliability D9: versions of a workspace are printed by the page, newest first, and as JSON all of them', async () => {
  const { out, err } = await runCli(['workspace', 'log', 'desk', '--tenant', 'versions', '--data', data])
  expect([out.trimEnd().split('\n').length, err]).toEqual([51, '1 more are not shown. Show all: --limit 51, or --json\n'])
  expect(out.split('\n')[1]).toMatch(/^ *51 /)
  const json = await runCli(['workspace', 'log', 'desk', '--tenant', 'versions', '--data', data, '--json'])
  expect([JSON.parse(json.out).versions.length, json.err]).toEqual([51, ''])
  const few = await runCli(['workspace', 'log', 'desk', '--tenant', 'versions', '--data', data, '--json', '--limit', '3'])
  expect(JSON.parse(few.out).versions.map(({ version }: { version: number }) => version)).toEqual([51, 50, 49])
})

it('reliability D9: tools are printed by the page, and as JSON all of them', async () => {
  const { out, err } = await runCli(['tools', '--data', data, '--limit', '1'])
  expect([out.trimEnd().split('\n').length, err]).toEqual([
    2,
    expect.stringMatching(/^\d+ more are not shown. Show all: --limit \d+, or --json\n$/),
  ])
  const all = JSON.parse((await runCli(['tools', '--data', data, '--json'])).out).tools
  expect(all.length).toBe(Number(/--limit (\d+)/.exec(err)![1]))
})

it('reliability D9: 300,000 rows take about as many times longer than 3,000 as there are more of them', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => [`run-${n}`, String(n), 'completed'])
  const timed = (rows: readonly (readonly string[])[]): number => {
    const began = performance.now()
    expect(columns(rows).split('\n')).toHaveLength(rows.length + 1)
    return performance.now() - began
  }
  const [few, many] = [rowsOf(3_000), rowsOf(300_000)]
  timed(few)
  const quick = Math.max(timed(few), timed(few), timed(few))
  // A hundred times as many rows: quadratic cost would be ten thousand times.
  expect(timed(many) / quick).toBeLessThan(1_000)
})
