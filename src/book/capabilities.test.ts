// Every method of a book, with the route that it asks and the command that does the same. A method, a route or a command that has no partner is named
// here with the reason, or the test fails.
import { afterAll, describe, expect, it } from 'vitest'
import { type Book, connect, createTestBook } from '../book.ts'
import { COMMANDS } from '../cli/commands.ts'

/** The call, its route, its command. Null where no command does it. */
type Capability = readonly [call: (book: Book) => unknown, route: string, command: string | null]

const D = `sha256:${'0'.repeat(64)}`
const drained = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items) break
}

const CAPABILITIES: Readonly<Record<string, Capability>> = {
  'prompts.list': [b => drained(b.prompts.list()), 'GET /v1/prompts', 'prompt list'],
  'prompts.get': [b => b.prompts.get('prompt:a@1.0.0'), 'GET /v1/prompts/{templateId}', 'prompt show'],
  'prompts.create': [b => b.prompts.create({ templateId: 'a' } as never), 'POST /v1/prompts', null],
  'prompts.replace': [b => b.prompts.replace({ templateId: 'a' } as never), 'PUT /v1/prompts/{templateId}', null],
  'prompts.remove': [b => b.prompts.remove('a'), 'DELETE /v1/prompts/{templateId}', null],
  'prompts.versions': [b => b.prompts.versions('a'), 'GET /v1/prompts/{templateId}/versions', 'prompt show'],
  'packs.publish': [b => b.packs.publish({ templates: [] }), 'POST /v1/packs:publish', 'publish'],
  'packs.activate': [b => b.packs.activate({ templates: [] }), 'POST /v1/packs:activate', 'prompt activate'],
  'packs.retire': [b => b.packs.retire({ templateIds: ['a'], version: '1.0.0' }), 'POST /v1/packs:retire', 'prompt retire'],
  'labels.list': [b => b.labels.list('a'), 'GET /v1/labels/{templateId}', 'prompt label'],
  'labels.get': [b => b.labels.get('a', 'live'), 'GET /v1/labels/{templateId}', 'prompt label'],
  'labels.move': [b => b.labels.move('a', 'live', '1.0.0'), 'PUT /v1/labels/{templateId}/{label}', 'prompt label'],
  'labels.remove': [b => b.labels.remove('a', 'live'), 'DELETE /v1/labels/{templateId}/{label}', 'prompt label'],
  'labels.history': [b => b.labels.history('a'), 'GET /v1/labels/{templateId}/history', 'prompt label'],
  'labels.protected': [b => b.labels.protected(), 'GET /v1/protected-labels', 'prompt label'],
  'labels.protect': [b => b.labels.protect('live'), 'PUT /v1/protected-labels/{label}', 'prompt label'],
  'labels.unprotect': [b => b.labels.unprotect('live'), 'DELETE /v1/protected-labels/{label}', 'prompt label'],
  'roles.list': [b => b.roles.list(), 'GET /v1/roles', 'role list'],
  'roles.get': [b => b.roles.get('a'), 'GET /v1/roles/{name}', 'role show'],
  'workflows.list': [b => drained(b.workflows.list()), 'GET /v1/workflows', null],
  'workflows.get': [b => b.workflows.get('a'), 'GET /v1/workflows/{workflowId}', null],
  'workflows.put': [b => b.workflows.put({ id: 'a' }), 'PUT /v1/workflows/{workflowId}', 'publish'],
  'workflows.remove': [b => b.workflows.remove('a'), 'DELETE /v1/workflows/{workflowId}', null],
  'agents.list': [b => drained(b.agents.list()), 'GET /v1/agents', null],
  'agents.get': [b => b.agents.get('a'), 'GET /v1/agents/{agentId}', null],
  'agents.put': [b => b.agents.put({ agentId: 'a' }), 'PUT /v1/agents/{agentId}', 'publish'],
  'agents.remove': [b => b.agents.remove('a'), 'DELETE /v1/agents/{agentId}', null],
  'workspaces.list': [b => drained(b.workspaces.list()), 'GET /v1/workspaces', 'workspace list'],
  'workspaces.get': [b => b.workspaces.get('a'), 'GET /v1/workspaces/{workspace}', 'workspace log'],
  'workspaces.versions': [b => drained(b.workspaces.versions('a')), 'GET /v1/workspaces/{workspace}/versions', 'workspace log'],
  'workspaces.tree': [b => drained(b.workspaces.tree('a')), 'GET /v1/workspaces/{workspace}/tree', 'workspace show'],
  'workspaces.read': [b => b.workspaces.read('a', 'b.md'), 'GET /v1/workspaces/{workspace}/files/{path}', 'workspace show'],
  'workspaces.commit': [b => b.workspaces.commit('a', { changes: [] }), 'POST /v1/workspaces/{workspace}/commits', 'publish'],
  'workspaces.diff': [b => b.workspaces.diff('a'), 'GET /v1/workspaces/{workspace}/diff', 'workspace diff'],
  'workspaces.checks': [b => b.workspaces.checks('a'), 'GET /v1/workspaces/{workspace}/checks', 'workspace show'],
  'workspaces.check': [b => b.workspaces.check('a'), 'POST /v1/workspaces/{workspace}/checks', 'workspace check'],
  'sessions.create': [b => b.sessions.create({}), 'POST /v1/sessions', 'agent create'],
  'sessions.list': [b => drained(b.sessions.list()), 'GET /v1/sessions', 'agent list'],
  'sessions.get': [b => b.sessions.get('a'), 'GET /v1/sessions/{session}', 'agent show'],
  'sessions.configure': [b => b.sessions.configure('a', {}), 'PUT /v1/sessions/{session}/config', 'agent config'],
  'sessions.sync': [b => b.sessions.sync('a'), 'POST /v1/sessions/{session}/sync', 'agent sync'],
  'sessions.apply': [b => b.sessions.apply('a'), 'POST /v1/sessions/{session}/apply', 'agent apply'],
  'sessions.run': [b => b.sessions.run('a', {}), 'POST /v1/sessions/{session}/runs', 'agent run'],
  'sessions.command': [b => b.sessions.command('a', { kind: 'pause' }), 'POST /v1/sessions/{session}/commands', 'agent say'],
  'sessions.provideInput': [b => b.sessions.provideInput('a', 'b'), 'POST /v1/sessions/{session}/input', 'agent say'],
  'sessions.transcript': [b => b.sessions.transcript('a'), 'GET /v1/sessions/{session}/transcript', 'agent transcript'],
  'sessions.events': [b => drained(b.sessions.events('a')), 'GET /v1/sessions/{session}/events', 'agent events'],
  'runs.get': [b => b.runs.get('a'), 'GET /v1/runs/{runId}', 'show'],
  'runs.events': [b => drained(b.runs.events('a')), 'GET /v1/runs/{runId}/events', 'show'],
  'runs.create': [b => b.runs.create({ workflowId: 'a' }), 'POST /v1/runs', 'run'],
  'runs.fork': [b => b.runs.fork('a', { mode: 'replay', fromSeq: 0 }), 'POST /v1/runs/{runId}:fork', 'run fork'],
  'runs.list': [b => drained(b.runs.list()), 'GET /v1/runs', 'run list'],
  'runs.cancel': [b => b.runs.cancel('a'), 'POST /v1/runs/{runId}/cancel', 'run cancel'],
  'runs.pause': [b => b.runs.pause('a'), 'POST /v1/runs/{runId}/pause', 'run pause'],
  'runs.resume': [b => b.runs.resume('a'), 'POST /v1/runs/{runId}/resume', 'run resume'],
  'runs.mode': [b => b.runs.mode('a', 'planning'), 'POST /v1/runs/{runId}/mode', 'run mode'],
  'runs.override': [b => b.runs.override('a', { text: 'b' }), 'POST /v1/runs/{runId}/override', 'run override'],
  'runs.say': [b => b.runs.say('a', 'b', 'steer', 'c'), 'POST /v1/runs/{runId}/nodes/{nodeId}/messages', 'run say'],
  'runs.prompts': [b => drained(b.runs.prompts('a')), 'GET /v1/runs/{runId}/prompts', 'show'],
  'runs.prompt': [b => b.runs.prompt('a', 'b', 1), 'GET /v1/runs/{runId}/prompts/{nodeId}/{step}', 'show'],
  'runs.waitFor': [b => b.runs.waitFor('a'), 'GET /v1/runs/{runId}/events', 'run'],
  'approvals.list': [b => drained(b.approvals.list()), 'GET /v1/approvals', 'approval list'],
  'approvals.resolve': [b => b.approvals.resolve('a', { decision: 'approved' }), 'POST /v1/approvals/{approval}', 'approval approve'],
  'objects.put': [b => b.objects.put(new Uint8Array()), 'POST /v1/objects', null],
  'objects.get': [b => b.objects.get(D), 'GET /v1/objects/{digest}', 'store object'],
  'tools.list': [b => b.tools.list(), 'GET /v1/tools', 'tool list'],
  'tools.adopt': [b => b.tools.adopt({ server: 'a' } as never), 'POST /v1/tools:adopt', 'tool adopt'],
  'tools.drop': [b => b.tools.drop({ server: 'a' } as never), 'POST /v1/tools:drop', 'tool drop'],
  'policy.get': [b => b.policy.get(), 'GET /v1/policy', 'policy show'],
  'policy.explain': [b => b.policy.explain({ tool: 'a' } as never), 'POST /v1/policy:explain', 'policy explain'],
  why: [b => b.why('a'), 'GET /v1/runs/{runId}/why', 'why'],
  blame: [b => b.blame('a'), 'GET /v1/runs/{runId}/blame', 'blame'],
  diff: [b => b.diff('a', { with: 'b' }), 'GET /v1/runs/{runId}/diff', 'diff'],
  prefix: [b => b.prefix('a'), 'GET /v1/runs/{runId}/prefix', 'run prefix'],
  replay: [b => b.replay('a'), 'GET /v1/runs/{runId}/replay', 'replay'],
  verify: [b => b.verify(), 'GET /v1/verify', 'verify'],
  exportRun: [b => b.exportRun('a'), 'GET /v1/runs/{runId}:export', 'run export'],
  render: [b => b.render({ ref: 'prompt:a', variables: {} }), 'POST /v1/prompts:render', 'prompt render'],
  resolve: [b => b.resolve({ config: {} } as never), 'POST /v1/prompts:resolve', 'why'],
  snapshot: [b => b.snapshot(['prompt:a@1.0.0']), 'GET /v1/prompts/{templateId}', null],
  events: [b => drained(b.events('/v1/streams/a/events')), 'GET /v1/streams/{stream}/events', 'store events'],
  say: [b => b.say('a', 'b'), 'POST /v1/sessions/{session}/runs', 'agent run'],
}

/** Methods of the book itself, which ask no route of their own. */
const PLUMBING: readonly string[] = ['fetch', 'close']

describe('every method of a book', () => {
  const commands = new Set(COMMANDS.map(({ name }) => name))

  it('is in the table', () => {
    expect(
      methodsOf(connect({ url: 'http://nowhere' }))
        .filter(name => !PLUMBING.includes(name))
        .sort(),
    ).toEqual(Object.keys(CAPABILITIES).sort())
  })

  it.each(Object.entries(CAPABILITIES))('%s asks its route', async (_, [call, route]) => {
    const asked: string[] = []
    const recording: typeof fetch = async (target, init) => {
      const { pathname } = new URL(String(target))
      asked.push(`${init?.method ?? 'GET'} ${pathname}`)
      return new Response('{}', { status: 418 })
    }
    const book = connect({ url: 'http://nowhere', fetch: recording, retries: 0 })
    await Promise.resolve(call(book)).catch(() => {})
    expect(asked[0]).toMatch(patternOf(route))
  })

  it.each(Object.entries(CAPABILITIES).filter(([, [, , command]]) => command !== null))('%s has its command', (_, [, , command]) => {
    expect(commands).toContain(command)
  })
})

/** Routes that no method of a book asks, each with the reason. */
const ROUTES_ALONE: Readonly<Record<string, string>> = {
  'GET /.well-known/openwop': 'OpenWOP clients ask it',
  'GET /v1/openapi.json': 'generators of clients read it',
  'GET /healthz': 'for a supervisor',
  'GET /readyz': 'for a supervisor',
  'GET /metrics': 'for a monitor',
  'POST /v1/sign-in': 'for a browser',
  'GET /v1/sign-in': 'for a browser',
  'DELETE /v1/sign-in': 'for a browser',
  'POST /v1/login-tokens': 'onbook key login',
  'GET /v1/prompts/{templateId}/diff': 'onbook diff',
  'GET /v1/workspaces/{workspace}/annotations': 'workspaces.tree names their object',
  'PUT /v1/workspaces/{workspace}/files/{path}': 'workspaces.commit does it',
  'DELETE /v1/workspaces/{workspace}/files/{path}': 'workspaces.commit does it',
  'GET /v1/workspaces/{workspace}/regression': 'onbook replay --against',
  'GET /v1/streams': 'onbook store streams',
  'POST /v1/sessions/{session}/events': 'for programs that speak AgentOS',
  'POST /v1/runs/{runId}:cancel': 'OpenWOP’s spelling',
  'POST /v1/runs/{runId}:pause': 'OpenWOP’s spelling',
  'POST /v1/runs/{runId}:resume': 'OpenWOP’s spelling',
  'POST /v1/runs:bulk-cancel': 'OpenWOP clients ask it',
  'GET /v1/runs/{runId}/events/poll': 'OpenWOP clients ask it',
  'GET /v1/runs/{runId}/interrupts/{nodeId}': 'OpenWOP’s spelling of approvals',
  'POST /v1/runs/{runId}/interrupts/{nodeId}': 'OpenWOP’s spelling of approvals',
  'GET /v1/interrupts/{token}': 'OpenWOP’s spelling of approvals',
  'POST /v1/interrupts/{token}': 'OpenWOP’s spelling of approvals',
}

describe('every route of a host', async () => {
  const book = await createTestBook()
  afterAll(() => book.close())
  it('is asked by a method of a book, or is named with its reason', async () => {
    const answer = await book.fetch('http://onbook.embedded/v1/openapi.json')
    const { paths } = (await answer.json()) as { readonly paths: Readonly<Record<string, object>> }
    const routes = Object.entries(paths).flatMap(([path, verbs]) => Object.keys(verbs).map(verb => `${verb.toUpperCase()} ${path}`))
    const asked = Object.values(CAPABILITIES).map(([, route]) => route)
    expect(routes.filter(route => !asked.includes(route)).sort()).toEqual(Object.keys(ROUTES_ALONE).sort())
    expect(asked.filter(route => !routes.includes(route))).toEqual([])
  })
})

function methodsOf(part: object, prefix = ''): readonly string[] {
  return Object.entries(part).flatMap(([name, value]) =>
    typeof value === 'function'
      ? [`${prefix}${name}`]
      : typeof value === 'object' && value !== null
        ? methodsOf(value, `${prefix}${name}.`)
        : [],
  )
}

const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]*\}/g, '[^/]+')}$`)
