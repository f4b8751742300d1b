// Tests the commands about runs on a folder, in real processes: pages for people, the contract with scripts, and refusals.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { leaveCommand } from '../../engine/runs/ownership/on-demand.ts'
import { expectGolden } from '../../testing/golden.ts'
import { type CliOptions, runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { clock } from '../../testing/stores/sqlite-place.ts'

const TWO =
  'id: two\nobjective: Say something.\nstallAfter: 3\nnodes: [{ id: writer }, { id: reader }]\nedges: [{ from: writer, to: reader }]\n'
const SCRIPTS = {
  'two.yaml': TWO,
  'noted.yaml': 'replies:\n  - match: {}\n    text: Noted.\n',
  'refused.yaml': 'replies:\n  - match: {}\n    fail: { code: provider_terminal }\n',
  'circles.yaml': 'replies:\n  - match: {}\n    toolCalls: [{ toolName: workspace.read, arguments: { path: notes.md } }]\n',
  'stuck.yaml': 'replies:\n  - match: { node: writer }\n    ticks: 1000000000\n    text: Never.\n',
}

const place = (from: string | null = null) => {
  const folder = temporaryFolder(from, SCRIPTS)
  const onbook = (args: readonly string[], options: CliOptions = {}) => runCli(args, { cwd: folder, ...options })
  const json = async (...args: readonly string[]) => {
    const { code, out, err } = await onbook([...args, '--json'])
    return { code, err, body: out === '' ? null : JSON.parse(out) }
  }
  return { folder, onbook, json }
}

/** The text without ids and values that differ between two runs. */
const steady = (text: string): string =>
  text
    .replace(/run_[0-9a-z]+/g, 'RUN')
    .replace(/sha256:[0-9a-f]{12,64}/g, 'HASH')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .replace(/\b[\d.]+ k?B\b/g, 'SIZE')
    .replace(/[\d,]+ of [\d,]+ bytes, about [\d,]+ tokens/g, 'SIZE of SIZE, about N tokens')
    .replace(/cli:[^\s,:]+/g, 'cli:somebody')

describe('the newsroom', () => {
  const { onbook, json } = place('examples/newsroom')
  const FILE = ['run', 'workflows/newsroom.yaml', '--input', '@input.json', '--script', 'script.yaml'] as const
  let watched: Awaited<ReturnType<typeof onbook>>
  let runId: string
  beforeAll(async () => {
    watched = await onbook([...FILE, '--watch'])
    runId = /run_\w+/.exec(watched.err)![0]
  })

  it('is published and run from its file, and what it gives is all there is on standard output', async () => {
    expect([watched.code, JSON.parse(watched.out).headline]).toEqual([0, 'Night ferry leaves half an hour later from May'])
  })

  it('can be watched: who starts, which prompt won and over what, what is said, what leads back', async () => {
    expectGolden('runs/watch', steady(watched.err))
  })

  it('has a story', async () => {
    const { code, out } = await onbook(['show', runId])
    expect(code).toBe(0)
    expectGolden('runs/show', steady(out))
  })

  it('shows the five blocks of a step, with where each part came from', async () => {
    const { out } = await onbook(['show', runId, '--node', 'writer', '--visit', '1'])
    // The system block has its own golden file.
    expectGolden('runs/step', steady(out).replace(/── system[\s\S]*?(?=── role)/, ''))
    const { body } = await json('show', runId, '--node', 'writer', '--visit', '2', '--step', '1')
    expect(body).toMatchObject({ nodeId: 'writer', visit: 2, step: 1, sent: { kind: 'full' } })
    expect(body.blocks.map(({ block }: { block: string }) => block)).toEqual(['system', 'role', 'mode', 'task'])
    expect(body.blocks[3].parts[0].text).toContain('Remove the word')
  })

  it('is not published again when nothing has changed, and answers scripts with what came of it', async () => {
    const { err } = await onbook([...FILE])
    expect(err).toContain('Published 0, 16 there already; running newsroom.')
    const { code, body } = await json('run', 'newsroom', ...FILE.slice(2))
    expect([code, body.status, body.workflowId, body.steps]).toEqual([0, 'completed', 'newsroom', 5])
    expect(body.runId).toMatch(/^run_[0-9a-z]{20,}$/)
    expect(body.outputs.editor.paragraphs).toHaveLength(1)
    const { body: listed } = await json('runs', 'list', '--workflow', 'newsroom', '--status', 'completed')
    expect(listed.runs).toHaveLength(3)
    expect((await json('runs', '--status', 'paused')).body).toEqual({ runs: [] })
  })

  it('is told something else by one run: another template for a kind, another mode, last words', async () => {
    const options = ['--prompt-override', 'system=prompt:writer@1.0.0', '--mode', 'planning', '--override', 'Be brief.']
    const { body } = await json('run', 'newsroom', ...FILE.slice(2), ...options)
    const { body: story } = await json('show', body.runId)
    expect(story.prompts[0]).toMatchObject({ nodeId: 'writer', kind: 'system', resolved: 'prompt:writer@1.0.0' })
    expect(story.prompts[0].chain.find(({ applied }: { applied: boolean }) => applied).layer).toBe('run-configurable')
    const { body: step } = await json('show', body.runId, '--node', 'writer')
    expect(step.blocks.at(-1)).toMatchObject({ block: 'override', text: 'Be brief.' })
    expect(step.mode).toBe('planning')
  })

  it('ends with 1 when its budget is spent', async () => {
    const { code, body } = await json('run', 'newsroom', ...FILE.slice(2), '--budget-steps', '2')
    expect([code, body.status, body.error.code, body.steps]).toEqual([1, 'failed', 'budget_exhausted', 2])
  })
})

describe('a run at rest', () => {
  const { folder, onbook, json } = place()
  beforeAll(async () => {
    expect((await json('run', 'two.yaml', '--script', 'noted.yaml')).body).toMatchObject({
      status: 'completed',
      outputs: { reader: 'Noted.' },
    })
  })
  const newest = async () => (await json('runs')).body.runs[0].runId as string

  /** Interrupts a run in the middle of a step. */
  const left = async (signal: NodeJS.Signals) => {
    const result = await onbook(['run', 'two', '--script', 'stuck.yaml', '--watch'], {
      during: child => child.stderr!.on('data', data => String(data).includes('step 1 asks') && child.kill(signal)),
    })
    return { ...result, runId: await newest() }
  }

  it('that fails ends with 1 and says where and why', async () => {
    const { code, body } = await json('run', 'two', '--script', 'refused.yaml')
    expect([code, body.status, body.error]).toMatchObject([1, 'failed', { code: 'provider_terminal', nodeId: 'writer' }])
    expect((await onbook(['show', body.runId])).out).toContain('failed at writer (provider_terminal)')
  })

  it('that turns in circles is paused, with the evidence and what to do', async () => {
    const { code, body } = await json('run', 'two', '--script', 'circles.yaml')
    expect([code, body.status, body.paused]).toMatchObject([1, 'paused', { reason: 'stalled', nodeId: 'writer', evidence: { times: 3 } }])
    const { out } = await onbook(['show', body.runId])
    expect(out).toContain('workspace.read is refused (visible)')
    expect(out).toContain('repeats itself: it gave the same reply, 3 steps in a row')
    const resumed = await json('runs', 'resume', body.runId, '--script', 'noted.yaml')
    expect([resumed.code, resumed.body.status]).toEqual([0, 'completed'])
  })

  it('that is interrupted says how to go on, and goes on from there', async () => {
    const { code, err, runId } = await left('SIGINT')
    expect([code, err]).toEqual([1, expect.stringContaining(`onbook run resume ${runId}`)])
    expect((await json('runs', 'pause', runId)).body).toMatchObject({ runId, status: 'paused' })
    expect((await json('runs', 'mode', runId, 'planning')).body.mode).toBe('planning')
    expect((await onbook(['runs', 'override', runId, 'Be brief.', '--node', 'reader'])).code).toBe(0)
    const resumed = await json('runs', 'resume', runId, '--script', 'noted.yaml')
    expect([resumed.code, resumed.body.status]).toEqual([0, 'completed'])
    const { body } = await json('show', runId, '--node', 'reader')
    expect([body.mode, body.blocks.at(-1).text]).toEqual(['planning', 'Be brief.'])
    expect((await json('show', runId)).body.overrides).toMatchObject([
      { nodeId: 'reader', text: 'Be brief.', by: expect.stringContaining('cli') },
    ])
  })

  it('that was killed is cancelled by somebody else', async () => {
    const { runId } = await left('SIGKILL')
    expect(await json('runs', 'cancel', runId, '--reason', 'wrong brief')).toMatchObject({ code: 0, body: { runId, status: 'cancelled' } })
    expect((await json('verify')).body.intact).toBe(true)
  })

  it('that was left while it was being cancelled is resumed without a script, and ends', async () => {
    const { runId } = await left('SIGKILL')
    // The state after a cancel that is killed after its first commit.
    const store = sqliteStore(join(folder, '.onbook', 'onbook.db'), clock, PRODUCT_PROJECTIONS)
    await leaveCommand(store, { tenant: 'default', runId, actor: 'test' }, 'killed', { type: 'cancel', reason: 'enough' })
    await store.close()
    expect((await json('show', runId)).body.status).toBe('cancelling')
    expect(await json('runs', 'resume', runId)).toMatchObject({ code: 1, body: { runId, status: 'cancelled' } })
  })

  it('that somebody else pauses ends for whoever was at it', async () => {
    const { code, err } = await onbook(['run', 'two', '--script', 'stuck.yaml', '--watch'], {
      during: child =>
        child.stderr!.on('data', async data => {
          if (String(data).includes('step 1 asks')) await onbook(['runs', 'pause', await newest()])
        }),
    })
    expect([code, err]).toEqual([1, expect.stringContaining('is resumed, epoch 1')])
    expect((await json('runs', 'cancel', await newest())).body.status).toBe('cancelled')
  })

  it('whoever looks makes no record and changes none', async () => {
    expect(await place().json('runs')).toMatchObject({ code: 2, body: { error: 'store_missing' } })
    const before = await json('streams')
    for (const args of [['runs'], ['approvals'], ['show', await newest()]]) expect((await json(...args)).code).toBe(0)
    expect(await json('streams')).toEqual(before)
  })

  const refused: readonly [string, readonly string[], string][] = [
    ['a workflow that is not there', ['run', 'nobody'], 'workflow_not_found'],
    ['a file that is not there', ['run', 'no/such.yaml'], 'path_missing'],
    ['a file that is no workflow', ['run', 'noted.yaml'], 'workflow_invalid'],
    ['a run that nobody would go on with', ['run', 'two', '--detach'], 'usage_invalid'],
    ['inputs that are no object', ['run', 'two', '--input', '[]'], 'usage_invalid'],
    ['inputs that are no JSON', ['run', 'two', '--input', '{'], 'usage_invalid'],
    ['a mode that is none', ['run', 'two', '--mode', 'dreaming'], 'usage_invalid'],
    ['a kind that is none', ['run', 'two', '--prompt-override', 'tone=prompt:a'], 'usage_invalid'],
    ['a ref that is none', ['run', 'two', '--prompt-override', 'system=writer'], 'usage_invalid'],
    ['a model without a provider', ['run', 'two', '--model', 'small'], 'usage_invalid'],
    ['a budget of nothing', ['run', 'two', '--budget-steps', '0'], 'usage_invalid'],
    ['a run that is not there', ['show', 'nothing'], 'run_missing'],
    ['pausing one that is not there', ['runs', 'pause', 'nothing'], 'run_missing'],
    ['a status that is none', ['runs', '--status', 'dreaming'], 'usage_invalid'],
    ['a step of no node', ['show', 'nothing', '--step', '1'], 'usage_invalid'],
    ['an approval that nobody waits for', ['approvals', 'approve', 'nothing'], 'approval_missing'],
  ]
  it.each(refused)('%s ends with 2 and a code', async (_, args, code) => {
    expect(await json(...args)).toMatchObject({ code: 2, body: { error: code } })
  })

  it('a run that is over can be asked for nothing more', async () => {
    const { body } = await json('run', 'two', '--script', 'noted.yaml')
    for (const verb of ['pause', 'resume', 'cancel'])
      expect(await json('runs', verb, body.runId)).toMatchObject({ code: 2, body: { error: 'run_ended' } })
    expect(await json('show', body.runId, '--node', 'editor')).toMatchObject({ code: 2, body: { error: 'node_missing' } })
  })

  it('a reply cannot act on the terminal it is shown on', async () => {
    writeFileSync(join(folder, 'hostile.yaml'), 'replies:\n  - match: {}\n    text: "\\e[2J\\e]0;owned\\a\\u202egnorw"\n')
    const { out, err } = await onbook(['run', 'two', '--script', 'hostile.yaml', '--watch'])
    for (const text of [out, err, (await onbook(['show', await newest()])).out]) expect(text).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
  })
})

describe('a run that waits for a person', () => {
  const { folder, onbook, json } = place()
  writeFileSync(
    join(folder, 'plan.yaml'),
    'id: plan\nobjective: Plan it.\nmode: planning\norchestration: interactive\nnodes: [{ id: planner }]\n',
  )
  const ask = '{ toolName: request_implementation, arguments: { reason: The plan is ready. } }'
  writeFileSync(
    join(folder, 'planner.yaml'),
    `replies:\n  - match: { step: 1 }\n    toolCalls: [${ask}]\n  - match: { last: was approved }\n    text: Then I begin.\n  - match: { last: Hurry }\n    text: I do.\n  - match: {}\n    text: I wait.\n`,
  )
  const WORK = ['--script', 'planner.yaml'] as const

  it('says what it waits for, is answered, and goes on in the mode that was approved', async () => {
    const { code, body } = await json('run', 'plan.yaml', ...WORK)
    expect([code, body.status, body.approvals]).toMatchObject([
      1,
      'waiting-approval',
      [{ nodeId: 'planner', wants: { mode: 'implementation' } }],
    ])
    const waiting = { runId: body.runId, status: 'waiting-approval' }
    expect((await json('runs', '--status', 'waiting-approval')).body.runs).toMatchObject([waiting])
    expect((await json('runs', '--status', 'running')).body.runs).toEqual([])
    const { body: open } = await json('approvals')
    expect(open.approvals).toMatchObject([{ runId: body.runId, nodeId: 'planner' }])
    const { err } = await onbook(['approvals', 'approve', open.approvals[0].approval, '--note', 'Go ahead.', '--watch', ...WORK])
    expect(err).toContain('mode is now implementation, as approved')
    expect(err).toContain('│ Then I begin.')
    expect((await json('approvals')).body).toEqual({ approvals: [] })
    const again = await json('approvals', 'deny', open.approvals[0].approval)
    expect([again.code, again.body.message]).toEqual([
      2,
      expect.stringMatching(/was approved by cli:\S+ already, at \S+Z\. .*"onbook approval list" lists the open ones\.$/),
    ])
    expect((await json('runs')).body.runs).toMatchObject([{ status: 'waiting-input' }])
    const said = await onbook(['runs', 'say', body.runId, 'planner', 'Hurry up.', '--watch', ...WORK])
    expect(said.err).toContain('│ I do.')
    const { body: step } = await json('show', body.runId, '--node', 'planner')
    expect([step.mode, step.answer]).toEqual(['implementation', 'I do.'])
  })

  it('keeps its messages in its run: there is no session that could be taken up by itself', async () => {
    expect((await json('sessions', 'list')).body.sessions).toEqual([])
    const runId = (await json('runs')).body.runs[0].runId
    const { code, body } = await json('sessions', 'resume', `${runId}.planner`, ...WORK)
    expect([code, body.error]).toEqual([2, 'session_missing'])
  })
})
