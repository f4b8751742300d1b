// Tests forks on the command line: a run replayed from the record, from a file and through a host, and a branch with a change.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

const NEWSROOM = resolve('examples/newsroom')
const file = (name: string) => join(NEWSROOM, name)
const SCRIPT = ['--script', file('script.yaml')]
let [folder, data, runId] = ['', '', '']
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'onbook-fork-'))
  data = join(folder, '.onbook')
  const { out } = await runCli([
    'run',
    file('workflows/newsroom.yaml'),
    '--input',
    `@${file('input.json')}`,
    ...SCRIPT,
    '--data',
    data,
    '--json',
  ])
  runId = JSON.parse(out).runId
})

interface Sent {
  readonly provider: string
  readonly model: string
}

const typed = (...args: readonly string[]) => runCli([...args, '--data', data])

describe('onbook replay --level 3', () => {
  it('leaves a fork on record that is identical, and can be looked at', async () => {
    const { code, out } = await typed('replay', runId, '--level', '3', '--json')
    const { forkId, ...told } = JSON.parse(out)
    expect([code, told]).toMatchObject([
      0,
      { runId, level: 3, identical: true, prompts: 5, divergences: [], rotations: [], phase: 'completed' },
    ])
    const shown = await typed('show', forkId)
    expect(shown.out).toContain(`a replay of ${runId}, from event 0`)
    const refused = await typed('runs', 'pause', forkId)
    expect(refused.code).toBe(2)
  })

  it('of a file, and of an imported run, keeps nothing', async () => {
    const path = join(data, 'run.jsonl')
    await typed('export', runId, '--output', path)
    const other = mkdtempSync(join(tmpdir(), 'onbook-fork-'))
    await runCli(['import', path, '--data', other])
    const [one, two] = [
      await runCli(['replay', path, '--level', '3', '--json']),
      await runCli(['replay', runId, '--level', '3', '--json', '--data', other]),
    ]
    for (const { code, out } of [one, two])
      expect([code, JSON.parse(out)]).toMatchObject([0, { identical: true, forkId: null, prompts: 5 }])
  })

  it('tells of a default of the host that was changed since, and it is no divergence', async () => {
    const other = mkdtempSync(join(tmpdir(), 'onbook-fork-'))
    writeFileSync(join(other, 'later.yaml'), 'hostDefaults:\n  user: prompt:house-task@2.0.0\n')
    const { code, out } = await typed('replay', runId, '--level', '3', '--json', '--config', join(other, 'later.yaml'))
    expect([code, JSON.parse(out)]).toMatchObject([0, { identical: true, rotations: [{ kind: 'user', found: 'prompt:house-task@2.0.0' }] }])
  })
})

describe('onbook run fork', () => {
  it('goes on from a node, and says whose fork it is', async () => {
    const { code, out } = await typed('fork', runId, '--from', 'critic.2', '--override', 'Be brief.', ...SCRIPT, '--json')
    const { runId: forkId, status } = JSON.parse(out)
    expect([code, status]).toEqual([0, 'completed'])
    expect((await typed('show', forkId)).out).toContain(`a branch of ${runId}`)
    const { divergences } = JSON.parse((await typed('replay', forkId, '--json')).out)
    expect(divergences).toEqual([])
  })

  it('says which nodes an override reached, and keeps the models of the run', async () => {
    const override = ['--prompt-override', 'system=prompt:writer@1.1.0']
    const { err } = await typed('fork', runId, '--from', 'editor', ...override, ...SCRIPT)
    expect(err).toContain('It reached: editor')
    const { runs } = JSON.parse((await typed('runs', '--json')).out)
    const { runId: forkId, forkOf } = runs[0]
    expect(forkOf).toMatchObject({ runId, mode: 'branch' })
    expect((await typed('runs')).out).toContain(`branch of ${runId}`)
    const models = async (id: string) =>
      new Set(JSON.parse((await typed('show', id, '--json')).out).sent.map(({ provider, model }: Sent) => `${provider} ${model}`))
    expect(await models(forkId)).toEqual(await models(runId))
  })

  it('refuses what it cannot go on with, before anything is recorded', async () => {
    const count = async () => JSON.parse((await typed('runs', '--json')).out).runs.length
    const path = join(data, 'refused.jsonl')
    await typed('export', runId, '--output', path)
    const before = await count()
    const asked: readonly (readonly [args: readonly string[], told: string])[] = [
      [[runId, '--prompt-override', 'system=prompt:nowhere@1.0.0', ...SCRIPT], 'there is no prompt:nowhere@1.0.0'],
      [[runId, '--prompt-override', 'foo', ...SCRIPT], 'must be kind=ref'],
      [[runId], 'with --script FILE'],
      [[runId, '--provider', 'openai', '--model', 'small', ...SCRIPT], 'no node uses it'],
      [[path], 'is a run file'],
    ]
    for (const [args, told] of asked) {
      const { code, err } = await typed('fork', ...args, '--from', 'editor')
      expect([code, err]).toEqual([2, expect.stringContaining(told)])
    }
    expect(await count()).toBe(before)
  })

  it.each([[[]], [['--from', 'nobody']], [['--from', '100000']], [['--from', '0', '--prompt-override', 'system=nothing']]])(
    'refuses %j',
    async args => {
      expect((await typed('fork', runId, ...args, ...SCRIPT)).code).toBe(2)
    },
  )
})

describe('through a host', () => {
  it('both do the same: a replay keeps nothing, a branch is the host’s to go on with', async () => {
    const host = await serveCli(folder, ...SCRIPT)
    try {
      const there = ['--url', host.url, '--key', readFileSync(join(data, 'local.key'), 'utf8').trim()]
      const replayed = await runCli(['replay', runId, '--level', '3', '--json', ...there])
      expect([replayed.code, JSON.parse(replayed.out)]).toMatchObject([0, { identical: true, forkId: null }])
      const forked = await runCli(['fork', runId, '--from', 'editor', '--override', 'Be brief.', '--json', ...there])
      expect([forked.code, JSON.parse(forked.out)]).toMatchObject([0, { status: 'completed' }])
    } finally {
      await host.stop()
    }
  })
})

describe('a replay whose process is killed', () => {
  it('is walked on by the next host, from the record, without a model', async () => {
    const statuses = async (): Promise<readonly { readonly runId: string; readonly status: string }[]> =>
      JSON.parse((await typed('runs', '--json')).out).runs
    const isOpen = async () => (await statuses()).some(({ status }) => status === 'running')
    for (let ms = 250; !(await isOpen()); ms = ms > 900 ? 250 : ms + 15)
      await runCli(['replay', runId, '--level', '3', '--data', data], { during: child => void setTimeout(() => child.kill('SIGKILL'), ms) })
    // No script: a request to a model would fail.
    const host = await serveCli(folder)
    try {
      while (await isOpen()) await new Promise(resume => setTimeout(resume, 50))
      for (const { runId: forkId, status } of await statuses()) {
        const { body } = await host.ask('GET', `/v1/runs/${forkId}/events/poll`)
        const told = (body as { readonly events: readonly { readonly type: string }[] }).events.filter(
          ({ type }) => type === 'replay.diverged',
        )
        expect([forkId, status, told]).toEqual([forkId, 'completed', []])
      }
    } finally {
      await host.stop()
    }
  })
})
