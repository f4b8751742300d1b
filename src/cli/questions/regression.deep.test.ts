// Tests one proposal against every source of runs: the record, run files, a host. All give the same answer, as far as each can know it.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type ServedHost, serveCli } from '../../testing/hosts/serve-cli.ts'

let folder: string
let host: ServedHost
const runs: string[] = []
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const ask = async (...args: readonly string[]) => {
  const { code, out, err } = await onbook('replay', ...args, '--json')
  return { code, body: out === '' ? err : JSON.parse(out) }
}
const edit = (path: string, from: string, to: string) => {
  const full = join(folder, path)
  writeFileSync(full, readFileSync(full, 'utf8').replace(from, to))
}

beforeAll(async () => {
  folder = temporaryFolder(null)
  for (const name of ['desk', 'branch']) cpSync('examples/why', join(folder, name), { recursive: true })
  edit('branch/context/desk.md', 'six', 'seven')
  edit('branch/agents/critic.yaml', '@1.0.0', '@1.1.0')
  for (const line of [
    'publish desk --workspace desk',
    'label editorial-house-style production 1.1.0 --new',
    'sessions create desk --provider scripted --model small',
    'sync desk --workspace desk',
    'apply desk --when immediate_if_idle',
  ])
    expect((await onbook(...line.split(' '))).code).toBe(0)
  for (let n = 0; n < 2; n++)
    runs.push(JSON.parse((await onbook('run', 'desk/workflows/story.yaml', '--script', 'desk/script.yaml', '--json')).out).runId)
  await onbook('export', runs[0]!, '--output', 'first.jsonl')
}, 120_000)
afterAll(() => host?.stop())

const BRANCH = ['--against', './branch', '--workspace', 'desk']
const COUNTS = { runs: 2, prompts: 6, unchanged: 0, changed: 6, failing: 0, unsound: 0 }
type Answered = { causes: { cause: string; file: string; prompts: number; examples: { runId: string }[] }[] }
const causesIn = ({ causes }: Answered) => causes.map(({ cause, file, prompts }) => [cause, file, prompts])

describe('a folder', () => {
  it('against the record', async () => {
    const { code, body } = await ask('--all', ...BRANCH)
    expect([code, body]).toMatchObject([1, { against: { workspace: 'desk', folder: './branch' }, ...COUNTS }])
    expect(causesIn(body)).toEqual([
      ['prelude', 'context/desk.md', 6],
      ['agent', 'agents/critic.yaml', 2],
    ])
  })

  it('against a choice of runs', async () => {
    const newest = await ask('--all', '--limit', '1', ...BRANCH)
    expect(newest.body).toMatchObject({ runs: 1, changed: 3, older: 1 })
    expect(newest.body.causes[0].examples[0].runId).toBe(runs[1])
    for (const [choice, problem] of [
      [['--workflow', 'nothing'], 'no recorded run of workflow nothing to compare'],
      [['--since', '2999-01-01'], 'no recorded run since 2999-01-01T00:00:00.000Z to compare'],
    ] as const) {
      const { code, body } = await ask('--all', ...choice, ...BRANCH)
      expect([code, JSON.stringify(body)]).toEqual([2, expect.stringContaining(problem)])
    }
    expect((await ask(runs[0]!, ...BRANCH)).body).toMatchObject({ runs: 1, changed: 3 })
  })

  it('that is not called like its workspace is refused, and taken for another only when somebody says so', async () => {
    const guessed = await ask('--all', '--against', './branch')
    expect([guessed.code, JSON.stringify(guessed.body)]).toEqual([2, expect.stringContaining('name its workspace with --workspace')])
    const said = await ask('--all', '--against', './branch', '--workspace', 'other')
    expect(said.body).toMatchObject({ runs: 2, changed: 2, workspaces: ['desk'] })
  })

  it('against a run file, also where there is no record', async () => {
    const elsewhere = temporaryFolder(null)
    cpSync(join(folder, 'branch'), join(elsewhere, 'branch'), { recursive: true })
    cpSync(join(folder, 'first.jsonl'), join(elsewhere, 'first.jsonl'))
    const { code, out } = await runCli(['replay', 'first.jsonl', ...BRANCH, '--json'], { cwd: elsewhere })
    expect([code, JSON.parse(out)]).toMatchObject([1, { runs: 1, prompts: 3, changed: 3, unsound: 0 }])
    expect(causesIn(JSON.parse(out))).toEqual([
      ['prelude', 'context/desk.md', 3],
      ['agent', 'agents/critic.yaml', 1],
    ])
  })
})

it('a version that is published, here and on a host: what was in force changes nothing', async () => {
  await onbook('publish', 'branch', '--workspace', 'desk')
  const here = await ask('--all', '--against', 'desk@2')
  expect([here.code, here.body]).toMatchObject([1, { against: { workspace: 'desk', version: 2 }, ...COUNTS }])
  expect((await ask('--all', '--against', 'desk@1')).code).toBe(0)
  host = await serveCli(folder)
  const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  const there = ['--url', host.url, '--key', key]
  expect((await ask('--all', '--against', 'desk@2', ...there)).body).toEqual(here.body)
  expect((await ask('--all', '--against', 'desk@9', ...there)).code).toBe(2)
  const sent = await ask('--all', ...BRANCH, ...there)
  expect([sent.code, sent.body]).toMatchObject([1, COUNTS])
}, 120_000)
