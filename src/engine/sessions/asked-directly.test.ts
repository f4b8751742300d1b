// Sessions that are asked directly: real store, real workspaces, a model that says what was written down.
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyConfig, type SessionConfig } from '../../core/session/config.ts'
import { fromRecorded, sessionStream } from '../../core/session/events.ts'
import { foldSession } from '../../core/session/reduce.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { Binding, Store } from '../../ports.ts'
import { gate } from '../../testing/models/talking-chat.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { introspectSession } from '../bindings/introspect-session.ts'
import { workspaceRead } from '../bindings/workspace-read.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { loadRun } from '../runs/load.ts'
import { type RunParts, type RunWork, runWork } from '../runs/work.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { commandSession } from './command-session.ts'
import { loadSession } from './load.ts'
import { newestRun } from './sessions.ts'

const TENANT = 'acme'
const SESSION = 'writer'
const place = { tenant: TENANT, session: SESSION, actor: 'ada' }
const config: SessionConfig = { ...emptyConfig, provider: 'scripted', model: 'small' }
const validator = sharedValidator()
const encode = (text: string) => new TextEncoder().encode(text)
const open: RunWork[] = []
afterEach(async () => {
  for (const work of open.splice(0)) await work.close()
})

const fresh = (): Store => memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)

function workOn(store: Store, script: string, more: Partial<RunParts> = {}): RunWork {
  const policy = () => EVERYTHING
  const bindings = [workspaceRead(store, policy), introspectSession(store)].map((one): [string, Binding] => [one.descriptor.name, one])
  const work = runWork({
    store,
    owner: `host-${open.length}-${randomUUID()}`,
    world: WORLD,
    models: scriptedChat('script.yaml', script),
    secrets: () => ({ get: async () => null }),
    validator,
    bindings: new Map(bindings),
    grants: [{ tools: ['workspace.*', 'introspect.*'] }],
    hostCatalog: bindings.map(([, { descriptor }]) => descriptor),
    policy,
    wait: async () => {},
    now: Date.now,
    newId: randomUUID,
    failed: error => {
      throw error
    },
    ...more,
  })
  open.push(work)
  return work
}

const create = (work: RunWork, given: SessionConfig = config) =>
  work.sessions.submit(place, { type: 'create', session: SESSION, config: given })

/** Events of the session's newest run. */
async function eventsOf(store: Store) {
  const runId = await newestRun(store, TENANT, SESSION)
  const found: { type: string; payload: Json }[] = []
  if (runId !== null)
    for await (const { event } of store.read(TENANT, runStream(runId), -1)) found.push({ type: event.type, payload: event.payload })
  return found
}
const typesOf = async (store: Store) => (await eventsOf(store)).map(({ type }) => type)
const lastOf = async (store: Store, type: string) => (await eventsOf(store)).findLast(event => event.type === type)?.payload as never

async function saidIn(store: Store) {
  const found: { type: string; payload: Json }[] = []
  for await (const { event } of store.read(TENANT, sessionStream(SESSION), -1)) found.push({ type: event.type, payload: event.payload })
  return found
}
const lastSaid = async (store: Store) => (await saidIn(store)).at(-1)!

const begin = (work: RunWork, text: string, overrides: SessionConfig | null = null) => {
  const asked = { session: SESSION, input: digestText(text), overrides, interactive: false, objects: [encode(text)] }
  return work.ask({ tenant: TENANT, runId: `run-${randomUUID()}`, actor: 'ada' }, asked)
}

const quiet = async (work: RunWork, store: Store): Promise<void> => work.quiet(TENANT, (await newestRun(store, TENANT, SESSION))!)

async function say(work: RunWork, store: Store, text: string, overrides: SessionConfig | null = null): Promise<void> {
  await begin(work, text, overrides)
  await quiet(work, store)
}

const command = (work: RunWork, store: Store, kind: 'pause' | 'resume' | 'cancel', id: string = kind) =>
  commandSession({ work: work.sessions, runs: work }, store, place, { kind, id })

async function publish(store: Store, files: Readonly<Record<string, string>>): Promise<void> {
  const changes = Object.entries(files).map(([path, text]) => ({ path, write: encode(text) }))
  await commitChanges(store, { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }, { workspace: 'desk', changes })
}

const prelude = (text: string) => JSON.stringify([{ role: 'system', content: text }])

async function sync({ sessions }: RunWork, store: Store): Promise<string> {
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  await sessions.submit(place, { type: 'requestSync', selection })
  await sessions.quiet(TENANT, SESSION)
  return (await lastSaid(store)).type
}

/** The digests of the messages that the last step put before the history. */
const preludeOf = async (store: Store): Promise<readonly Digest[]> =>
  ((await lastOf(store, 'step.started')) as { request: { prelude: Digest[] } }).request.prelude

describe('a session', () => {
  it('runs with direct digests and no workspace, and the log folds to what it is', async () => {
    const store = fresh()
    const work = workOn(store, 'replies:\n  - Good morning.\n')
    const system = JSON.stringify({ role: 'system', content: 'Be brief.' })
    await store.commit({ tenant: TENANT, objects: [encode(system)] })
    await create(work, { ...config, promptDigests: [digestText(system)] })
    await say(work, store, 'Hello')
    expect(await typesOf(store)).toEqual(['run.created', 'node.started', 'step.started', 'step.settled', 'node.completed', 'run.completed'])
    expect((await saidIn(store)).map(({ type }) => type)).toEqual([
      'session.created',
      'run.attached',
      'message.appended',
      'message.appended',
      'run.detached',
    ])
    expect(await preludeOf(store)).toEqual([digestText(system)])
    const { state } = await loadSession(store, TENANT, SESSION)
    expect(state.history.count).toBe(2)
    expect(JSON.stringify(foldSession((await saidIn(store)).map(fromRecorded)))).toBe(JSON.stringify(state))
    const receipt = JSON.parse(
      new TextDecoder().decode(await store.object(TENANT, ((await lastOf(store, 'step.settled')) as { receipt: Digest }).receipt)),
    )
    expect(receipt).toMatchObject({ status: 'ok', text: 'Good morning.', providerId: 'scripted' })
  })

  it('changes only by sync and apply; what is published meanwhile changes nothing', async () => {
    const store = fresh()
    const work = workOn(store, `replies:\n${'  - Done.\n'.repeat(6)}`)
    await publish(store, { 'prompts/packs/default.json': prelude('One.') })
    await create(work)
    expect(await sync(work, store)).toBe('workspace.snapshotReady')
    await work.sessions.submit(place, { type: 'requestApply', when: 'immediate_if_idle' })
    await say(work, store, 'first')
    expect(await preludeOf(store)).toEqual([digestText(prelude('One.'))])
    await publish(store, { 'prompts/packs/default.json': prelude('Two.') })
    await say(work, store, 'second')
    expect(await preludeOf(store)).toEqual([digestText(prelude('One.'))])
    expect(await sync(work, store)).toBe('workspace.snapshotReady')
    await say(work, store, 'third')
    expect(await preludeOf(store)).toEqual([digestText(prelude('One.'))])
    await work.sessions.submit(place, { type: 'requestApply' })
    await say(work, store, 'fourth')
    expect(await preludeOf(store)).toEqual([digestText(prelude('Two.'))])
    expect(await sync(work, store)).toBe('workspace.syncUnchanged')

    await publish(store, { 'prompts/packs/default.json': '{"nothing": true}' })
    expect(await sync(work, store)).toBe('workspace.syncFailed')
    expect((await lastSaid(store)).payload).toMatchObject({ stage: 'prelude', code: 'prelude_invalid' })
    await say(work, store, 'fifth')
    expect(await preludeOf(store)).toEqual([digestText(prelude('Two.'))])
  })

  it('gives a run that names another version a snapshot of its own', async () => {
    const store = fresh()
    const work = workOn(store, `replies:\n${'  - Done.\n'.repeat(3)}`)
    await publish(store, { 'prompts/packs/default.json': prelude('One.') })
    await publish(store, { 'prompts/packs/default.json': prelude('Two.') })
    await create(work)
    const overrides: SessionConfig = { ...config, workspace: { name: 'desk', version: 1 }, prelude: 'default' }
    await say(work, store, 'first', overrides)
    expect(await preludeOf(store)).toEqual([digestText(prelude('One.'))])
    expect((await loadSession(store, TENANT, SESSION)).state.workspace.active).toBeNull()
    const missing = begin(work, 'second', { ...overrides, workspace: { name: 'desk', version: 9 } })
    await expect(missing).rejects.toMatchObject({ code: 'run_refused', details: { run: 2, stage: 'resolve', code: 'workspace_missing' } })
    expect(await lastSaid(store)).toMatchObject({ type: 'run.refused', payload: { run: 2, code: 'workspace_missing' } })
  })

  it('lets a run keep a snapshot of its own, also where another is applied between two of its steps', async () => {
    const store = fresh()
    const call = { toolName: 'slow', arguments: {} }
    const applied: string[] = []
    const slow: Binding = {
      descriptor: { name: 'slow', description: 'Takes its time.', inputSchema: { type: 'object' } },
      async run() {
        await sync(work, store)
        await work.sessions.submit(place, { type: 'requestApply', when: 'next_step_boundary' })
        applied.push((await lastSaid(store)).type)
        return null
      },
    }
    const work = workOn(store, `replies:\n  - toolCalls: [${JSON.stringify(call)}]\n  - Done.\n`, {
      bindings: new Map([['slow', slow]]),
      hostCatalog: [slow.descriptor],
      grants: [{ tools: ['slow'] }],
    })
    await publish(store, { 'prompts/packs/default.json': prelude('One.') })
    await publish(store, { 'prompts/packs/default.json': prelude('Two.') })
    await create(work)
    await say(work, store, 'Go.', { ...config, workspace: { name: 'desk', version: 1 }, prelude: 'default' })
    const steps = (await eventsOf(store)).filter(({ type }) => type === 'step.started')
    expect(applied).toEqual(['workspace.approved'])
    expect(steps.map(({ payload }) => (payload as { snapshot: { version: number } }).snapshot.version)).toEqual([1, 1])
    expect((await loadSession(store, TENANT, SESSION)).state.workspace.active?.version).toBe(2)
  })
})

describe('tools', () => {
  const asking = (name: string, args: object) =>
    `replies:\n  - toolCalls: [{ toolName: ${name}, arguments: ${JSON.stringify(args)} }]\n  - I have read it.\n`

  async function ready(script: string, more: Partial<RunParts> = {}) {
    const store = fresh()
    const work = workOn(store, script, more)
    await publish(store, { 'prompts/packs/default.json': prelude('One.'), 'context/docs/style.md': 'Short words.' })
    await create(work)
    await sync(work, store)
    await work.sessions.submit(place, { type: 'requestApply', when: 'immediate_if_idle' })
    await say(work, store, 'Read the style guide.')
    return store
  }
  const resultOf = async (store: Store) => {
    const { result } = (await lastOf(store, 'call.settled')) as { result: Digest }
    return JSON.parse(new TextDecoder().decode(await store.object(TENANT, result))).content[0]
  }

  it('that are shown, bound and granted are judged, started, done and told to the model', async () => {
    const store = await ready(asking('workspace.read', { path: 'context/docs/style.md' }))
    const types = await typesOf(store)
    const at = types.indexOf('calls.asked')
    expect(types.slice(at, at + 3)).toEqual(['calls.asked', 'call.judged', 'call.settled'])
    expect(types.at(-1)).toBe('run.completed')
    expect(await lastOf(store, 'call.judged')).toMatchObject({ verdict: { decision: 'allowed' } })
    expect(await resultOf(store)).toMatchObject({ toolName: 'workspace.read', output: { version: 1, text: 'Short words.' } })
  })

  const refused: readonly [string, string, object, Partial<RunParts>, string, RegExp][] = [
    ['not granted', 'workspace.read', { path: 'context/docs/style.md' }, { grants: [] }, 'granted', /no grant names/],
    ['not bound', 'workspace.read', { path: 'context/docs/style.md' }, { bindings: new Map() }, 'bound', /no binding/],
    ['not shown', 'workspace.write', { path: 'x' }, {}, 'visible', /not in the active catalog/],
    ['not well formed', 'workspace.read', { file: 'x' }, {}, 'well_formed', /path/],
  ]
  it.each(refused)('that are %s never run, and the model is told why', async (_, name, args, more, condition, reason) => {
    const store = await ready(asking(name, args), more)
    const { verdict } = (await lastOf(store, 'call.judged')) as {
      verdict: { decision: string; conditions: { condition: string; outcome: string }[] }
    }
    expect(verdict.decision).toBe('refused')
    expect(verdict.conditions.find(({ outcome }) => outcome === 'failed')?.condition).toBe(condition)
    expect(await resultOf(store)).toMatchObject({ isError: true, output: { error: expect.stringMatching(reason) } })
  })
})

it.each(['sha256:'.padEnd(71, 'a'), 'pay\nnow', ''])(
  'a model that calls its call %j wedges nothing, and hears that name again',
  async name => {
    const store = fresh()
    const script = { replies: [{ toolCalls: [{ toolName: name === '' ? 'look' : name, callId: name || 'x', arguments: {} }] }, 'I see.'] }
    const work = workOn(store, JSON.stringify(script))
    await create(work)
    await say(work, store, 'Look')
    expect((await typesOf(store)).at(-1)).toBe('run.completed')
    const { result } = (await lastOf(store, 'call.settled')) as { result: Digest }
    const told = JSON.parse(new TextDecoder().decode(await store.object(TENANT, result)))
    expect(told.content[0]).toMatchObject({ callId: name || 'x', isError: true })
  },
)

it('a reply that asks for more than the run may do ends it, and no call without a result is left in what was said', async () => {
  const store = fresh()
  const calls = [1, 2].map(() => ({ toolName: 'look', arguments: {} }))
  const work = workOn(store, JSON.stringify({ replies: [{ text: 'Both.', toolCalls: calls }, 'Neither.'] }))
  await create(work, { ...config, limits: { maxSteps: null, maxCalls: 1 } })
  await say(work, store, 'Look')
  expect(await lastOf(store, 'run.failed')).toMatchObject({ code: 'tool_calls_too_many' })
  await say(work, store, 'Go on')
  const { state } = await loadSession(store, TENANT, SESSION)
  const said = await Promise.all(state.history.open.map(async digest => new TextDecoder().decode(await store.object(TENANT, digest))))
  expect(said).toEqual(['Look', 'Go on', expect.stringContaining('Neither.')])
})

it('a run that is paused and resumed at any moment goes on once: no step twice, no call twice', async () => {
  const calls = [{ toolName: 'look', arguments: {} }]
  for (let moment = 0; moment < 40; moment++) {
    const store = fresh()
    const work = workOn(store, JSON.stringify({ replies: [{ toolCalls: calls }, { toolCalls: calls }, 'Done.'] }))
    await create(work)
    await begin(work, 'Look')
    for (let turn = 0; turn < moment; turn++) await Promise.resolve()
    // One that comes when the run is over is refused.
    await Promise.allSettled((['pause', 'resume'] as const).map(kind => command(work, store, kind)))
    await quiet(work, store)
    await command(work, store, 'resume').catch(() => {})
    await quiet(work, store)
    const types = (await typesOf(store)).filter(type => /^(step.started|calls.asked|run.completed|run.failed)$/.test(type))
    const step = ['step.started', 'calls.asked']
    expect([moment, ...types]).toEqual([moment, ...step, ...step, 'step.started', 'run.completed'])
  }
})

it('what many say at once is decided once each, in the order it came', async () => {
  const store = fresh()
  let commits = 0
  const counting: Store = {
    ...store,
    commit(commit) {
      commits++
      return store.commit(commit)
    },
  }
  const work = workOn(counting, 'replies: [x]')
  await create(work)
  const ids = Array.from({ length: 50 }, (_, n) => `s${n}`)
  const message = digestText('Shorter.')
  const leave = (id: string) =>
    work.sessions.submit(place, { type: 'leaveMessage', message: { kind: 'steer', id, message } }, { objects: [encode('Shorter.')] })
  await Promise.all(ids.map(leave))
  const { state } = await loadSession(store, TENANT, SESSION)
  expect([commits, state.left.map(({ id }) => id)]).toEqual([51, ids])
})

it('a defect ends the run instead of leaving it open', async () => {
  const store = fresh()
  const failed: string[] = []
  const broken = { call: () => Promise.reject(new TypeError('a defect')) }
  const work = workOn(store, 'replies: [x]', { models: broken, failed: error => failed.push(error.message) })
  await create(work)
  await say(work, store, 'Hello')
  expect(failed).toEqual(['a defect'])
  expect(await lastOf(store, 'run.failed')).toMatchObject({ code: 'internal_error' })
})

it('a defect is blamed on what it happened in: a call is settled so, whatever was done before it', async () => {
  const store = fresh()
  const failed: string[] = []
  const script = 'replies:\n  - toolCalls: [{ toolName: introspect.session, arguments: {} }]\n'
  let asked = 0
  const never = { ask: () => new Promise<never>(() => void asked++), close: async () => {} }
  const first = workOn(store, script, { validator: never })
  await publish(store, { 'prompts/packs/default.json': prelude('One.') })
  await create(first)
  await begin(first, 'Look')
  while (asked === 0) await new Promise(resolve => setImmediate(resolve))
  void first.close()
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  await first.sessions.submit(place, { type: 'requestSync', selection })
  const broken = { ask: () => Promise.reject(new TypeError('a defect')), close: async () => {} }
  const second = workOn(store, 'replies: [Done.]', { validator: broken, failed: error => failed.push(error.message) })
  await second.resume()
  await quiet(second, store)
  await second.sessions.quiet(TENANT, SESSION)
  expect(failed).toEqual(['a defect'])
  expect(await lastOf(store, 'call.settled')).toMatchObject({ status: 'failed', code: 'internal_error' })
  expect((await saidIn(store)).map(({ type }) => type)).toContain('workspace.snapshotReady')
  expect((await typesOf(store)).at(-1)).toBe('run.completed')
  open.splice(0, 1)
})

describe('a host that is gone', () => {
  it('is followed by one that asks the model again, as a new attempt', async () => {
    const store = fresh()
    const never = { call: () => new Promise<never>(() => {}) }
    const first = workOn(store, 'replies: [x]', { models: never })
    await create(first)
    await begin(first, 'Hello')
    while (!(await typesOf(store)).includes('step.started')) await new Promise(resolve => setImmediate(resolve))
    const second = workOn(store, 'replies: [Here I am.]')
    expect(await second.resume()).toBe(1)
    await quiet(second, store)
    expect((await typesOf(store)).slice(-4)).toEqual(['step.retried', 'step.settled', 'node.completed', 'run.completed'])
    expect(await second.resume()).toBe(0)
    open.splice(0, 1)
  })

  it('leaves a call that was begun settled as interrupted, and not done again', async () => {
    const store = fresh()
    let done = 0
    const stuck: Binding = {
      descriptor: { name: 'pay', description: '', inputSchema: { type: 'object' } },
      run: () => {
        done++
        return new Promise<never>(() => {})
      },
    }
    const parts = { bindings: new Map([['pay', stuck]]), grants: [{ tools: ['pay'] }], hostCatalog: [stuck.descriptor] }
    const first = workOn(store, 'replies:\n  - toolCalls: [{ toolName: pay, arguments: {} }]\n', parts)
    await create(first)
    await begin(first, 'Pay')
    while (done === 0) await new Promise(resolve => setImmediate(resolve))
    const second = workOn(store, 'replies: [I do not know whether it was paid.]', parts)
    await second.resume()
    await quiet(second, store)
    expect(done).toBe(1)
    expect(await lastOf(store, 'call.settled')).toMatchObject({ status: 'interrupted' })
    expect((await typesOf(store)).at(-1)).toBe('run.completed')
    open.splice(0, 1)
  })
})

it('a tool that may be done twice is done again by whoever comes next', async () => {
  const store = fresh()
  const answers: (() => Promise<Json>)[] = [() => new Promise<never>(() => {}), async () => ({ temperature: 21 })]
  let done = 0
  const look: Binding = {
    descriptor: { name: 'look', description: '', inputSchema: { type: 'object' } },
    repeatable: true,
    run: () => answers[done++]!(),
  }
  const parts = { bindings: new Map([['look', look]]), grants: [{ tools: ['look'] }], hostCatalog: [look.descriptor] }
  const first = workOn(store, 'replies:\n  - toolCalls: [{ toolName: look, arguments: {} }]\n', parts)
  await create(first)
  await begin(first, 'Look')
  while (done === 0) await new Promise(resolve => setImmediate(resolve))
  const second = workOn(store, 'replies: [It is warm.]', parts)
  await second.resume()
  await quiet(second, store)
  await second.sessions.quiet(TENANT, SESSION)
  expect(done).toBe(2)
  expect(await lastOf(store, 'call.settled')).toMatchObject({ status: 'succeeded' })
  expect((await typesOf(store)).at(-1)).toBe('run.completed')
  open.splice(0, 1)
})

it('a run that is cancelled breaks off its call and ends', async () => {
  const store = fresh()
  const models = {
    call: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))).catch(() => ({
        status: 'cancelled' as const,
        code: 'cancelled',
        message: 'stopped',
      })),
  }
  const work = workOn(store, 'replies: [x]', { models })
  await create(work)
  await begin(work, 'Hello')
  while (!(await typesOf(store)).includes('step.started')) await new Promise(resolve => setImmediate(resolve))
  await command(work, store, 'cancel')
  await quiet(work, store)
  expect((await typesOf(store)).at(-1)).toBe('run.cancelled')
})

it('what may be tried again is tried again, and then it is over', async () => {
  const store = fresh()
  const failing = '  - fail: { code: provider_retryable, message: busy }\n'
  const work = workOn(store, `replies:\n${failing.repeat(3)}`)
  await create(work)
  await say(work, store, 'Hello')
  expect((await typesOf(store)).filter(type => type === 'step.retried')).toHaveLength(2)
  expect(await lastOf(store, 'run.failed')).toMatchObject({ code: 'provider_retryable' })
})

describe('a message that is on its way', () => {
  const steer = { kind: 'steer', id: 'm1', message: digestText('Shorter.'), objects: [encode('Shorter.')] } as const
  const typesIn = async (store: Store) => (await saidIn(store)).map(({ type }) => type)

  it('goes to the run that begins meanwhile', async () => {
    const store = fresh()
    const models: RunParts['models'] = {
      call: (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason))),
    }
    const work = workOn(store, 'replies: []', { models })
    await create(work)
    let begun = false
    const sessions: RunWork['sessions'] = {
      ...work.sessions,
      async submit(...given) {
        if (!begun) await begin(work, 'Hello')
        begun = true
        return work.sessions.submit(...given)
      },
    }
    await commandSession({ work: sessions, runs: work }, store, place, steer)
    expect(await typesOf(store)).toContain('message.received')
    expect(await typesIn(store)).not.toContain('message.left')
  })

  it('is left in the session when the run ends meanwhile', async () => {
    const store = fresh()
    const done = gate()
    const models = scriptedChat('script.yaml', 'replies:\n  - Good.\n')
    const slow = { call: async (...given: Parameters<typeof models.call>) => done.passed.then(() => models.call(...given)) }
    const work = workOn(store, 'replies: []', { models: slow })
    await create(work)
    await begin(work, 'Hello')
    const submit: RunWork['submit'] = async (...given) => {
      done.open()
      await quiet(work, store)
      return work.submit(...given)
    }
    await commandSession({ work: work.sessions, runs: { submit } }, store, place, steer)
    expect(await typesOf(store)).not.toContain('message.received')
    expect((await lastSaid(store)).type).toBe('message.left')
  })
})

describe('a session that names no provider', () => {
  const asked = async (model: RunParts['world']['model']) => {
    const store = fresh()
    const work = workOn(store, 'replies: [{ text: Yes. }]', { world: { ...WORLD, model } })
    await work.sessions.submit(place, { type: 'create', session: SESSION, config: emptyConfig })
    const request = { session: SESSION, input: digestText('Hello'), overrides: null, interactive: false, objects: [encode('Hello')] }
    await work.ask({ tenant: TENANT, runId: 'r1', actor: 'ada' }, request)
    await work.quiet(TENANT, 'r1')
    return (await loadRun(store, TENANT, 'r1')).state.phase
  }

  it('uses the model of the host', async () => {
    expect(await asked({ provider: 'scripted', model: 'small' })).toBe('completed')
  })

  it('is refused on a host without one', async () => {
    await expect(asked(null)).rejects.toMatchObject({ code: 'provider_unset' })
  })
})
