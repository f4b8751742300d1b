// Tests onbook run list, and references to runs, from outside: on a folder and through a host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const WORKFLOW = (id: string) => `id: ${id}\nobjective: Say hello.\nnodes: [{ id: greeter }]\n`
const cwd = temporaryFolder(null, {
  'one.yaml': WORKFLOW('one'),
  'two.yaml': WORKFLOW('two'),
  'script.yaml': 'replies:\n  - match: {}\n    text: Hello.\n',
})
const onbook = (...args: string[]) => runCli(args, { cwd })
const json = async (...args: string[]) => JSON.parse((await onbook(...args, '--json')).out)
const ids: string[] = []

beforeAll(async () => {
  for (const file of ['one.yaml', 'two.yaml', 'one.yaml']) ids.push((await json('run', file, '--script', 'script.yaml')).runId)
}, 30_000)
afterAll(() => onbook('host', 'stop', '--kill'))

const listed = async (...args: string[]) => (await json('run', 'list', ...args)).runs.map(({ runId }: { runId: string }) => runId)

describe.each(['on a folder', 'through a host'])('%s', place => {
  beforeAll(async () => {
    if (place === 'through a host') await onbook('serve', '--background', '--port', '0')
  }, 30_000)

  it('lists the newest run first, with filters', async () => {
    const newest = [...ids].reverse()
    expect(await listed()).toEqual(newest)
    expect(await listed('--limit', '2')).toEqual(newest.slice(0, 2))
    expect(await listed('--workflow', 'two')).toEqual([ids[1]])
    expect(await listed('--grep', 'TWO')).toEqual([ids[1]])
    expect(await listed('--since', '1h')).toEqual(newest)
    expect(await listed('--since', '2100-01-01')).toEqual([])
    expect(await json('run', 'list', '--limit', '1')).toMatchObject({
      runs: [{ workflowId: 'one', status: 'completed', agents: [], prompts: [], decisions: { allowed: 0, denied: 0, waiting: 0 } }],
    })
  })

  it('shows ids that are long enough to be references, and relative times', async () => {
    const { out, err } = await onbook('run', 'list', '--limit', '2')
    const rows = out.trim().split('\n').slice(1)
    expect(err).toContain('There are more runs')
    expect(rows).toHaveLength(2)
    for (const [index, row] of rows.entries()) {
      expect(row).toMatch(/ (?:ago|now)$/)
      expect((await json('show', row.split(' ')[0]!)).runId).toBe(ids[2 - index])
    }
  })

  it('takes latest, latest~n and the start of an id; names the candidates of an ambiguous one', async () => {
    expect((await json('show', 'latest')).runId).toBe(ids[2])
    expect((await json('show', 'latest~2')).runId).toBe(ids[0])
    expect((await json('diff', 'latest~1', 'latest', '--decisions')).error).toBeUndefined()
    const ambiguous = await onbook('why', 'run_', '--json')
    expect([ambiguous.code, JSON.parse(ambiguous.out).error]).toEqual([2, 'reference_ambiguous'])
    for (const id of ids) expect(ambiguous.out).toContain(id)
    const beyond = await onbook('show', 'latest~3')
    expect([beyond.code, beyond.err]).toEqual([2, expect.stringContaining('There are only 3 runs')])
    expect((await onbook('show', 'run_zzz')).err).toContain('There is no run run_zzz')
  })
})

it('takes the start of the name of a session', async () => {
  for (const session of ['writer', 'write-tests']) await onbook('agent', 'create', session, '--provider', 'scripted', '--model', 'small')
  expect((await json('agent', 'show', 'writer')).session).toBe('writer')
  expect((await json('agent', 'show', 'write-')).session).toBe('write-tests')
  expect((await json('agent', 'show', 'writ')).error).toBe('reference_ambiguous')
  expect((await onbook('agent', 'show', 'reader')).code).toBe(2)
})
