// Tests that resuming a waiting run without its requirements is refused before anything is recorded, and that the printed command can be typed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const ASK = '{ toolName: request_implementation, arguments: { reason: The plan is ready. } }'
const folder = temporaryFolder(null, {
  'plan.yaml': 'id: plan\nobjective: Plan it.\nmode: planning\norchestration: interactive\nnodes: [{ id: planner }]\n',
  'what is said.yaml': `replies:\n  - match: { step: 1 }\n    toolCalls: [${ASK}]\n  - match: {}\n    text: I wait.\n`,
  'no-script.yaml': 'replies: 3\n',
  'tools.yaml': 'tools: { bind: [read_file] }\n',
})
const AT = ['--data', 'the record'] as const
const onbook = (...args: readonly string[]) => runCli([...args, ...AT], { cwd: folder, env: { OPENAI_API_KEY: '' } })
const json = async (...args: readonly string[]) => {
  const { code, out } = await onbook(...args, '--json')
  return { code, body: JSON.parse(out) }
}

const lineIn = (text: string, start: string): string =>
  text
    .split('\n')
    .find(line => line.startsWith(start))!
    .slice(start.length)

describe('a run that waits', () => {
  let started: Awaited<ReturnType<typeof onbook>>
  let runId: string
  let approval: string
  beforeAll(async () => {
    started = await onbook('run', 'plan.yaml', '--script', 'what is said.yaml')
    runId = /run_\w+/.exec(started.err)![0]
    approval = (await json('approvals')).body.approvals[0].approval
  })

  it('says how to answer it, with everything that it was started with', () => {
    const typed = `onbook approval approve ${approval} --script "what is said.yaml" --data "the record"`
    expect(lineIn(started.err, 'Decide, approve or deny: ')).toBe(typed)
  })

  it('is shown with where it lies', async () => {
    expect((await onbook('show', runId)).out).toContain(`onbook approval approve ${approval} --data "the record"\n`)
  })

  const WANTING: readonly [string, readonly string[], string][] = [
    ['no script', [], 'provider_unready'],
    ['a script that is not there', ['--script', 'nothing.yaml'], 'file_unreadable'],
    ['a script that is none', ['--script', 'no-script.yaml'], 'script_invalid'],
    ['tools without a repo', ['--script', 'what is said.yaml', '--config', 'tools.yaml'], 'repo_unnamed'],
  ]
  const ASKING = (): readonly (readonly string[])[] => [
    ['approvals', 'approve', approval],
    ['approvals', 'deny', approval],
    ['runs', 'say', runId, 'planner', 'Hurry.'],
    ['runs', 'resume', runId],
  ]
  it.each(WANTING)('stays as it is when it would go on with %s', async (_, options, error) => {
    const before = await json('streams')
    for (const args of ASKING()) expect(await json(...args, ...options)).toMatchObject({ code: 2, body: { error } })
    expect(await json('streams')).toEqual(before)
  })

  it('stays paused when it would go on without a script, and goes on with one', async () => {
    expect((await onbook('runs', 'pause', runId)).out).toContain(`onbook run resume ${runId} --data "the record"\n`)
    expect(await json('runs', 'resume', runId)).toMatchObject({ code: 2, body: { error: 'provider_unready' } })
    expect((await json('show', runId)).body.status).toBe('paused')
    const { code, body } = await json('runs', 'resume', runId, '--script', 'what is said.yaml')
    expect([code, body.status]).toEqual([1, 'waiting-approval'])
  })

  it('can be cancelled without anything', async () => {
    expect(await json('runs', 'cancel', runId)).toMatchObject({ code: 0, body: { status: 'cancelled' } })
  })
})

describe('a run that cannot start', () => {
  it.each([
    ['a script that is not there', ['--script', 'nothing.yaml'], 'file_unreadable'],
    ['recordings that are not there', ['--recordings', 'nothing'], 'usage_invalid'],
    ['tools without a repo', ['--script', 'what is said.yaml', '--config', 'tools.yaml'], 'repo_unnamed'],
  ])('publishes nothing: %s', async (_, options, error) => {
    writeFileSync(join(folder, 'other.yaml'), 'id: other\nobjective: Say something.\nnodes: [{ id: writer }]\n')
    expect(await json('run', 'other.yaml', ...options)).toMatchObject({ code: 2, body: { error } })
    expect(await json('run', 'other', '--script', 'what is said.yaml')).toMatchObject({ code: 2, body: { error: 'workflow_not_found' } })
  })
})

describe('what a provider needs is looked for before a run is told anything', () => {
  const flow = (provider: string) =>
    `id: ${provider}\nobjective: Go on.\nnodes: [{ id: first }, { id: next, provider: ${provider}, model: m }]\nedges: [{ from: first, to: next }]\n`

  it.each([
    ['openai', 'model_key_missing', 'OPENAI_API_KEY'],
    ['recorded', 'provider_unready', '--recordings FOLDER'],
    ['scribe', 'model_unknown', 'does not name a model'],
  ])('%s', async (provider, error, named) => {
    writeFileSync(join(folder, 'flow.yaml'), `${flow(provider)}orchestration: interactive\n`)
    const refused = await json('run', 'flow.yaml', '--script', 'what is said.yaml')
    expect(refused).toMatchObject({ code: 2, body: { error, message: expect.stringContaining(named) } })
  })
})
