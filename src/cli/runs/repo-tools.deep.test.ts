// Tests repo tools from outside: off until the host enables them, only on the named repo, never on the files of the host itself.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

const TOOLS = ['read_file', 'list_files', 'write_file', 'delete_file', 'command']
const SECRET = 'sk-of-the-host-0123456789'

type Call = readonly [toolName: string, args: object]

const scriptOf = (calls: readonly Call[]): string =>
  JSON.stringify({
    replies: [
      { match: { step: 1 }, toolCalls: calls.map(([toolName, args]) => ({ toolName, arguments: args })) },
      { match: {}, text: 'Done.' },
    ],
  })

/** A repo that contains the host's settings, policy and record, all under unusual names. */
const folderWith = (calls: readonly Call[], bind: readonly string[] = TOOLS): string =>
  temporaryFolder(null, {
    'settings.yaml': JSON.stringify({ model: { provider: 'scripted', model: 'small' }, tools: { bind } }),
    'rules.yaml': JSON.stringify({ offer: TOOLS, grants: [{ tools: TOOLS }] }),
    'script.yaml': scriptOf(calls),
    'work.yaml': JSON.stringify({ id: 'work', objective: 'Work.', nodes: [{ id: 'agent' }] }),
    'src/a.txt': 'inside',
  })

const PLACED = ['--config', 'settings.yaml', '--policy', 'rules.yaml', '--data', 'store', '--script', 'script.yaml']

interface Judged {
  readonly type: string
  readonly payload: { readonly verdict: { readonly decision: string }; readonly status: string; readonly code?: string }
}

/** The decision on each call, and its outcome. */
async function ran(cwd: string, ...more: readonly string[]) {
  const { code, out, err } = await runCli(['run', 'work.yaml', ...PLACED, '--json', ...more], { cwd, env: { SOME_API_KEY: SECRET } })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { runId } = JSON.parse(out)
  const story = await runCli(['events', `run/${runId}`, '--data', 'store', '--json'], { cwd })
  const events = story.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Judged)
  return {
    decisions: events.flatMap(({ type, payload }) => (type === 'call.judged' ? [payload.verdict.decision] : [])),
    ends: events.flatMap(({ type, payload }) => (type === 'call.settled' ? [payload.code ?? payload.status] : [])),
  }
}

describe('without a repo', () => {
  const folder = folderWith([])

  it.each([
    ['run', ['run', 'work.yaml', ...PLACED]],
    ['serve', ['serve', '--port', '0', ...PLACED]],
  ])('%s says that one has to be named', async (_, args) => {
    const { code, out } = await runCli([...args, '--json'], { cwd: folder })
    expect({ code, error: JSON.parse(out.trim().split('\n').at(-1)!).error }).toEqual({ code: 2, error: 'repo_unnamed' })
  })

  it('what calls no tool goes on', async () => {
    const usual = temporaryFolder(null, {
      'onbook.host.yaml': JSON.stringify({ tools: { bind: TOOLS } }),
      'script.yaml': 'replies: [{ text: Hello. }]',
    })
    const at = (...args: readonly string[]) => runCli(args, { cwd: usual })
    expect(await at('sessions', 'create', 'writer', '--provider', 'scripted', '--model', 'small')).toMatchObject({ code: 0 })
    expect(await at('sessions', 'list')).toMatchObject({ code: 0 })
    expect(await at('runs')).toMatchObject({ code: 0 })
    const run = ['sessions', 'run', 'writer', '--input', 'Hello', '--script', 'script.yaml']
    expect(await at(...run)).toMatchObject({ code: 2, err: expect.stringContaining('Name one with --repo DIR') })
    expect(await at(...run, '--repo', '.')).toMatchObject({ code: 0 })
  })
})

it('an agent works on the repo with what the host has named, and with nothing else', async () => {
  const folder = folderWith(
    [
      ['write_file', { path: 'src/b.txt', content: 'written' }],
      ['read_file', { path: 'src/b.txt' }],
      ['command', { cmd: 'touch src/c.txt' }],
    ],
    ['read_file', 'write_file'],
  )
  expect(await ran(folder, '--repo', '.')).toEqual({
    decisions: ['allowed', 'allowed', 'refused'],
    ends: ['succeeded', 'succeeded', 'tool_refused'],
  })
  expect(readdirSync(join(folder, 'src'))).toEqual(['a.txt', 'b.txt'])
})

it('what the host keeps is neither read nor written, whatever it is called', async () => {
  const folder = folderWith([
    ['list_files', { path: 'store' }],
    ['read_file', { path: 'store/onbook.db' }],
    ['read_file', { path: 'store/is-there-one' }],
    ['write_file', { path: 'store/x', content: '' }],
    ['command', { cmd: 'ls', cwd: 'store' }],
    ['write_file', { path: 'rules.yaml', content: '' }],
    ['delete_file', { path: 'settings.yaml' }],
    ['read_file', { path: 'rules.yaml' }],
  ])
  const { ends } = await ran(folder, '--repo', '.')
  // The gate refuses changes; the tool itself refuses to read.
  const [kept, refused] = ['repo_path_protected', 'tool_refused']
  expect(ends).toEqual([kept, kept, kept, refused, kept, refused, refused, 'succeeded'])
  expect([existsSync(join(folder, 'store/x')), existsSync(join(folder, 'settings.yaml'))]).toEqual([false, true])
})

it.runIf(process.platform === 'linux')('a secret of the host is not kept, even where a command can find it', async () => {
  const folder = folderWith([
    ['command', { cmd: 'env; cat /proc/$PPID/environ' }],
    ['write_file', { path: 'src/key.txt', content: 'none' }],
    ['command', { cmd: "tr '\\0' '\\n' < /proc/$PPID/environ | grep SOME_API_KEY > src/key.txt" }],
    ['read_file', { path: 'src/key.txt' }],
  ])
  expect((await ran(folder, '--repo', '.')).ends).toEqual(Array(4).fill('succeeded'))
  // The command is not sandboxed: it can write whatever it could find.
  expect(readFileSync(join(folder, 'src/key.txt'), 'utf8')).toBe(`SOME_API_KEY=${SECRET}\n`)
  for (const file of readdirSync(join(folder, 'store')).filter(name => name.startsWith('onbook.db')))
    expect(readFileSync(join(folder, 'store', file), 'latin1')).not.toContain(SECRET)
})

it('a host binds them, says so, and lets runs use them', async () => {
  const folder = temporaryFolder(null, {
    'onbook.host.yaml': JSON.stringify({ model: { provider: 'scripted', model: 'small' }, tools: { bind: ['write_file'] } }),
    'onbook.policy.yaml': JSON.stringify({ offer: ['write_file'], grants: [{ tools: ['write_file'] }] }),
    'script.yaml': scriptOf([['write_file', { path: 'src/b.txt', content: 'written' }]]),
    'work.yaml': JSON.stringify({ id: 'work', objective: 'Work.', nodes: [{ id: 'agent' }] }),
    'repo/src/a.txt': 'inside',
  })
  const host = await serveCli(folder, '--repo', 'repo', '--script', 'script.yaml')
  try {
    const { body } = await host.ask('GET', '/v1/tools')
    expect((body as { tools: { name: string }[] }).tools.map(({ name }) => name)).toContain('write_file')
    expect(JSON.stringify(body)).not.toContain('read_file')
    expect(await runCli(['run', 'work.yaml'], { cwd: folder })).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'repo/src/b.txt'), 'utf8')).toBe('written')
  } finally {
    await host.stop()
  }
})
