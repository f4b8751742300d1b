// Tests the commands about runs while a host runs on the folder: the host does the work, and the output is the same.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type ServedHost, serveCli } from '../../testing/hosts/serve-cli.ts'

const SCRIPT =
  'replies:\n  - match: { node: slow, last: Never }\n    ticks: 1000000000\n    text: Never.\n  - match: {}\n    text: Noted.\n'
const folder = temporaryFolder(null, {
  'script.yaml': SCRIPT,
  'onbook.host.yaml': 'model: { provider: scripted, model: small }\n',
  'flow.yaml': 'id: flow\nobjective: Say something.\nnodes: [{ id: writer }, { id: reader }]\nedges: [{ from: writer, to: reader }]\n',
  'talk.yaml': 'id: talk\nobjective: Talk.\norchestration: interactive\nnodes: [{ id: guest }]\n',
  'slow.yaml': 'id: slow\nobjective: Never end.\nnodes: [{ id: slow }]\n',
})
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const json = async (...args: readonly string[]) => {
  const { code, out } = await onbook(...args, '--json')
  return { code, body: JSON.parse(out) }
}
const eventually = async (runId: string, status: string) => {
  for (let tries = 0; tries < 50; tries++) {
    const { body } = await json('show', runId)
    if (body.status === status) return body
  }
  throw new Error(`${runId} is not ${status}`)
}

let host: ServedHost
beforeAll(async () => {
  host = await serveCli(folder, '--script', 'script.yaml')
})
afterAll(() => host.stop())

it('a run is watched to its end, and has the same story when the host is gone', async () => {
  const { code, out, err } = await onbook('run', 'flow.yaml', '--watch')
  expect([code, out]).toEqual([0, 'Noted.\n'])
  expect(err).toContain('reader  starts, handed over by writer')
  const runId = /run_[0-9a-z]+/.exec(err)![0]
  const story = await json('show', runId)
  const step = await json('show', runId, '--node', 'reader')
  await host.stop()
  expect([await json('show', runId), await json('show', runId, '--node', 'reader')]).toEqual([story, step])
  host = await serveCli(folder, '--script', 'script.yaml')
})

it('a run that nobody waits for goes on by itself', async () => {
  const { code, body } = await json('run', 'flow', '--detach')
  expect([code, body.status]).toEqual([0, 'running'])
  expect((await eventually(body.runId, 'completed')).outputs).toEqual({ reader: 'Noted.' })
  expect((await json('runs', '--status', 'completed')).body.runs.length).toBeGreaterThan(0)
})

it('a node that waits is answered', async () => {
  const asked = await json('run', 'talk.yaml')
  expect([asked.code, asked.body.status]).toEqual([1, 'waiting-input'])
  expect((await json('runs', 'say', asked.body.runId, 'guest', 'Go on.')).code).toBe(0)
  expect((await eventually(asked.body.runId, 'waiting-input')).steps).toBeGreaterThanOrEqual(1)
  expect((await json('runs', 'cancel', asked.body.runId)).body.status).toMatch(/^cancell/)
})

it('a run under way is paused, told something, and ended', async () => {
  const { body } = await json('run', 'slow.yaml', '--override', 'Never', '--detach')
  const { runId } = body
  expect((await json('runs', 'pause', runId)).body).toMatchObject({ runId, status: 'paused' })
  expect((await json('runs', 'mode', runId, 'planning')).body).toMatchObject({ mode: 'planning' })
  expect((await json('runs', 'override', runId, 'Be brief.', '--node', 'slow')).code).toBe(0)
  expect((await json('runs', 'resume', runId, '--detach')).body.status).toBe('running')
  expect((await json('runs', 'cancel', runId, '--reason', 'enough')).code).toBe(0)
  expect((await eventually(runId, 'cancelled')).overrides).toHaveLength(2)
})

const refused: readonly [string, readonly string[], string][] = [
  ['a workflow that is not there', ['run', 'nobody'], 'workflow_not_found'],
  ['what is for work done here', ['run', 'flow', '--script', 'script.yaml'], 'usage_invalid'],
  ['a run that is not there', ['show', 'nothing'], 'run_missing'],
  ['pausing one that is not there', ['runs', 'pause', 'nothing'], 'run_missing'],
  ['an approval that nobody waits for', ['approvals', 'deny', 'nothing'], 'approval_missing'],
  ['a file for a host elsewhere', ['run', 'flow.yaml', '--url', 'http://127.0.0.1:9', '--key', 'k'], 'usage_invalid'],
]
it.each(refused)('%s ends with 2 and a code', async (_, args, code) => {
  expect(await json(...args)).toMatchObject({ code: 2, body: { error: code } })
})
