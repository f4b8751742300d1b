// onbook blame: what scripts rely on, from a folder, from a run file and through a host. Through real processes; the pages are told in scripts/stories.deep.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-blame-'))
const data = join(folder, 'data')
const newsroom = (name: string) => resolve('examples/newsroom', name)
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
let host: TestHost
let runId: string
beforeAll(async () => {
  host = await startHost()
  const input = ['--input', `@${newsroom('input.json')}`, '--script', newsroom('script.yaml')]
  const { out } = await onbook('run', newsroom('workflows/newsroom.yaml'), ...input, '--data', data, '--json')
  runId = JSON.parse(out).runId
})
afterAll(async () => {
  await host.close()
  rmSync(folder, { recursive: true, force: true })
})

it('answers from a run file as from the folder: one object for a node, a list for all', async () => {
  const file = join(folder, 'run.jsonl')
  await onbook('export', runId, '--data', data, '-o', file)
  const [one, filed, all] = await Promise.all([
    onbook('blame', runId, '--data', data, '--node', 'writer', '--visit', '1', '--json'),
    onbook('blame', file, '--node', 'writer', '--visit', '1', '--json'),
    onbook('blame', file, '--json'),
  ])
  expect([one.code, filed.out]).toEqual([0, one.out])
  expect(JSON.parse(one.out)).toMatchObject({ runId, nodeId: 'writer', visit: 1, step: 1, sent: { kind: 'full', start: 0 }, tools: [] })
  expect(JSON.parse(all.out).map(({ nodeId, visit }: { nodeId: string; visit: number }) => [nodeId, visit])).toEqual([
    ['writer', 2],
    ['critic', 2],
    ['editor', 1],
  ])
})

it('counts what stays the same from step to step, from a run file as from the folder', async () => {
  const [one, filed, page] = await Promise.all([
    onbook('prefix', runId, '--data', data, '--json'),
    onbook('prefix', join(folder, 'run.jsonl'), '--json'),
    onbook('prefix', runId, '--data', data, '--node', 'writer'),
  ])
  expect([one.code, filed.out]).toEqual([0, one.out])
  expect(JSON.parse(one.out)[0]).toMatchObject({ nodeId: 'writer', provider: 'scripted', summary: { compared: 1, share: 1, worst: null } })
  expect(page.out).toContain('100 % of what was sent before was kept')
})

it('answers through a host as the host does', async () => {
  const nodes = [{ id: 'a', objective: 'Say.' }]
  await host.ask('PUT', '/v1/workflows/one', { body: { id: 'one', nodes } })
  const { runId: hosted } = (await runToEnd(host.ask, { workflowId: 'one' }))[0]!
  const { out } = await onbook('blame', hosted, '--url', host.url, '--key', host.key, '--json')
  expect({ items: JSON.parse(out) }).toEqual((await host.ask('GET', `/v1/runs/${hosted}/blame`)).body)
})

it('refuses what there is not', async () => {
  const refused = await Promise.all([
    onbook('blame', 'nobody', '--data', data),
    onbook('blame', runId, '--data', data, '--node', 'nobody'),
    onbook('blame', runId, '--data', data, '--step', '0'),
  ])
  expect(refused.map(({ code, out }) => [code, out])).toEqual([
    [2, ''],
    [2, ''],
    [2, ''],
  ])
  expect(refused[1].err).toContain(`Run ${runId} has no node nobody. It has: writer, critic, editor.`)
})
