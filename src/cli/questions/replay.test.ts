// Tests onbook replay from outside: in its own process, on a real record, and on a tampered one.
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { type CliRun, runCli } from '../../testing/hosts/run-cli.ts'

const NEWSROOM = resolve('examples/newsroom')
let [data, runId] = ['', '']
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'onbook-replay-'))
  const file = (name: string) => join(NEWSROOM, name)
  const input = ['--input', `@${file('input.json')}`, '--script', file('script.yaml')]
  const { out } = await runCli(['run', file('workflows/newsroom.yaml'), ...input, '--data', data, '--json'])
  runId = JSON.parse(out).runId
})

const replay = (folder: string, ...args: readonly string[]): Promise<CliRun> => runCli(['replay', runId, '--data', folder, ...args])

function changed(sql: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'onbook-replay-copy-'))
  cpSync(data, copy, { recursive: true })
  const database = openDatabase(join(copy, 'onbook.db'))
  database.exec(sql)
  database.close()
  return copy
}

describe('onbook replay', () => {
  it('a run that nobody touched is identical in a second process, and in a third', async () => {
    const [one, two] = await Promise.all([replay(data, '--json'), replay(data, '--json')])
    expect([one.code, two.out]).toEqual([0, one.out])
    expect(JSON.parse(one.out)).toMatchObject({ identical: true, prompts: 5, divergences: [], rotations: [] })
  })

  it('level 1 folds to the same state, and composes nothing', async () => {
    const [one, two] = await Promise.all([replay(data, '--json', '--level', '1'), replay(data, '--json')])
    expect(JSON.parse(one.out)).toMatchObject({ identical: true, prompts: 0, stateHash: JSON.parse(two.out).stateHash })
  })

  it('an event that was changed is named, and the exit says that something differs', async () => {
    const copy = changed(`UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '"visit":2', '"visit":3') AS BLOB)`)
    const { code, out } = await replay(copy, '--json')
    expect(code).toBe(1)
    const { identical, divergences } = JSON.parse(out) as { identical: boolean; divergences: { point: string }[] }
    expect([identical, divergences.filter(({ point }) => point === 'event').length]).toEqual([false, 2])
  })

  it('level 3 walks it again as a run of its own', async () => {
    const { code, out } = await replay(data, '--json', '--level', '3')
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { identical: true, prompts: 5, phase: 'completed', forkId: expect.stringMatching(/^run_/) },
    ])
  })

  it('another level than there is, and another run, are refused', async () => {
    expect((await replay(data, '--level', '4')).code).toBe(2)
    expect((await runCli(['replay', 'run_nothing', '--data', data])).code).toBe(2)
  })

  it('what chooses among all runs is refused beside one', async () => {
    const { code, err } = await replay(data, '--since', '2026-01-01')
    expect([code, err]).toEqual([2, expect.stringContaining('--since belongs to --against with --all')])
  })
})
