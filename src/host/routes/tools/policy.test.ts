// Tests /v1/policy over HTTP: the view of a tenant, and the explained decisions of the gate.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { type Client, ClientError, createClient } from '../../../client/index.ts'
import type { Verdict } from '../../../core/gate/authorize.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../../core/gate/host-policy.ts'
import { EVERYTHING } from '../../../core/workspace/policy.ts'
import { workspaceRead } from '../../../engine/bindings/workspace-read.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const policy: HostPolicy = {
  ...DEFAULT_POLICY,
  grants: [
    { tools: ['*'], tenants: ['umbrella'] },
    { tools: ['workspace.read'], tenants: ['acme'], arguments: { path: ['docs/**'] } },
    { tools: ['workspace.read'], roles: ['reviewer'], approval: { by: ['key:*'] } },
  ],
  workspaces: [
    { tenants: ['umbrella'], workspaces: ['secret'] },
    { tenants: ['acme'], workspaces: ['desk'] },
  ],
  planningCommands: ['git status'],
}

/** The scripted model makes two calls in its first step, and ends. */
const READING = `replies:
  - match: { step: 1 }
    toolCalls:
      - { toolName: workspace.read, arguments: { path: docs/a } }
      - { toolName: workspace.read, arguments: { path: src/a } }
  - match: {}
    text: Noted.
`

let host: TestHost
let sessions: ReturnType<typeof testSessions>
let client: Client
beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  sessions = testSessions(store, READING, { grants: policy.grants, hostCatalog: [workspaceRead(store, () => EVERYTHING).descriptor] })
  host = await startHost({}, { store, sessions: { ...sessions, grants: policy.grants, policy: { policy, lines: [2, 3, 7] } } })
  client = createClient({ url: host.url, key: (await host.makeKey('acme', undefined, { workspaces: ['*'] })).key })
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

it('shows a tenant what concerns it, under the numbers that reasons name, and nothing of others', async () => {
  const shown = await client.policy.get()
  expect(shown).toEqual({
    grants: [
      { grant: 2, line: 3, tools: ['workspace.read'], arguments: { path: ['docs/**'] } },
      { grant: 3, line: 7, tools: ['workspace.read'], roles: ['reviewer'], approval: { by: ['key:*'] } },
    ],
    workspaces: [{ workspaces: ['desk'] }],
    secrets: [],
    offer: [],
    approvals: { expireAfterMs: 86_400_000 },
    planningCommands: ['git status'],
    orchestrator: { asks: true },
  })
  expect(JSON.stringify({ ...shown, secrets: null })).not.toMatch(/umbrella|"secret"/)
})

interface Judgement {
  readonly payload: { readonly verdict: Verdict }
}

describe('explains', () => {
  const ask = (more: object) => client.policy.explain({ tool: 'workspace.read', agent: 'writer', ...more })

  it('a call that is granted, and what is not known of it', async () => {
    expect(await ask({ arguments: { path: 'docs/style.md' } })).toMatchObject({
      tool: 'workspace.read',
      tenant: 'acme',
      agent: 'writer',
      decision: 'allowed',
      conditions: [
        { condition: 'well_formed', outcome: 'passed' },
        { condition: 'visible', outcome: 'unknown' },
        { condition: 'bound', outcome: 'passed' },
        { condition: 'granted', outcome: 'passed', reason: 'grant 2 names it' },
        ...['requested', 'node', 'mode', 'approved'].map(condition => ({ condition, outcome: 'not_applicable' })),
      ],
      grants: [
        { grant: 2, line: 3, outcome: 'decides' },
        { grant: 3, line: 7, outcome: 'lacks', reason: 'it is for roles, and there is none' },
      ],
      asks: null,
    })
  })

  it('one that waits, one that is refused, and one that is wrong', async () => {
    const waiting = await ask({ role: 'reviewer', arguments: { path: 'src/a.ts' } })
    expect(waiting.conditions.find(({ condition }) => condition === 'requested')).toMatchObject({ outcome: 'failed' })
    expect(waiting.grants.map(({ outcome }) => outcome)).toEqual(['lacks', 'decides'])
    expect((await ask({ arguments: { path: 'src/a.ts' } })).decision).toBe('refused')
    expect((await ask({ arguments: {} })).conditions[0]).toMatchObject({ outcome: 'failed' })
    expect((await ask({ tool: 'pay' })).conditions[2]).toMatchObject({ outcome: 'failed', reason: 'this host has no binding for pay' })
  })

  it('a call at a node of a run, by what the run has frozen', async () => {
    const nodes = [{ id: 'a', role: 'reviewer', settings: { gated: true } }]
    await client.workflows.put({ id: 'desk', mode: 'planning', nodes })
    const { runId } = await client.runs.create({ workflowId: 'desk' })
    await host.sessions.runs.quiet('acme', runId)
    const at = { agent: undefined, runId, nodeId: 'a', arguments: { path: 'docs/a' } }
    expect(await ask(at)).toMatchObject({ role: 'reviewer', mode: 'planning', decision: 'refused' })
    expect((await ask({ ...at, tool: 'create_edge', arguments: {} })).conditions).toMatchObject({
      2: { condition: 'bound', outcome: 'passed' },
      5: { condition: 'node', outcome: 'failed' },
    })
    for (const [more, code] of [
      [{ ...at, nodeId: 'b' }, 'node_missing'],
      [{ ...at, runId: 'nobody' }, 'run_missing'],
      [{ ...at, nodeId: undefined }, 'usage_invalid'],
      [{ agent: undefined }, 'usage_invalid'],
      [{ role: 'nobody' }, 'role_template_missing'],
    ] as const)
      await expect(ask(more)).rejects.toMatchObject({ code })
  })

  it('what the gate has said', async () => {
    await client.workflows.put({ id: 'reading', objective: 'Read.', nodes: [{ id: 'a', provider: 'scripted', model: 'small' }] })
    const { runId } = await client.runs.create({ workflowId: 'reading' })
    await host.sessions.runs.quiet('acme', runId)
    const { body } = await host.ask('GET', `/v1/streams/${encodeURIComponent(`run/${runId}`)}/events?limit=1000`)
    const judged = body.events
      .filter(({ type }: { type: string }) => type === 'call.judged')
      .map(({ payload }: Judgement) => payload.verdict)
    const explained = await Promise.all(['docs/a', 'src/a'].map(path => ask({ agent: undefined, runId, nodeId: 'a', arguments: { path } })))
    expect(judged.map(({ decision }: Verdict) => decision)).toEqual(['allowed', 'refused'])
    for (const [index, { decision, conditions }] of explained.entries()) {
      expect(decision).toBe(judged[index].decision)
      for (const [at, one] of conditions.entries())
        if (one.outcome !== 'unknown' && judged[index].conditions[at].outcome !== 'not_reached')
          expect(one).toEqual(judged[index].conditions[at])
    }
  })

  it('nothing of a run to whoever may not read runs', async () => {
    const { key } = await host.makeKey('acme', ['tools:read'])
    const narrow = createClient({ url: host.url, key })
    expect((await narrow.policy.explain({ tool: 'pay', agent: 'writer' })).decision).toBe('refused')
    await expect(narrow.policy.explain({ tool: 'pay', runId: 'x', nodeId: 'a' })).rejects.toBeInstanceOf(ClientError)
  })
})
