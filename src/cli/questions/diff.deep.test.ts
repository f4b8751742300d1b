// onbook diff from a folder, from run files and through a host, and all that is refused. Through real processes; a sample is in diff.test.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-diff-'))
const newsroom = (name: string) => resolve('examples/newsroom', name)
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const json = async (...args: readonly string[]) => {
  const { code, out, err } = await onbook('diff', ...args, '--json')
  return { code, body: out === '' ? err : JSON.parse(out) }
}
const PACKS = ['v1.0.0.yaml', 'v1.1.0.yaml'].map(name => newsroom(`prompts/writer/${name}`)) as [string, string]
let host: TestHost
let runs: readonly [string, string]
beforeAll(async () => {
  host = await startHost({ observability: 'full' })
  const run = async (topic: string) => {
    writeFileSync(join(folder, 'input.json'), JSON.stringify({ topic, facts: [] }))
    const { out } = await onbook(
      'run',
      newsroom('workflows/newsroom.yaml'),
      '--input',
      '@input.json',
      '--script',
      newsroom('script.yaml'),
      '--json',
    )
    return JSON.parse(out).runId as string
  }
  runs = [await run('Ferries'), await run('Trams')]
  await onbook('export', runs[1], '-o', 'run.jsonl')
})
afterAll(async () => {
  await host.close()
  rmSync(folder, { recursive: true, force: true })
})

it('a run file is as good as the run, on either side', async () => {
  const [there, filed] = await Promise.all([json(...runs), json(runs[0], 'run.jsonl')])
  expect([there.code, filed.body.b]).toEqual([1, `${runs[1]}, in run.jsonl`])
  expect({ ...filed.body, b: runs[1] }).toEqual(there.body)
  expect(there.body).toMatchObject({ of: 'runs', a: runs[0], b: runs[1], same: false, left: 0 })
  expect(there.body.decisions).toEqual([{ what: 'input', name: 'topic', a: 'Ferries', b: 'Trams' }])
  expect(there.body.texts[0]).toMatchObject({
    nodeId: 'writer',
    visit: 1,
    step: 1,
    block: 'task',
    hunks: [{ lines: expect.arrayContaining(['-| Ferries']) }],
  })
  expect((await json('run.jsonl', runs[1])).code).toBe(0)
})

const runOf = async (inputs: object): Promise<string> => (await runToEnd(host.ask, { workflowId: 'one', inputs }))[0]!.runId

it('answers through a host as the host does', async () => {
  await host.ask('PUT', '/v1/workflows/one', { body: { id: 'one', nodes: [{ id: 'a', objective: 'Say.' }] } })
  const [a, b] = [await runOf({}), await runOf({ x: 'y' })]
  const { body } = await json(a, b, '--url', host.url, '--key', host.key)
  expect(body.decisions).toEqual([{ what: 'input', name: 'x', a: null, b: 'y' }])
  const { of: _, ...found } = body
  expect(found).toEqual((await host.ask('GET', `/v1/runs/${a}/diff?with=${b}`)).body)
})

it('compares steps, packs and templates, and can leave out the texts', async () => {
  const [steps, packs, less] = await Promise.all([
    json(runs[0], '--node', 'writer', '--steps', '1.1..2.1'),
    json(...PACKS),
    json(...PACKS, '--decisions'),
  ])
  expect([steps.code, steps.body.of, steps.body.decisions[0]]).toEqual([1, 'steps', { what: 'history', nodeId: 'writer', a: 0, b: 2 }])
  expect([packs.code, packs.body.of, packs.body.means[0]]).toEqual([
    1,
    'templates',
    { what: 'pack', name: 'writer', bump: 'minor', change: 'adds the optional variable "houseStyle"' },
  ])
  expect([packs.body.texts.length, less.body.texts, less.body.decisions]).toEqual([1, [], packs.body.decisions])
})

describe('what is refused', () => {
  it.each([
    [['run_9'], 'name two things to compare'],
    [['run_9', 'run_2'], 'There is no run run_9'],
    [['run_9', '--steps', '1..2'], 'two steps are of one run and one node'],
    [['run_9', '--node', 'a', '--steps', '1-2'], 'does not name two steps'],
    [['desk@1', 'prompt:writer'], 'desk@1 (a workspace) and prompt:writer (content) cannot be compared: name two runs'],
    [['run.jsonl', PACKS[0]], 'cannot be compared'],
    [['desk@1', 'desk@2'], 'There is no workspace desk'],
    [['nowhere.yaml', 'run_2'], 'there is no file nowhere.yaml: name two runs'],
    [[...PACKS, '--node', 'a'], '--node belongs to runs'],
  ])('%j', async (args, message) => {
    const { code, out, err } = await onbook('diff', ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
  })
})
