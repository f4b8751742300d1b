// A node begins: its session is made or taken up, and told to work for it. All in one commit with the run.
import { canonicalJson, digestJson, digestText, type Json } from '../../core/digest/digest.ts'
import { decideRun, draftRun, emitRun, type RunDraft } from '../../core/run/decide.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { emptyConfig, type SessionConfig } from '../../core/session/config.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { loadSession } from '../sessions/load.ts'
import { type DecidedSession, decideAll } from './decide-session.ts'
import type { LoadedFrozen } from './frozen.ts'
import { deliveries, mailTo } from './mail.ts'
import { handoffsTo } from './node-values.ts'
import { type HostCatalog, type NodeDesk, startStep } from './start-step.ts'
import { agentOf } from './task.ts'
import type { LoadNode, RunChange } from './write-run.ts'

export interface StartedNode {
  readonly session: string
  readonly effects: DecidedSession['effects']
}

/** The sample node of OpenWOP's conformance suite: whatever it is told, it says that it was told. */
export const SAMPLE_TYPE = 'local.sample.demo.mock-ai'

/** With its first step, unless something keeps that from starting. Null when the node is not to be started, any more or yet. */
export async function startNode(
  desk: Omit<NodeDesk, 'session'>,
  load: LoadNode,
  hostCatalog: HostCatalog | null,
): Promise<RunChange<StartedNode> | null> {
  const { store, tenant, run, frozen, nodeId } = desk
  const { state } = run
  const { workflow } = frozen
  const node = workflow.nodes.find(({ id }) => id === nodeId)!
  const session = sessionOf(state, node)
  const mail = await mailTo(store, tenant, state, nodeId)
  // One that had ended, and starts for its mail alone, was handed everything else before.
  const isWoken = nodeOf(state, nodeId).status !== 'idle' && !state.again.includes(nodeId)
  const handed = isWoken ? [] : await handoffsTo({ store, tenant, state, workflow }, nodeId)
  const handoffs = [...handed, ...mail.map(({ body }) => body)]
  const text = handoffs.length === 0 ? null : canonicalJson(handoffs as unknown as Json)
  const command = { type: 'startNode', nodeId, session, handoffs: text === null ? null : digestText(text) } as const
  const ruling = decideRun(draftRun(state), workflow, command)
  if (!('events' in ruling)) return null
  const started = emitRun(ruling, ...deliveries(nodeId, mail))
  const { state: before, seq } = await load(session)
  const decided = decideAll(before, await commandsFor(desk, node, before))
  const objects = [...(text === null ? [] : [new TextEncoder().encode(text)]), ...decided.objects]
  const change = (draft: RunDraft, done: DecidedSession, texts: readonly StoredText[] = []): RunChange<StartedNode> => ({
    run: draft,
    texts,
    session: { session, seq, state: done.state, events: done.events },
    objects: [...objects, ...done.objects],
    answer: { session, effects: done.effects },
  })
  if (decided.refusal !== null) return change(failedNode(started, frozen, nodeId, decided.refusal), { ...decided, objects: [] })
  if (decided.state.run?.phase !== 'running') return change(started, { ...decided, objects: [] })
  const first = { run: decided.state.run.run, step: 1 }
  const step = await startStep({ ...desk, session, handoffs }, started, decided.state, first, hostCatalog)
  const then = step.decided ?? { ...decided, events: [], effects: [] }
  return change(step.run, { ...then, events: [...decided.events, ...then.events], objects: step.objects }, step.texts)
}

function failedNode(
  draft: RunDraft,
  { workflow }: LoadedFrozen,
  nodeId: string,
  { code, message }: { code: string; message: string },
): RunDraft {
  const ruling = decideRun(draft, workflow, { type: 'failNode', nodeId, code, detail: message })
  return 'events' in ruling ? ruling : draft
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** One for each node of a run, and the same one when an edge leads back to it. */
export const childSession = (runId: string, nodeId: string): string =>
  `${runId}.${NAME.test(nodeId) ? nodeId : `~${digestText(nodeId).slice('sha256:'.length, 'sha256:'.length + 16)}`}`

/** A fork works in no lasting session: what happens there is in earnest. */
export const sessionOf = ({ runId, forkOf }: RunState, { id, session }: WorkflowNode): string =>
  (forkOf === undefined ? session : null) ?? childSession(runId, id)

async function commandsFor(
  { store, tenant, frozen, run: { state }, recorded }: Omit<NodeDesk, 'session'>,
  node: WorkflowNode,
  session: SessionState,
): Promise<readonly SessionCommand[]> {
  const { runId } = state
  const interactive = (node.orchestration ?? frozen.workflow.orchestration) === 'interactive'
  const chosen = configFor(frozen, node, session.config)
  // In a session that is there already, what the node or its agent says about the model goes before what the session is set to.
  const overrides =
    session.session === '' || canonicalJson(chosen as unknown as Json) === canonicalJson(session.config as unknown as Json)
      ? {}
      : { overrides: chosen }
  const request: SessionCommand = { type: 'requestRun', interactive, node: { runId, nodeId: node.id }, ...overrides }
  const start: SessionCommand = { type: 'startRun', run: session.runs + 1 }
  if (session.session !== '') return [request, start]
  const home = recorded === undefined ? await homeOf(store, tenant, frozen, node.id) : recorded.home
  const create: SessionCommand = {
    type: 'create',
    session: sessionOf(state, node),
    agentId: agentOf(frozen, node)?.agentId ?? null,
    config: configFor(frozen, node, home?.config ?? emptyConfig),
    // A lasting session is nobody's child.
    home: node.session === null || state.forkOf !== undefined ? { session: home?.session ?? null, runId, nodeId: node.id } : null,
    snapshot: home?.workspace.active ?? null,
  }
  return [create, request, start]
}

/** The session where its agent's workspace is synced and applied; null when there is none, or the node has a lasting one of its own. */
export async function homeOf(
  store: Store,
  tenant: string,
  frozen: Pick<LoadedFrozen, 'workflow' | 'agents'>,
  nodeId: string,
): Promise<SessionState | null> {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const home = node.session === null ? (agentOf(frozen, node)?.session ?? null) : null
  if (home === null) return null
  const { state } = await loadSession(store, tenant, home)
  return state.session === '' ? null : state
}

/** The node's own choice, its agent's, its home session's, the host's. */
export function configFor(frozen: Pick<LoadedFrozen, 'agents' | 'model'>, node: WorkflowNode, home: SessionConfig): SessionConfig {
  if (node.typeId === SAMPLE_TYPE) return { ...home, provider: 'sample', model: 'sample' }
  const choices = [node.model, agentOf(frozen, node)?.model]
  const pick = <K extends 'provider' | 'model' | 'maxTokens' | 'reasoningEffort'>(key: K) =>
    choices.map(choice => choice?.[key] ?? null).find(value => value !== null)
  const usual = frozen.model
  const sampling = { ...agentOf(frozen, node)?.model, ...node.model }
  const { temperature = home.temperature, topP = home.topP, seed = home.seed, providerOptions } = sampling
  return {
    ...home,
    provider: pick('provider') ?? (home.provider || (usual?.provider ?? '')),
    model: pick('model') ?? (home.model || (usual?.model ?? '')),
    maxTokens: pick('maxTokens') ?? home.maxTokens,
    reasoningEffort: pick('reasoningEffort') ?? home.reasoningEffort,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(providerOptions === undefined ? {} : { providerOptions: digestJson(providerOptions) }),
  }
}
