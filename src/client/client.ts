// Creates a client of one host with one key. Each client has its own cache.
import type { Bundle } from '../wire/onbook/bundle.ts'
import type { PromptTemplate, Rendered, RenderRequest, Resolved, ResolveRequest } from '../wire/onbook/prompts.ts'
import type { Snapshot } from '../wire/onbook/snapshot.ts'
import { type Agents, createAgents, createWorkflows, type Workflows } from './calls/definitions.ts'
import { createLabels, type Labels } from './calls/labels.ts'
import { createObjects, type Objects } from './calls/objects.ts'
import { createPacks, type Packs } from './calls/packs.ts'
import { createPolicy, type Policy } from './calls/policy.ts'
import { createPrompts, type Prompts } from './calls/prompts.ts'
import { createQuestions, type Questions } from './calls/questions.ts'
import { createRoles, type Roles } from './calls/roles.ts'
import { type Approvals, createApprovals, createRuns, type Runs } from './calls/runs.ts'
import { createSessions, type Sessions } from './calls/sessions.ts'
import { createTools, type Tools } from './calls/tools.ts'
import { createWorkspaces, type Workspaces } from './calls/workspaces.ts'
import { clientError } from './client-error.ts'
import type { ServerEvent } from './event-stream.ts'
import { type EventOptions, readEvents } from './events.ts'
import { keptAnswers } from './kept.ts'
import { offlineSource } from './offline.ts'
import { type Ref, type RefParts, readRef } from './ref.ts'
import { listIn } from './shapes.ts'
import { type CallOptions, createTransport, type TransportOptions } from './transport.ts'

export interface ClientOptions extends TransportOptions {
  /**
   * Fallback for a host that does not answer: a snapshot, or a bundle's pack.json, as JSON or as its text. Pinned versions are read from it without a
   * request. A bundle serves them only to refs that name it, because another library may have the same template ids.
   */
  readonly offline?: Snapshot | Bundle | string
}

export interface Client extends Questions {
  readonly prompts: Prompts
  readonly labels: Labels
  readonly packs: Packs
  readonly roles: Roles
  readonly workflows: Workflows
  readonly agents: Agents
  readonly workspaces: Workspaces
  readonly sessions: Sessions
  readonly runs: Runs
  readonly approvals: Approvals
  readonly objects: Objects
  readonly tools: Tools
  readonly policy: Policy
  render(request: RenderRequest, options?: CallOptions): Promise<Rendered>
  resolve(request: ResolveRequest, options?: CallOptions): Promise<Resolved>
  /** Contains only answers that the host confirms now. A stale answer is an error here. */
  snapshot(refs: readonly Ref[], options?: CallOptions): Promise<Snapshot>
  /** An event stream of the host, by the path of its route. */
  events(path: string, options?: EventOptions): AsyncIterable<ServerEvent>
}

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  const offline = options.offline === undefined ? null : offlineSource(options.offline)
  const parts = { transport, offline, kept: keptAnswers({ timeoutMs: transport.timeoutMs, hasOffline: offline !== null }) }
  const [prompts, labels] = [createPrompts(parts), createLabels(parts)]
  return {
    prompts,
    labels,
    packs: createPacks(transport),
    roles: createRoles(transport),
    workflows: createWorkflows(transport),
    agents: createAgents(transport),
    workspaces: createWorkspaces(transport),
    sessions: createSessions(transport),
    runs: createRuns(transport),
    approvals: createApprovals(transport),
    objects: createObjects(transport),
    tools: createTools(transport),
    policy: createPolicy(transport),
    ...createQuestions(transport),
    async render(body, call = {}) {
      const reply = await transport.ask({ method: 'POST', path: '/v1/prompts:render', body, ...call })
      listIn(reply.body, 'refs')
      return reply.body as Rendered
    },
    async resolve(body, call = {}) {
      const reply = await transport.ask({ method: 'POST', path: '/v1/prompts:resolve', body, ...call })
      listIn(reply.body, 'resolutions')
      return reply.body as Resolved
    },
    snapshot: (refs, call = {}) => takeSnapshot(prompts, refs.map(readRef), call),
    events: (path, given = {}) => readEvents(transport, path, given),
  }
}

/** Copies the host's present answers into a snapshot, for use without the host. */
async function takeSnapshot(prompts: Prompts, refs: readonly RefParts[], options: CallOptions): Promise<Snapshot> {
  const takenAt = new Date().toISOString()
  const templates = new Map<string, PromptTemplate>()
  const labels = new Map<string, Snapshot['labels'][number]>()
  for (const ref of refs) {
    if (ref.libraryId !== undefined) throw clientError('ref_invalid', 'A snapshot has no libraries: name no libraryId.')
    const { template, ref: pinned } = await prompts.get(ref, { ...options, maxAgeMs: 0, staleIfErrorMs: 0 })
    const { templateId, label } = ref
    templates.set(pinned, template)
    if (label !== undefined) labels.set(`${templateId} ${label}`, { templateId, label, version: template.version })
  }
  return { takenAt, templates: [...templates.values()], labels: [...labels.values()] }
}
