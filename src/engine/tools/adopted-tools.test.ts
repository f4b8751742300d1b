// Tools of another server in a session: a real record, and the same gate as for all.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mcpToolServer } from '../../adapters/mcp/mcp-tool-server.ts'
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import type { Judged } from '../../core/gate/authorize.ts'
import type { Grant } from '../../core/gate/grants.ts'
import { runStream } from '../../core/run/events.ts'
import { type ForeignTool, TOOLS } from '../../core/tools/foreign-tools.ts'
import { Fault } from '../../errors.ts'
import type { Store, ToolServer } from '../../ports.ts'
import { type TestSessions, testSessions } from '../../testing/hosts/test-sessions.ts'
import { gate } from '../../testing/models/talking-chat.ts'
import { freshStore } from '../../testing/stories/run-house.ts'
import { memoryToolServer } from '../../testing/tools/memory-tool-server.ts'
import { eraseObject } from '../record/erase.ts'
import type { RunWork } from '../runs/work.ts'
import type { RunPlace } from '../runs/write-run.ts'
import { configOf } from '../sessions/requests.ts'
import { adoptedTools } from './adopted-tools.ts'
import { adoptTools, dropTools } from './adoptions.ts'
import { showTools } from './show-tools.ts'

const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls: [{ toolName: desk__say, arguments: { text: hello } }]
  - match: {}
    text: Done.
`
const described = (description: string, name = 'say'): ForeignTool => ({ name, description, inputSchema: { type: 'object' } })

let listed: readonly ForeignTool[]
let store: Store
let server: ToolServer
let opened: TestSessions[]
beforeEach(() => {
  listed = [described('Says it.')]
  store = freshStore()
  server = { ...memoryToolServer(['default']), list: async () => ({ tools: listed, leftOut: [] }) }
  opened = []
})
afterEach(async () => {
  for (const one of opened) await one.close()
  await server.close()
  await store.close()
})

const adopt = (tools: readonly string[] | null = null) => adoptTools(store, server, { server: 'desk', tools, actor: 'ada' })

interface Told {
  readonly conditions: Readonly<Record<string, Judged>>
  readonly settled: Json
}

interface Telling {
  readonly tenant?: string
  readonly grants?: readonly Grant[]
  readonly meanwhile?: (runs: RunWork, place: RunPlace) => Promise<void>
}

/** The result of the call that the script makes, in a session of its own. */
async function told({ tenant = 'default', grants = [{ tools: ['desk__*'] }], meanwhile }: Telling = {}): Promise<Told> {
  const adopted = adoptedTools(store, new Map([['desk', server]]))
  const sessions = testSessions(store, SCRIPT, { adopted, offers: () => true, grants })
  opened.push(sessions)
  const place = { tenant, session: `writer-${opened.length}`, actor: 'ada' }
  const config = configOf({ provider: 'scripted', model: 'small' })
  await sessions.work.submit(place, { type: 'create', session: place.session, agentId: null, config })
  const input = new TextEncoder().encode('{"role":"user","content":"Say it."}')
  const runId = `run-${opened.length}`
  const asked = { session: place.session, input: digestBytes(input), overrides: null, interactive: false, objects: [input] }
  await sessions.runs.ask({ tenant, runId, actor: 'ada' }, asked)
  await meanwhile?.(sessions.runs, { tenant, runId, actor: 'ada' })
  await sessions.runs.quiet(tenant, runId)
  const payloads: Record<string, never> = {}
  for await (const { event } of store.read(tenant, runStream(runId), -1))
    (payloads as Record<string, unknown>)[event.type] ??= event.payload
  const { 'call.judged': judged, 'call.settled': settled } = payloads as unknown as {
    'call.judged'?: { verdict: { conditions: readonly Judged[] } }
    'call.settled': Json
  }
  return { conditions: Object.fromEntries((judged?.verdict.conditions ?? []).map(one => [one.condition, one])), settled }
}

describe('a tool of another server', () => {
  it('that nobody adopted is neither shown nor bound', async () => {
    const { conditions, settled } = await told()
    expect(conditions.visible?.outcome).toBe('failed')
    expect(settled).toMatchObject({ status: 'failed', code: 'tool_refused' })
  })

  it('that was adopted and granted runs', async () => {
    await adopt()
    expect((await told()).settled).toMatchObject({ status: 'succeeded' })
  })

  it('that was adopted and not granted does not run: adopting grants nothing', async () => {
    await adopt()
    const { conditions } = await told({ grants: [] })
    expect([conditions.bound?.outcome, conditions.granted?.outcome]).toEqual(['passed', 'failed'])
  })

  it('that says something else now is not bound until that is adopted', async () => {
    await adopt()
    listed = [described('Says it. And mails it.')]
    const { conditions, settled } = await told()
    expect(conditions.bound).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/^desk lists say otherwise than it was adopted/),
    })
    expect(settled).toMatchObject({ status: 'failed', code: 'tool_refused' })
    await adopt()
    expect((await told()).settled).toMatchObject({ status: 'succeeded' })
  })

  it('that its server no longer lists, or that was dropped, is not bound', async () => {
    await adopt()
    listed = []
    expect((await told()).conditions.bound).toMatchObject({ outcome: 'failed', reason: 'desk no longer lists say' })
    listed = [described('Says it.')]
    await dropTools(store, { server: 'desk', tools: ['say'], actor: 'ada' })
    expect((await told()).conditions.visible?.outcome).toBe('failed')
  })

  it('whose adopted words somebody erased is bound no longer', async () => {
    const [one] = await adopt()
    await eraseObject(store, { tenant: 'onbook', digest: one!.descriptor, actor: 'ada', why: 'a name was in it' })
    expect((await told()).conditions.visible?.outcome).toBe('failed')
    const sources = { bindings: new Map(), grants: [], servers: new Map([['desk', server]]) }
    expect((await showTools(store, sources, { tenant: 'default', agent: '' })).tools).toMatchObject([{ name: 'desk__say' }])
  })

  it('is not there for tenants that its server is closed to', async () => {
    await adopt()
    expect((await told({ tenant: 'acme' })).conditions.visible?.outcome).toBe('failed')
  })

  it('whose server is a process runs there, and is refused there as well once it says something else', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'onbook-adopted-')), 'tools.json')
    const args = [resolve('src/testing/tools/hostile-mcp-server.mjs'), 'well', file]
    server = mcpToolServer('desk', { command: process.execPath, args }, { get: async () => null })
    await adopt()
    expect((await told()).settled).toMatchObject({ status: 'succeeded' })
    writeFileSync(file, JSON.stringify([described('Else.')]))
    expect((await told()).conditions.bound?.outcome).toBe('failed')
  })

  it('whose server fails a call fails with its code, and the run goes on', async () => {
    await adopt()
    server = { ...server, call: () => Promise.reject(new Fault('tool_server_timeout', { server: 'desk', ms: 1 })) }
    expect((await told()).settled).toMatchObject({ status: 'failed', code: 'tool_server_timeout' })
  })

  it('whose server cannot be asked fails with its code, and is not called: nobody knows what it is by now', async () => {
    await adopt()
    const absent = () => Promise.reject(new Fault('tool_server_failed', { server: 'desk', problem: 'is gone' }))
    server = { ...server, list: absent, call: () => Promise.reject(new Error('it was called')) }
    const { conditions, settled } = await told()
    expect([conditions.bound?.outcome, settled]).toEqual(['passed', expect.objectContaining({ code: 'tool_server_failed' })])
  })

  it('that changes between the verdict and the call is not called', async () => {
    await adopt()
    let asked = 0
    const list = async () => ({ tools: asked++ === 0 ? listed : [described('Else.')], leftOut: [] })
    server = { ...server, list, call: () => Promise.reject(new Error('it was called')) }
    expect((await told()).settled).toMatchObject({ status: 'failed', code: 'tool_server_failed' })
  })

  it('that is adopted anew between the verdict and the call is not called', async () => {
    await adopt()
    let asked = 0
    const list = async () => {
      const tools = listed
      asked += 1
      if (asked === 1) {
        listed = [described('Else.')]
        await adopt()
      }
      return { tools, leftOut: [] }
    }
    server = { ...server, list, call: () => Promise.reject(new Error('it was called')) }
    expect((await told()).settled).toMatchObject({ status: 'failed', code: 'tool_server_failed' })
  })

  it('whose server says nothing keeps no run that is cancelled', async () => {
    await adopt()
    const asked = gate()
    const list = (signal?: AbortSignal) =>
      new Promise<never>((_, no) => {
        signal!.addEventListener('abort', () => no(signal!.reason))
        asked.open()
      })
    server = { ...server, list }
    const { conditions, settled } = await told({
      async meanwhile(runs, place) {
        await asked.passed
        await runs.submit(place, { type: 'cancel', reason: null })
      },
    })
    expect([conditions, settled]).toEqual([{}, expect.objectContaining({ status: 'cancelled' })])
  })
})

describe('adopting', () => {
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Fault) => error.code,
    )
  const history = async () => {
    const found: unknown[] = []
    for await (const { event } of store.read('onbook', TOOLS, -1)) found.push([event.type, event.actor, event.payload])
    return found
  }

  it('is on record with who did it, what it is, and what it was', async () => {
    const first = (await adopt())[0]?.descriptor
    listed = [described('Else.')]
    const [again] = await adopt(['say'])
    const second = again?.descriptor
    expect(again?.before).toBe(first)
    await dropTools(store, { server: 'desk', tools: null, actor: 'bob' })
    expect(await history()).toEqual([
      ['tool.adopted', 'ada', { server: 'desk', tool: 'say', descriptor: first, before: null }],
      ['tool.adopted', 'ada', { server: 'desk', tool: 'say', descriptor: second, before: first }],
      ['tool.dropped', 'bob', { server: 'desk', tool: 'say', descriptor: second }],
    ])
  })

  it('twice changes nothing', async () => {
    await adopt()
    expect([await adopt(), (await history()).length]).toEqual([[], 1])
  })

  it('what is not listed, or not what somebody looked at, changes nothing', async () => {
    const looked = `sha256:${'0'.repeat(64)}`
    expect(await codeOf(adopt(['shout']))).toBe('tool_unlisted')
    expect(await codeOf(adoptTools(store, server, { server: 'desk', tools: ['say'], descriptor: looked, actor: 'ada' }))).toBe(
      'tool_changed',
    )
    expect(await codeOf(dropTools(store, { server: 'desk', tools: ['say'], actor: 'ada' }))).toBe('tool_unadopted')
    expect(await history()).toEqual([])
  })

  it('by two at once leaves one record of each', async () => {
    listed = [described('One.'), described('Two.', 'shout')]
    await Promise.all([adopt(['say']), adopt(['shout']), adopt()])
    expect(await history()).toHaveLength(2)
  })
})

it('shows every tool with how it stands, and a server that cannot be asked with why', async () => {
  listed = [described('Says it.'), described('Was.', 'other')]
  await adopt()
  listed = [described('Says it.'), described('Is.', 'other'), described('New.', 'fresh')]
  const broken = mcpToolServer('broken', { command: '/nowhere' }, { get: async () => null })
  const sources = { bindings: new Map(), grants: [{ tools: ['desk__say'] }], offers: (tool: string) => tool === 'desk__say' }
  const asks = { tenant: 'default', agent: 'writer' }
  const servers = new Map([
    ['desk', server],
    ['broken', broken],
  ])
  const { tools, servers: looked } = await showTools(store, { ...sources, servers }, asks)
  expect(tools.map(({ name, state, granted, offered }) => [name, state, granted, offered])).toEqual([
    ['desk__fresh', 'new', false, false],
    ['desk__other', 'changed', false, false],
    ['desk__say', 'adopted', true, true],
  ])
  expect(tools[1]?.difference).toMatch(/-.*Was\.[\s\S]*\+.*Is\./)
  expect(looked).toMatchObject([
    { server: 'desk', problem: null },
    { server: 'broken', problem: expect.stringMatching(/cannot be started/) },
  ])
  expect((await showTools(store, { ...sources, servers }, { ...asks, tenant: 'acme' })).servers).toEqual([])
})
