// Tests sessions end to end: the packed command line and a running host. Each story prints its events.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type ServedHost, serveCli } from '../../testing/hosts/serve-cli.ts'

const SECONDS = { timeout: 60_000 }
const hosts: ServedHost[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop('SIGKILL')
})

const prelude = (text: string) => JSON.stringify([{ role: 'system', content: text }])
const INDEX = '{"schema_version": 1, "defaults": {"prompt_pack": "default"}}'
const ECHO = 'replies:\n  - match: {}\n    text: Noted.\n'
const CONFIG = ['--provider', 'scripted', '--model', 'small']

interface Shown {
  readonly type: string
  readonly payload: Json
}

function story(title: string, files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder(null, { 'script.yaml': ECHO, ...files })
  const told = [title]
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  /** Runs a command, checks its exit code, and logs it. */
  const onbook = async (line: string, code = 0): Promise<string> => {
    const run = await runCli(line.split(' '), { cwd: folder })
    told.push(`$ onbook ${line}`, ...`${run.err}${run.out}`.trimEnd().split('\n'))
    expect(run.code, `${line}: ${run.err}${run.out}`).toBe(code)
    return run.out
  }
  const json = async (line: string, code = 0) => {
    const run = await runCli([...line.split(' '), '--json'], { cwd: folder })
    told.push(`$ onbook ${line} --json`, JSON.stringify(JSON.parse(run.out)))
    expect(run.code, `${line}: ${run.err}${run.out}`).toBe(code)
    return JSON.parse(run.out)
  }
  const serve = async (...args: string[]): Promise<ServedHost> => {
    const host = await serveCli(folder, ...args)
    hosts.push(host)
    return host
  }
  const linesOf = async (...args: string[]): Promise<readonly Shown[]> =>
    (await runCli([...args, '--json'], { cwd: folder })).out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  const events = (session: string) => linesOf('sessions', 'events', session)
  /** Events of the runs of a session, with the number of each run. */
  const runEvents = async (session: string): Promise<readonly (Shown & { readonly run: number })[]> => {
    const runs = (await events(session)).filter(({ type }) => type === 'run.attached')
    const found = runs.map(async ({ payload }) => {
      const { run, runId } = payload as { readonly run: number; readonly runId: string }
      return (await linesOf('events', runStream(runId))).map(event => ({ ...event, run }))
    })
    return (await Promise.all(found)).flat()
  }
  return { folder, write, onbook, json, serve, events, runEvents, told, done: () => console.log(told.join('\n  ')) }
}

interface ShownStep {
  readonly source: string
  readonly snapshot: { readonly version: number } | null
  readonly request: { readonly prelude: readonly string[] }
}

const stepsOf = (events: readonly (Shown & { readonly run: number })[]): readonly (ShownStep & { readonly run: number })[] =>
  events.filter(({ type }) => type === 'step.started').map(({ run, payload }) => ({ ...(payload as unknown as ShownStep), run }))

it('(a) a session runs with messages by digest and needs no workspace', SECONDS, async () => {
  const { onbook, json, runEvents, done } = story('Direct digests, no workspace', { 'brief.json': prelude('Be brief.') })
  await onbook(`sessions create direct ${CONFIG.join(' ')} --prompt brief.json`)
  expect(await onbook('sessions run direct --input Hello --script script.yaml --watch')).toBe('Noted.\n')
  const shown = await json('sessions show direct')
  expect(shown).toMatchObject({ lifecycle: 'completed', messages: 2, workspace: { active: null } })
  const [step] = stepsOf(await runEvents('direct'))
  expect(step!.request.prelude).toEqual(shown.config.promptDigests)
  expect(step).toMatchObject({ source: 'direct', snapshot: null })
  done()
})

it(
  '(b) what is published changes nothing until it is synced and applied, and then at the boundary that was asked for',
  SECONDS,
  async () => {
    const { write, onbook, json, serve, runEvents, told, done } = story('Publish, sync, apply', {
      'desk/agent.workspace.json': INDEX,
      'desk/prompts/packs/default.json': prelude('One.'),
    })
    await onbook('publish desk --workspace desk')
    const host = await serve('--script', 'script.yaml')
    await onbook(`sessions create writer ${CONFIG.join(' ')}`)
    expect(await json('sync writer --workspace desk')).toMatchObject({
      outcome: 'ready',
      snapshot: { version: 1, prelude: { name: 'default' } },
    })
    expect(await json('apply writer --when immediate_if_idle')).toMatchObject({ outcome: 'applied' })
    await onbook('sessions run writer --input first --watch')

    write('desk/prompts/packs/default.json', prelude('Two.'))
    await onbook('publish desk --workspace desk')
    await onbook('sessions run writer --input second --interactive --watch')
    expect(stepsOf(await runEvents('writer')).map(({ snapshot }) => snapshot?.version)).toEqual([1, 1])

    const config = ((await host.ask('GET', '/v1/sessions/writer')).body as { run: { config: Json } }).run.config
    await onbook('sync writer')
    expect(await json('apply writer --when next_step_boundary')).toMatchObject({
      outcome: 'approved',
      at: 'step',
      snapshot: { version: 2 },
    })
    await onbook('sessions say writer third --watch')
    expect(stepsOf(await runEvents('writer')).map(({ run, snapshot }) => [run, snapshot?.version])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ])
    const { body: shown } = await host.ask('GET', '/v1/sessions/writer')
    expect((shown as { run: { config: Json } }).run.config).toEqual(config)
    expect(await json('sync writer')).toMatchObject({ outcome: 'unchanged', version: 2 })

    const { body: last } = await host.ask('GET', '/v1/sessions/writer')
    await host.stop()
    const elsewhere = await json('sessions show writer')
    expect(canonicalJson(elsewhere)).toBe(canonicalJson(last as Json))
    told.push('The log folds to the same state in another process.')
    done()
  },
)

it('(c) a version that is not valid replaces nothing', SECONDS, async () => {
  const { onbook, serve, events, runEvents, done } = story('An invalid version', { 'desk/prompts/packs/default.json': prelude('One.') })
  await onbook('publish desk --workspace desk')
  const host = await serve('--script', 'script.yaml')
  await onbook(`sessions create writer ${CONFIG.join(' ')}`)
  await onbook('sync writer --workspace desk --prelude default')
  await onbook('apply writer --when immediate_if_idle')
  const put = await host.ask('PUT', '/v1/workspaces/desk/files/prompts/packs/default.json', Buffer.from('{"nothing": true}'))
  expect(put).toMatchObject({ status: 200, body: { version: 2 } })
  await onbook('sync writer', 1)
  await onbook('apply writer --when immediate_if_idle', 1)
  await onbook('sessions run writer --input Hello')
  const failed = (await events('writer')).find(({ type }) => type === 'workspace.syncFailed')
  expect(failed?.payload).toMatchObject({ stage: 'prelude', code: 'prelude_invalid' })
  expect(stepsOf(await runEvents('writer')).map(({ snapshot }) => snapshot?.version)).toEqual([1])
  await onbook('sessions show writer')
  done()
})

it('(d) a run that names another prelude and version has a snapshot of its own', SECONDS, async () => {
  const { write, onbook, json, runEvents, done } = story('A run of its own', {
    'desk/prompts/packs/default.json': prelude('One.'),
    'desk/prompts/packs/terse.json': prelude('Terse one.'),
  })
  await onbook('publish desk --workspace desk')
  write('desk/prompts/packs/terse.json', prelude('Terse two.'))
  await onbook('publish desk --workspace desk')
  await onbook(`sessions create writer ${CONFIG.join(' ')}`)
  await onbook('sync writer --workspace desk --prelude default')
  await onbook('apply writer --when immediate_if_idle')
  await onbook('sessions run writer --input once --workspace desk@1 --prelude terse --script script.yaml --watch')
  await onbook('sessions run writer --input again --script script.yaml --watch')
  await onbook('sessions run writer --input never --workspace desk@9 --script script.yaml', 1)
  const steps = stepsOf(await runEvents('writer'))
  expect(steps.map(({ snapshot }) => snapshot)).toMatchObject([
    { version: 1, prelude: { name: 'terse' } },
    { version: 2, prelude: { name: 'default' } },
  ])
  expect((await json('sessions show writer')).workspace.active).toMatchObject({ version: 2, prelude: { name: 'default' } })
  done()
})

const READ = 'toolCalls: [{ toolName: workspace.read, arguments: { path: context/docs/style.md } }]'

it('a host that is killed during a run is followed by one that finishes it, and nothing settled is done twice', SECONDS, async () => {
  const { onbook, serve, runEvents, told, done } = story('Kill -9 and go on', {
    'desk/prompts/packs/default.json': prelude('One.'),
    'desk/context/docs/style.md': 'Short words.',
    'onbook.policy.yaml': 'grants: [{ tools: [workspace.read] }]\noffer: [workspace.read]\n',
    'stuck.yaml': `replies:\n  - match: { node: writer, step: 1 }\n    ${READ}\n  - match: { node: writer, step: 2 }\n    ticks: 1000000000\n    text: Never.\n`,
    'again.yaml': 'replies:\n  - match: { node: writer, step: 2 }\n    text: I have read it.\n',
  })
  await onbook('publish desk --workspace desk')
  const first = await serve('--script', 'stuck.yaml')
  await onbook(`sessions create writer ${CONFIG.join(' ')}`)
  await onbook('sync writer --workspace desk --prelude default')
  await onbook('apply writer --when immediate_if_idle')
  await onbook('sessions run writer --input Read! --detach')
  while (stepsOf(await runEvents('writer')).length < 2) await new Promise(resume => setTimeout(resume, 20))
  await first.stop('SIGKILL')
  told.push('The host is killed while it asks the model for step 2.')
  const second = await serve('--script', 'again.yaml')
  for (;;) {
    const { body } = await second.ask('GET', '/v1/sessions/writer')
    if ((body as { run: object | null }).run === null) break
    await new Promise(resume => setTimeout(resume, 20))
  }
  await onbook('sessions events writer')
  await onbook('sessions transcript writer')
  const types = (await runEvents('writer')).map(({ type }) => type)
  const counted = Object.fromEntries([...new Set(types)].map(type => [type, types.filter(one => one === type).length]))
  expect(counted).toMatchObject({
    'step.started': 2,
    'step.retried': 1,
    'step.settled': 2,
    'call.judged': 1,
    'call.settled': 1,
    'run.completed': 1,
  })
  await second.stop()
  await onbook('verify')
  done()
})
