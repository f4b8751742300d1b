// A host with something in it, and what requests must say to find it.
import { SCOPES } from '../../core/access/keys.ts'
import { digestText, type Json } from '../../core/digest/digest.ts'
import type { TemplateVariable } from '../../core/library/template.ts'
import { publishConformance } from '../../engine/definitions/conformance.ts'
import { startHost, type TestHost, template } from '../hosts/start-host.ts'
import { memoryToolServer } from '../tools/memory-tool-server.ts'
import type { Hints } from './from-schema.ts'
import type { HostRoute } from './host-routes.ts'

export interface FurnishedHost {
  readonly host: TestHost
  /** A key of tenant acme, with every scope and a workspace. */
  readonly key: string
  /** Only spares are taken away, and one is raised: what others ask for stays. */
  hintsFor(route: HostRoute): Hints
}

const NOWHERE = digestText('nothing has this name')
const RAISES = Array.from({ length: 40 }, (_, n) => `1.${n + 1}.0`)
const ALL_SPARES = Array.from({ length: 40 }, (_, n) => `spare-${n}`)

/** Documents that are published again and again; what others ask for is another. */
const RAISED_WORKFLOWS = ALL_SPARES.map(objective => ({
  id: 'raised',
  objective,
  nodes: [{ id: 'a' }, { id: 'b' }],
  edges: [{ from: 'a', to: 'b' }],
}))
const RAISED_AGENTS = ALL_SPARES.map(label => ({ agentId: 'core.desk.raised', label, systemPrompt: 'I write.' }))
const spareAgent = (name: string): string => `core.desk.${name}`

/** Existing names, so that valid requests find something. */
const HINTS: Hints = {
  templateId: ['known', 'known', 'labelled', 'nobody', 'conformance.prompt.writer-user'],
  label: ['live', 'next'],
  labels: ['known@live=1.0.0', 'known@live=1.0.0', 'known@live=9.9.9'],
  activate: ['known@1.0.0', 'known@1.0.0', 'nobody@1.0.0'],
  version: ['1.0.0', '1.1.0', '2.0.0-rc.1', '9.9.9', '1'],
  libraryId: ['onbook'],
  dialect: ['onbook'],
  meta: [{ author: 'somebody', createdAt: '2026-01-01T00:00:00Z' }, {}],
  extractPath: ['$.a[0].b'],
  ref: [
    'prompt:known',
    'prompt:known@1.0.0',
    { templateId: 'known', variableOverrides: { topic: 'y' } },
    'prompt:nobody',
    'prompt:Not Valid!!',
  ],
  variables: [{ topic: 'x' }, { topic: '</UNTRUSTED>', count: 1 }, {}],
  bindings: [{ topic: 'x' }],
  bindingTrust: [{ topic: 'untrusted' }],
  config: [{ systemPromptRef: 'prompt:known', agentId: 'core.desk.writer' }, { fewShotPromptRefs: ['prompt:known', '', 7] }, {}],
  agentId: ['core.desk.writer'],
  agentManifest: [{ agentId: 'core.desk.writer', systemPrompt: 'I write.', promptOverrides: { user: 'prompt:known' } }],
  promptRefs: [{ system: 'prompt:known' }],
  hostDefaults: [{ system: 'prompt:known' }],
  system: ['prompt:known', 'prompt:nobody@3.0.0'],
  text: ['Write about {{topic}}.', '{{#if topic}}{{topic}}{{/if}}'],
  limit: ['1', '200'],
  cursor: [Buffer.from('1:known:onbook').toString('base64url')],
  count: [1],
  stream: ['library/onbook', 'nowhere'],
  workspace: [...Array(7).fill('desk'), 'elsewhere'],
  '*': ['known.md', 'docs/known.md', 'nowhere.md'],
  path: ['known.md', 'docs'],
  changes: [[{ path: 'new.md', text: 'new' }], [{ path: 'docs/known.md', annotations: { seen: true } }]],
  session: [...Array(7).fill('writer'), 'nobody', 'a new one'],
  message: ['Hello', { role: 'user', content: 'Hello' }, { digest: NOWHERE }],
  input: ['Hello', { role: 'user', content: [{ type: 'text', text: 'Hello' }] }, { role: 'user', content: 7 }],
  overrides: [{ provider: 'scripted', model: 'small' }, {}],
  prelude: ['default', null],
  catalog: [null],
  digest: [digestText('words of ours'), NOWHERE],
  from: ['1'],
  after: ['-1', '0'],
  workspaceId: [...Array(7).fill('desk'), 'elsewhere'],
  workflowId: ['newsroom', 'nobody'],
  nodeId: ['a', 'a', 'nobody'],
  step: ['1'],
  visit: ['1'],
  status: ['running', 'completed'],
  lastSequence: ['-1', '0'],
  // A poll that finds nothing waits this many seconds.
  timeout: ['1'],
  streamMode: ['updates', 'messages,debug', 'values', 'bogus'],
  bufferMs: ['0', '50'],
  tenantId: ['acme', 'acme', 'umbrella'],
  configurable: [{}, { promptOverrides: { system: 'prompt:known' } }, { promptOverrides: { system: 'prompt:No!' } }, { model: 'x' }],
  inputs: [{}, { topic: 'x' }],
}

const PACK_HINTS: Hints = {
  templates: [[template('packed')], [template('packed'), template('packed.few-shot')], []] as unknown as readonly Json[],
  schemas: [[]],
  active: [[], [{ templateId: 'packed', version: '1.0.0', onlyFirst: true, why: null }]],
  agents: [[], [RAISED_AGENTS[0]!]],
  workflows: [[], [RAISED_WORKFLOWS[0]!]],
  templateIds: [['known'], ['nobody']],
  version: ['9.9.9'],
}

const TOKENS = 20
/** How the routes end that change a run for good. */
const RUN_CHANGES = ['/cancel', '::cancel', ':bulk-cancel', '/pause', '::pause', '/resume', '::resume'] as const
const RESUME_VALUES = [{ action: 'accept' }, { action: 'reject', feedback: 'words of ours' }, { action: 'bogus' }]
/** Approvals that are answered as interrupts, so that those answered as approvals stay open. */
const interruptOf = (spare: string): string => `${spare}-interrupt`

/** With fewer spares where nothing is taken. */
/** A host refuses an apply with nothing pending, and takes a message whose id is new. */
const aosEvents = (id: string) => [
  { $tag: 'WorkspaceApplyRequested', $value: { mode: { $tag: 'NextRun' } } },
  { $tag: 'HostCommandReceived', $value: { command_id: id, command: { $tag: 'FollowUp', $value: { text: 'Hello' } } } },
]

export async function furnishedHost(spareCount = ALL_SPARES.length): Promise<FurnishedHost> {
  const spareNames = ALL_SPARES.slice(0, spareCount)
  const host = await startHost({}, { servers: new Map([['desk', memoryToolServer(['acme'], 'say', 'shout')]]) })
  const { key } = await host.makeKey('acme', SCOPES, { workspaces: ['*'] })
  await publishConformance(host.store, 'onbook')
  const send = async (method: string, path: string, body?: object) => {
    const answer = await host.ask(method, path, { key, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`)
    return answer.body
  }
  for (const id of ['known', 'labelled', 'raised', ...spareNames])
    await send('POST', '/v1/prompts', template(id, { description: 'words of ours' }))
  const count: TemplateVariable = { name: 'count', type: 'number', required: false }
  await send('POST', '/v1/prompts', template('counted', { text: '{{count}}', variables: [count] }))
  await send('PUT', '/v1/labels/labelled/live', { version: '1.0.0' })
  const token = await Promise.all(Array.from({ length: TOKENS }, async () => (await send('POST', '/v1/login-tokens')).token as string))
  const files = ['known.md', 'docs/known.md', ...spareNames].map(path => ({ path, text: 'words of ours' }))
  const prelude = { path: 'prompts/packs/default.json', text: '[{"role":"system","content":"Be brief."}]' }
  await send('POST', '/v1/workspaces/desk/commits', { changes: [...files, prelude] })
  for (const session of ['writer', 'listener', 'waiting'])
    await send('POST', '/v1/sessions', { session, config: { provider: 'scripted', model: 'small' } })
  for (const session of ['listener', 'waiting'])
    await send('POST', `/v1/sessions/${session}/runs`, { input: 'words of ours', interactive: true })
  for (const id of ['newsroom', ...spareNames])
    await send('PUT', `/v1/workflows/${id}`, { id, name: 'words of ours', nodes: [{ id: 'a' }] })
  for (const agentId of ['core.desk.writer', ...spareNames.map(spareAgent)])
    await send('PUT', `/v1/agents/${agentId}`, { agentId, label: 'words of ours', systemPrompt: 'words of ours' })
  await send('PUT', '/v1/workflows/talk', {
    id: 'talk',
    objective: 'words of ours',
    orchestration: 'interactive',
    nodes: [{ id: 'a' }],
  })
  const runs: string[] = []
  for (let n = 0; n <= spareNames.length + 1; n++) {
    const { runId } = await send('POST', '/v1/runs', { workflowId: 'talk', mode: 'planning' })
    await host.sessions.runs.quiet('acme', runId)
    runs.push(runId)
  }
  const [run, waiting, ...spareRuns] = runs
  const wants = { kind: 'mode', mode: 'implementation', reason: 'words of ours' } as const
  const askApproval = (runId: string, approval: string) =>
    host.sessions.runs.submit({ tenant: 'acme', runId, actor: 'test' }, { type: 'askApproval', approval, nodeId: 'a', wants })
  for (const approval of spareNames) {
    await askApproval(run!, approval)
    await askApproval(run!, interruptOf(approval))
    await askApproval(waiting!, `${approval}-of-node`)
  }
  // Each route that changes a run for good has spares of its own: what one took, the next would find taken.
  const spares = new Map(RUN_CHANGES.map((end, part) => [end, spareRuns.filter((_, index) => index % RUN_CHANGES.length === part)]))
  for (const [end, runIds] of spares) if (end.endsWith('resume')) for (const runId of runIds) await send('POST', `/v1/runs/${runId}/pause`)
  const runHints = (url: string): Hints => {
    const change = RUN_CHANGES.find(end => url.endsWith(end))
    if (change === ':bulk-cancel') return { ...HINTS, runIds: spares.get(change)!.map(runId => [runId, 'nobody']) }
    if (change) return { ...HINTS, runId: spares.get(change)! }
    if (url.includes('/interrupts/')) return { ...HINTS, runId: [waiting!], resumeValue: RESUME_VALUES }
    if (url.endsWith(':fork')) return { ...HINTS, runId: [run!, run!, 'nobody'], fromSeq: [0, 2, 6, 1_000] }
    if (url.endsWith('/diff'))
      return { ...HINTS, runId: [run!, run!, 'nobody'], with: [run!, 'nobody'], steps: ['1..1', '1.1..2.1', '1-2'] }
    return { ...HINTS, runId: [run!, run!, run!, 'nobody'], message: ['Hello'] }
  }
  return {
    host,
    key,
    hintsFor({ method, url }) {
      if (url.startsWith('/v1/runs')) return runHints(url)
      if (url.startsWith('/v1/packs')) return { ...HINTS, ...PACK_HINTS }
      if (url.startsWith('/v1/prompts/') && url.endsWith('/diff'))
        return { ...HINTS, templateId: ['known'], from: ['1.0.0', '9.9.9'], to: ['1.0.0'] }
      if (url.startsWith('/v1/interrupts/')) return { ...HINTS, token: spareNames.map(interruptOf), resumeValue: RESUME_VALUES }
      if (url.startsWith('/v1/approvals')) return { ...HINTS, approval: spareNames, cursor: ['spare-1'] }
      if (url === '/v1/sign-in') return { token }
      if (url.startsWith('/v1/tools'))
        return { ...HINTS, server: ['desk', 'desk', 'nowhere'], tools: [['say'], ['shout', 'say'], ['nobody']] }
      if (url.startsWith('/v1/policy'))
        return {
          tool: ['workspace.read', 'pay'],
          agent: ['writer'],
          role: ['reviewer', 'nobody'],
          runId: [run!],
          nodeId: ['a'],
          arguments: [{ path: 'a' }],
        }
      if (url.startsWith('/v1/roles/')) return { name: ['reviewer', 'planner', 'nobody', '../reviewer'] }
      if (url.endsWith('/commands')) return { ...HINTS, session: ['listener'], run: [1], message: ['Hello'] }
      if (method === 'POST' && url.endsWith('/events'))
        return { ...HINTS, session: ['listener'], session_id: ['listener'], dialect: ['aos'], event: spareNames.flatMap(aosEvents) }
      if (url.endsWith('/input')) return { ...HINTS, session: ['waiting'] }
      // A template of a workspace shadows the tenant's of the same name.
      if (method === 'POST' && url === '/v1/prompts') return { ...HINTS, templateId: ['raised', 'nobody'] }
      if (!['PUT', 'DELETE'].includes(method)) return HINTS
      if (url.startsWith('/v1/sessions/')) return { ...HINTS, '': [{ provider: 'scripted', model: 'small' }] }
      if (url.startsWith('/v1/labels/')) return { ...HINTS, templateId: ['labelled'], version: ['1.0.0'] }
      if (url.startsWith('/v1/workflows/'))
        return method === 'DELETE' ? { ...HINTS, workflowId: spareNames } : { ...HINTS, workflowId: ['raised'], '': RAISED_WORKFLOWS }
      if (url.startsWith('/v1/agents/'))
        return method === 'DELETE'
          ? { ...HINTS, agentId: spareNames.map(spareAgent) }
          : { ...HINTS, agentId: ['core.desk.raised'], '': RAISED_AGENTS }
      return { ...HINTS, '*': spareNames, templateId: method === 'DELETE' ? spareNames : ['raised'], version: RAISES }
    },
  }
}
