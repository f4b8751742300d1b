// Tests the commands about sessions: the contract with scripts, refusals, and permissions.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type ServedHost, serveCli } from '../../testing/hosts/serve-cli.ts'
import { loopbackChat } from '../../testing/models/loopback-chat.ts'

const ECHO = 'replies:\n  - match: {}\n    text: Noted.\n'
const READ =
  'replies:\n  - match: { step: 1 }\n    toolCalls: [{ toolName: workspace.read, arguments: { path: notes.md } }]\n  - match: {}\n    text: Done.\n'
const CONFIG = ['--provider', 'scripted', '--model', 'small']
const prelude = '[{"role":"system","content":"Be brief."}]'

const place = (files: Readonly<Record<string, string>> = {}) => {
  const folder = temporaryFolder(null, { 'script.yaml': ECHO, ...files })
  const onbook = async (...args: string[]) => {
    const { code, out, err } = await runCli([...args, '--json'], { cwd: folder })
    return { code, err, body: out === '' ? null : JSON.parse(out) }
  }
  return { folder, onbook }
}

describe('at rest', () => {
  const { folder, onbook } = place({ 'desk/prompts/packs/default.json': prelude })
  beforeAll(async () => {
    await onbook('publish', 'desk', '--workspace', 'desk')
    expect(await onbook('sessions', 'create', 'writer', ...CONFIG)).toMatchObject({ code: 0, body: { session: 'writer' } })
  })

  it('sync and apply keep their contract', async () => {
    expect(await onbook('apply', 'writer')).toMatchObject({ code: 1, body: { outcome: 'refused', code: 'nothing_pending' } })
    expect(await onbook('sync', 'writer', '--workspace', 'desk', '--prelude', 'other')).toMatchObject({
      code: 1,
      body: { outcome: 'failed', stage: 'prelude', code: 'file_missing' },
    })
    expect(await onbook('sync', 'writer', '--workspace', 'desk@1', '--prelude', 'default')).toMatchObject({
      code: 0,
      body: { outcome: 'ready' },
    })
    expect(await onbook('apply', 'writer', '--when', 'next_run')).toMatchObject({
      code: 0,
      body: { outcome: 'approved', at: 'run', firstRun: 1 },
    })
    expect((await onbook('sessions', 'run', 'writer', '--input', 'x', '--script', 'script.yaml')).body).toMatchObject({ reply: 'Noted.' })
    expect(await onbook('sync', 'writer')).toMatchObject({ code: 0, body: { outcome: 'unchanged', version: 1 } })
  })

  it('whoever looks makes no record and changes none', async () => {
    const { onbook: elsewhere } = place()
    expect(await elsewhere('sessions', 'list')).toMatchObject({ code: 2, body: { error: 'store_missing' } })
    writeFileSync(join(folder, 'other.yaml'), 'grants: [{ tools: [pay] }]\n')
    const before = await onbook('streams')
    await onbook('sessions', 'show', 'writer')
    await onbook('sessions', 'list')
    expect(await onbook('streams')).toEqual(before)
  })

  const refused: readonly [string, readonly string[], string][] = [
    ['a session that is not there', ['sessions', 'show', 'nobody'], 'session_missing'],
    ['a sync of one that is not there', ['sync', 'nobody', '--workspace', 'desk'], 'session_missing'],
    ['a name that leads elsewhere', ['sessions', 'create', '../x'], 'name_invalid'],
    ['a name that is taken', ['sessions', 'create', 'writer'], 'session_exists'],
    ['a workspace that leads elsewhere', ['sync', 'writer', '--workspace', '..'], 'workspace_name_invalid'],
    ['a moment that is none', ['apply', 'writer', '--when', 'soon'], 'usage_invalid'],
    ['a file that is not there', ['sessions', 'create', 'x', '--prompt', 'nothing.json'], 'file_unreadable'],
    [
      'an object that is not there',
      ['sessions', 'create', 'x', '--config', `{"promptDigests":["sha256:${'0'.repeat(64)}"]}`],
      'object_missing',
    ],
    ['a config that is none', ['sessions', 'create', 'x', '--config', '{"colour":1}'], 'validation_error'],
    ['a run that nobody would go on with', ['sessions', 'run', 'writer', '--input', 'x', '--detach'], 'usage_invalid'],
    ['nothing to go on with', ['sessions', 'resume', 'writer'], 'run_missing'],
    ['a script that is not there', ['sessions', 'run', 'writer', '--input', 'x', '--script', 'nothing.yaml'], 'file_unreadable'],
    ['nothing to cancel', ['sessions', 'cancel', 'writer'], 'command_not_allowed'],
  ]
  it.each(refused)('%s ends with 2 and a code', async (_, args, code) => {
    expect(await onbook(...args)).toMatchObject({ code: 2, body: { error: code } })
  })

  it('a run that nobody can answer is refused before it is on record, and the fault says what to do', async () => {
    const { code, body } = await onbook('sessions', 'run', 'writer', '--input', 'x')
    expect([code, body.error]).toEqual([2, 'provider_unready'])
    expect(body.message).toContain('--script FILE')
  })

  it('what a command that was killed has left is taken up, or cancelled', async () => {
    writeFileSync(join(folder, 'stuck.yaml'), 'replies:\n  - match: {}\n    ticks: 1000000000\n    text: Never.\n')
    const killed = (session: string) =>
      runCli(['sessions', 'run', session, '--input', 'x', '--script', 'stuck.yaml', '--watch'], {
        cwd: folder,
        during: child => child.stderr!.on('data', data => String(data).includes('step 1 asks') && child.kill('SIGKILL')),
      })
    for (const session of ['resumed', 'cancelled']) {
      await onbook('sessions', 'create', session, ...CONFIG)
      await killed(session)
    }
    expect((await onbook('sessions', 'run', 'resumed', '--input', 'y')).body.error).toBe('run_already_active')
    expect(await onbook('sessions', 'resume', 'resumed', '--script', 'script.yaml')).toMatchObject({
      code: 0,
      body: { status: 'completed', reply: 'Noted.' },
    })
    expect(await onbook('sessions', 'cancel', 'cancelled')).toMatchObject({ code: 0, body: { lifecycle: 'cancelled' } })
  })
})

it('bytes that no longer match their name are neither sent nor adopted', async () => {
  const { folder, onbook } = place({ 'brief.json': '"Be brief."', 'desk/prompts/packs/default.json': prelude })
  await onbook('publish', 'desk', '--workspace', 'desk')
  await onbook('sessions', 'create', 'direct', ...CONFIG, '--prompt', 'brief.json')
  await onbook('sessions', 'create', 'synced', ...CONFIG)
  const database = openDatabase(join(folder, '.onbook', 'onbook.db'))
  const damaged = database.prepare('UPDATE objects SET bytes = ? WHERE bytes = ?')
  for (const text of ['"Be brief."', prelude]) damaged.run(Buffer.from(text.replace('brief', 'quick')), Buffer.from(text))
  database.close()
  expect(await onbook('sessions', 'run', 'direct', '--input', 'x', '--script', 'script.yaml')).toMatchObject({
    code: 1,
    body: { status: 'failed', code: 'object_corrupt' },
  })
  expect(await onbook('sync', 'synced', '--workspace', 'desk', '--prelude', 'default')).toMatchObject({
    code: 1,
    body: { outcome: 'failed', stage: 'prelude', code: 'object_corrupt' },
  })
  expect((await onbook('sessions', 'show', 'synced')).body.workspace).toMatchObject({ active: null, pending: null })
})

it('a real provider is asked, a slot is filled on the way, and the record has neither the secret nor its echo', async () => {
  const secret = 'swordfish-1234567'
  const provider = await loopbackChat('openai', () => ({ pieces: ['It is ', secret, '.'] }))
  const slot = JSON.stringify([
    {
      role: 'system',
      content: [
        { type: 'text', text: 'The word is ' },
        { type: 'secret', id: 'word' },
      ],
    },
  ])
  const { folder } = place({ 'slot.json': slot })
  const env = { OPENAI_COMPATIBLE_BASE_URL: provider.url }
  const onbook = async (...args: string[]) => JSON.parse((await runCli([...args, '--json'], { cwd: folder, env })).out)
  await onbook('sessions', 'create', 'real', '--provider', 'openai-compatible', '--model', 'm', '--prompt', 'slot.json')
  expect(await onbook('sessions', 'run', 'real', '--input', 'x')).toMatchObject({ status: 'failed', code: 'secret_missing' })
  writeFileSync(join(folder, '.onbook', 'secrets.json'), JSON.stringify({ default: { word: secret } }), { mode: 0o600 })
  expect(await onbook('sessions', 'run', 'real', '--input', 'y')).toMatchObject({ status: 'completed', reply: 'It is [REDACTED:word].' })
  expect(provider.heard.map(({ body }) => body.includes(secret))).toEqual([true])
  await provider.close()
  const database = openDatabase(join(folder, '.onbook', 'onbook.db'))
  const found = (table: string) =>
    database.prepare(`SELECT count(*) AS n FROM ${table} WHERE instr(bytes, ?) > 0`).get(Buffer.from(secret)) as { n: number }
  expect([found('objects').n, found('events').n]).toEqual([0, 0])
  expect(database.prepare('SELECT count(*) AS n FROM objects WHERE instr(bytes, ?) > 0').get(Buffer.from('requestSeal'))).toEqual({ n: 1 })
  database.close()
})

describe('a policy', () => {
  it('comes from where onbook is started, never from content, and every change of it is on record', async () => {
    const policy = 'grants: [{ tools: ["workspace.*"] }]\noffer: ["workspace.*"]\n'
    const { folder, onbook } = place({
      'script.yaml': READ,
      'desk/onbook.policy.yaml': policy,
      'desk/notes.md': 'Ours.',
      'desk/prompts/packs/default.json': prelude,
    })
    await onbook('publish', 'desk', '--workspace', 'desk')
    await onbook('sessions', 'create', 'writer', ...CONFIG)
    await onbook('sync', 'writer', '--workspace', 'desk', '--prelude', 'default')
    await onbook('apply', 'writer', '--when', 'immediate_if_idle')
    const run = () => onbook('sessions', 'run', 'writer', '--input', 'Read', '--script', 'script.yaml')
    const decisions = async ({ body }: { readonly body: { readonly runId: string } }) => {
      const { out } = await runCli(['events', `run/${body.runId}`, '--json'], { cwd: folder })
      return out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(({ type }) => type === 'call.judged')
        .map(({ payload }) => payload.verdict.decision)
    }
    expect(await decisions(await run())).toEqual(['refused'])
    writeFileSync(join(folder, 'onbook.policy.yaml'), policy)
    expect(await decisions(await run())).toEqual(['allowed'])
    writeFileSync(join(folder, 'onbook.policy.yaml'), `${policy}workspaces: [{ sessions: [other], workspaces: ["*"] }]\n`)
    expect(await onbook('sync', 'writer')).toMatchObject({ code: 1, body: { outcome: 'failed', code: 'workspace_not_allowed' } })
    const { out } = await runCli(['events', 'host/policy', '--tenant', 'onbook', '--json'], { cwd: folder })
    const changed = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(changed.map(({ type, payload }) => [type, payload.changes.map(({ setting }: { setting: string }) => setting)])).toEqual([
      ['policy.changed', ['grants', 'offer']],
      ['policy.changed', ['workspaces']],
    ])
    writeFileSync(join(folder, 'onbook.policy.yaml'), 'grants:\n  - tool: [x]\n')
    const refused = await run()
    expect(refused).toMatchObject({ code: 2, body: { error: 'policy_invalid' } })
    expect(refused.body.message).toContain('line 2, column 5')
  })
})

it('agentos D12: a prelude gets a secret of the tenant only where the policy file lets its workspace use it', async () => {
  const slot = JSON.stringify([{ role: 'system', content: [{ type: 'secret', id: 'TOKEN' }] }])
  const { folder, onbook } = place({ 'script.yaml': READ, 'desk/prompts/packs/default.json': slot })
  await onbook('publish', 'desk', '--workspace', 'desk')
  await onbook('sessions', 'create', 'writer', ...CONFIG)
  const sync = () => onbook('sync', 'writer', '--workspace', 'desk', '--prelude', 'default')
  expect(await sync()).toMatchObject({ code: 1, body: { outcome: 'failed', code: 'secret_not_granted' } })
  writeFileSync(join(folder, 'onbook.policy.yaml'), 'secrets: [{ secrets: [TOKEN], workspaces: [desk] }]\n')
  expect(await sync()).toMatchObject({ code: 0, body: { outcome: 'ready', warnings: [{ code: 'secret_used' }] } })
  expect((await runCli(['policy', 'show'], { cwd: folder })).out).toMatch(/preludes use secrets: .*TOKEN.*desk/)
})

describe('through a host', () => {
  const { folder, onbook } = place()
  let host: ServedHost
  beforeAll(async () => {
    host = await serveCli(folder, '--script', 'script.yaml')
    await onbook('sessions', 'create', 'writer', ...CONFIG)
  })
  afterAll(() => host.stop('SIGKILL'))

  it('the host that runs on the folder does the work, and says who asked', async () => {
    expect((await onbook('sessions', 'run', 'writer', '--input', 'x')).body).toMatchObject({ status: 'completed', reply: 'Noted.' })
    const { body } = await host.ask('GET', '/v1/sessions/writer/events')
    expect((body as { events: { actor: string }[] }).events[0]!.actor).toMatch(/^key:/)
    expect((await onbook('sessions', 'list')).body.sessions).toMatchObject([{ session: 'writer', run: 1, open: false }])
  })

  it('the key of the folder is shown to no other host', async () => {
    expect(await onbook('sessions', 'list', '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 2, body: { error: 'usage_invalid' } })
    expect((await onbook('sessions', 'list', '--url', host.url)).code).toBe(0)
  })

  it('what it refuses is said on with its code; one that is not there is said to be', async () => {
    expect(await onbook('sessions', 'show', 'nobody')).toMatchObject({ code: 2, body: { error: 'session_missing' } })
    expect(await onbook('sessions', 'show', 'writer', '--url', host.url, '--key', 'onbook_x')).toMatchObject({
      code: 2,
      body: { error: 'unauthenticated' },
    })
    expect(await onbook('sessions', 'show', 'writer', '--url', 'http://127.0.0.1:1', '--key', 'onbook_x')).toMatchObject({
      code: 2,
      body: { error: 'host_unreachable' },
    })
  })
})
