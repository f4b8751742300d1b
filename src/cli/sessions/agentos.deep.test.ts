// Regression tests for reported defects of sessions (reports agentos, newcomer, packs), on the command line.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

const message = (text: string) => JSON.stringify([{ role: 'system', content: text }])
const folder = temporaryFolder(null, {
  'ws/prompts/packs/a.json': message('I am A.'),
  'ws/prompts/packs/b.json': message('I am B.'),
  'ws/agent.workspace.json': '{"schema_version":1}',
  'script.yaml': 'replies:\n  - match: {}\n    text: ok\n',
})
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const scripted = ['--provider', 'scripted', '--model', 'small'] as const

beforeAll(async () => {
  expect((await onbook('publish', 'ws', '--workspace', 'w')).code).toBe(0)
})

it('agentos D3: a run that names a prelude gets it, whatever is approved', async () => {
  await onbook('sessions', 'create', 's', ...scripted)
  await onbook('sync', 's', '--workspace', 'w', '--prelude', 'a')
  await onbook('apply', 's', '--when', 'immediate_if_idle')
  await onbook('sync', 's', '--workspace', 'w', '--prelude', 'b')
  await onbook('apply', 's')
  const run = ['sessions', 'run', 's', '--input', 'hi', '--script', 'script.yaml', '--watch']
  const named = await onbook(...run, '--workspace', 'w', '--prelude', 'a')
  expect([named.code, named.err]).toEqual([0, expect.stringContaining('(prelude a)')])
  // An option that does not concern the prelude keeps the approved one.
  const other = await onbook(...run, '--max-steps', '3')
  expect([other.code, other.err]).toEqual([0, expect.stringContaining('(prelude b)')])
})

it('agentos D8: a session that was never synced does not run, and one of a missing workspace is not made', async () => {
  await onbook('sessions', 'create', 'n', ...scripted, '--workspace', 'w', '--prelude', 'a')
  const refused = await onbook('sessions', 'run', 'n', '--input', 'hi', '--script', 'script.yaml')
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('onbook sync n')])
  const missing = await onbook('sessions', 'create', 'm', ...scripted, '--workspace', 'nope', '--prelude', 'a')
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('There is no workspace nope')])
})

it('agentos D9: a broken index fails the sync', async () => {
  const broken = temporaryFolder(null, { 'agent.workspace.json': '{oops', 'prompts/packs/a.json': message('A.') })
  await onbook('publish', broken, '--workspace', 'd')
  await onbook('sessions', 'create', 'd', ...scripted)
  const { code, out } = await onbook('sync', 'd', '--workspace', 'd', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([1, { outcome: 'failed', stage: 'index', code: 'index_invalid' }])
})

it('agentos D20: an interactive run is completed', async () => {
  await onbook('sessions', 'create', 'i', ...scripted)
  const { code } = await onbook('sessions', 'run', 'i', '--input', 'hi', '--interactive', '--script', 'script.yaml')
  expect(code).toBe(0)
  expect(await onbook('sessions', 'complete', 'i')).toMatchObject({ code: 0, out: 'i is completed.\n' })
  expect((await onbook('sessions', 'complete', 'i')).code).toBe(2)
})

it('agentos D24: check knows ignore files', async () => {
  const ignoring = temporaryFolder(null, {
    'prompts/packs/a.json': JSON.stringify({ id: 'a', templates: ['draft.md'] }),
    'prompts/templates/draft.md': 'Draft.',
    '.onbookignore': 'draft.md\n',
  })
  const { code, out } = await runCli(['check'], { cwd: ignoring })
  expect([code, out]).toEqual([1, expect.stringContaining('An ignore file names prompts/templates/draft.md')])
})

describe('approvals', () => {
  const call = '{ toolName: write_file, arguments: { path: a.txt, content: x } }'
  const place = temporaryFolder(null, {
    'repo/readme.md': 'A repo.',
    'onbook.host.yaml': 'model: { provider: scripted, model: small }\ntools: { bind: [write_file] }\n',
    'onbook.policy.yaml': 'offer: [write_file]\ngrants:\n  - tools: [write_file]\n    approval: {}\n',
    'change.yaml': 'id: change\nobjective: Write.\nnodes: [{ id: coder, role: implementer }]\n',
    'script.yaml': `replies:\n  - match: { step: 1 }\n    toolCalls: [${call}]\n  - match: {}\n    text: Done.\n`,
  })
  const WORK = ['--script', 'script.yaml', '--repo', 'repo'] as const
  const at = (...args: readonly string[]) => runCli(args, { cwd: place })
  const expireAfter = (ms: number) =>
    writeFileSync(
      join(place, 'onbook.policy.yaml'),
      `offer: [write_file]\ngrants:\n  - tools: [write_file]\n    approval: { expireAfterMs: ${ms} }\n`,
    )

  it('newcomer §4b: sessions run ends with 1 when a call waits for an approval, and prints the command that answers it', async () => {
    await at('sessions', 'create', 's', ...scripted)
    const waits = await at('sessions', 'run', 's', '--input', 'hi', ...WORK)
    expect([waits.code, waits.err]).toEqual([1, expect.stringContaining('is waiting-approval')])
    const command = /onbook approval approve (\S+) --script script.yaml --repo repo/.exec(waits.err)!
    expect((await at('sessions', 'show', 's')).out).toContain(`waits for an approval: onbook approval approve ${command[1]}`)
    expect((await at('approvals', 'approve', command[1]!, ...WORK)).code).toBe(0)
    expect((await at('sessions', 'show', 's')).out).toContain('s is completed')
    // A second answer is a conflict, and the message names who answered.
    const again = await at('approvals', 'deny', command[1]!, ...WORK, '--json')
    expect(JSON.parse(again.out)).toMatchObject({ error: 'approval_closed', message: expect.stringContaining('was approved by') })
  })

  it('packs D6, D9: an approval that has expired is no denial, and the run goes on from it in one command', async () => {
    // Long enough for the command to end first, and expired when the run is resumed.
    expireAfter(3_000)
    const waits = await at('run', 'change.yaml', ...WORK, '--json')
    const { runId } = JSON.parse(waits.out) as { readonly runId: string }
    await new Promise(resume => setTimeout(resume, 3_100))
    const resumed = await at('runs', 'resume', runId, ...WORK, '--watch')
    expect([resumed.code, resumed.err]).toEqual([0, expect.stringContaining('is completed')])
    const events = (await at('events', `run/${runId}`, '--json')).out
    expect(events).toContain('nobody answered in time')
    expect(events).not.toContain('a person denied it')
  })

  it('packs D6: the approval of a cancelled run was withdrawn, not denied', async () => {
    expireAfter(7_200_000)
    const { runId, approvals } = JSON.parse((await at('run', 'change', ...WORK, '--json')).out) as {
      readonly runId: string
      readonly approvals: readonly { readonly approval: string }[]
    }
    expect((await at('runs', 'cancel', runId)).code).toBe(0)
    const late = await at('approvals', 'approve', approvals[0]!.approval, ...WORK)
    expect([late.code, late.err]).toEqual([2, expect.stringContaining('was withdrawn')])
  })
})

describe('agentos D6: a run of a session is a run', () => {
  let runId: string
  beforeAll(async () => {
    await onbook('sessions', 'create', 'asked', ...scripted)
    await onbook('sync', 'asked', '--workspace', 'w', '--prelude', 'a')
    await onbook('apply', 'asked', '--when', 'immediate_if_idle')
    const { out } = await onbook('sessions', 'run', 'asked', '--input', 'hi', '--script', 'script.yaml', '--json')
    runId = (JSON.parse(out) as { readonly runId: string }).runId
  })

  it.each([
    ['why', ['prelude a', 'w version 1', 'workspace.applied']],
    ['blame', ['prelude', 'prompts/packs/a.json']],
    ['show', ['session:asked', 'is completed', 'session: ok']],
    ['prefix', ['node:session', 'visit 1, step 1']],
    ['replay', ['Identical.']],
  ])('agentos D6: onbook %s answers for the run of a session', async (question, told) => {
    const { code, out, err } = await onbook(question, runId)
    expect([code, err]).toEqual([0, ''])
    for (const text of told) expect(out).toContain(text)
  })

  it('agentos D6: onbook why names the run that brought its own snapshot', async () => {
    const own = ['--workspace', 'w', '--prelude', 'b']
    const { out } = await onbook('sessions', 'run', 'asked', '--input', 'hi', '--script', 'script.yaml', '--json', ...own)
    const { runId: second } = JSON.parse(out) as { readonly runId: string }
    const answers = JSON.parse((await onbook('why', second, '--json')).out)
    expect(answers).toMatchObject([
      {
        nodeId: 'session',
        chain: [],
        active: [
          {
            before: { source: 'workspace' },
            snapshot: { prelude: { name: 'b' } },
            adopted: [{ stream: `run/${second}`, type: 'run.created' }],
          },
        ],
      },
    ])
  })

  it('agentos D6: the session says which run it is', async () => {
    expect((await onbook('sessions', 'events', 'asked')).out).toContain(`run 1 begins: ${runId}`)
    expect((await onbook('runs', '--json')).out).toContain(runId)
  })
})

describe('agentos D11: AgentOS’s dialect', () => {
  const config = {
    provider: 'scripted',
    model: 'small',
    reasoning_effort: { $tag: 'High' },
    max_tokens: 100,
    workspace_binding: { workspace: 'w', version: null },
    default_prompt_pack: 'a',
    default_prompt_refs: null,
    default_tool_catalog: null,
    default_tool_refs: null,
  }
  const aos = async (...args: readonly string[]) => {
    const { code, out, err } = await onbook(...args, '--dialect', 'aos', '--json')
    expect([code, err]).toEqual([0, ''])
    return out.trimEnd()
  }

  it('names the configs that a session is made of, shown and changed with', async () => {
    writeFileSync(join(folder, 'aos.json'), JSON.stringify(config))
    expect(JSON.parse(await aos('sessions', 'create', 'x', '--config', '@aos.json', '--max-steps', '9'))).toEqual({
      session_id: 'x',
      session_config: config,
    })
    const changed = { ...config, model: 'large', max_tokens: null }
    expect(JSON.parse(await aos('sessions', 'config', 'x', '--config', JSON.stringify(changed)))).toMatchObject({ session_config: changed })
    expect(JSON.parse((await onbook('sessions', 'config', 'x', '--json')).out).config).toMatchObject({
      model: 'large',
      workspace: { name: 'w', version: null },
      prelude: 'a',
      limits: { maxSteps: 9 },
    })
    expect(JSON.parse(await aos('sessions', 'show', 'x'))).toMatchObject({ lifecycle: { $tag: 'Idle' }, session_config: changed })
    expect((await onbook('sessions', 'config', 'x', '--dialect', 'aos')).out).toContain('reasoning_effort: $tag High\n')
  })

  it('tells the whole story of a session, its run included, from the record and through a host alike', async () => {
    await onbook('sessions', 'create', 'y', ...scripted)
    await onbook('sync', 'y', '--workspace', 'w', '--prelude', 'a')
    await onbook('apply', 'y', '--when', 'immediate_if_idle')
    expect((await onbook('sessions', 'run', 'y', '--input', 'hi', '--script', 'script.yaml')).code).toBe(0)
    const lines = await aos('sessions', 'events', 'y')
    const events = lines.split('\n').map(line => JSON.parse(line) as { readonly event: { readonly $tag: string } })
    expect(events.map(({ event }) => event.$tag)).toEqual([
      'WorkspaceSyncRequested',
      'WorkspaceSnapshotReady',
      'WorkspaceApplyRequested',
      'RunRequested',
      'RunStarted',
      'RunCompleted',
    ])
    expect((await onbook('sessions', 'events', 'y', '--dialect', 'aos')).out).toContain('\nrun 1  RunStarted\nrun 1  RunCompleted\n')
    const host = await serveCli(folder)
    try {
      expect(await aos('sessions', 'events', 'y')).toBe(lines)
    } finally {
      await host.stop()
    }
  })

  it('has no other dialects beside it, and makes nothing in one', async () => {
    const refused = await onbook('sessions', 'create', 'z', ...scripted, '--dialect', 'klingon')
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('There is no dialect "klingon". The dialects are onbook and aos'),
    ])
    expect((await onbook('sessions', 'show', 'z')).code).toBe(2)
  })
})
