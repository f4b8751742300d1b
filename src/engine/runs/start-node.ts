// Starts a node: with the config and the snapshot of its home session, and with its first step. All in one commit.
import { canonicalJson, digestJson, digestText, type Json } from '../../core/digest/digest.ts'
import { decideRun, type StartNode } from '../../core/run/decide.ts'
import { draftRun, emitRun, type RunDraft, type SessionRecord } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import { comingConfig, comingSnapshot, unsyncedProblem } from '../../core/session/coming-snapshot.ts'
import { configProblem, emptyConfig, type RunConfig, type SessionConfig } from '../../core/session/config.ts'
import { decide } from '../../core/session/decide.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { loadSession } from '../sessions/load.ts'
import { handoffsTo } from '../turns/node-values.ts'
import { type NodeDesk, startStep } from '../turns/start-step.ts'
import { agentOf, isDirect } from '../turns/task.ts'
import { deliveries, mailTo } from './graph/mail.ts'
import type { LoadedFrozen } from './start/frozen.ts'
import type { RunChange } from './write-run.ts'

/** The sample node of OpenWOP's conformance suite: it repeats its input. */
export const SAMPLE_TYPE = 'local.sample.demo.mock-ai'

/** The part of `node.started` that does not follow from the run. A replay takes it from the record. */
export type Beginning = Pick<StartNode, 'session' | 'home' | 'config' | 'interactive' | 'snapshot' | 'apply' | 'input' | 'history' | 'left'>

/**
 * Starts the node with its first step, unless the step cannot start. Null when the node is not to be started, any more or yet.
 * @param recorded of a replay
 * @param from the run, with the events that are written before
 */
export async function startNode(
  desk: NodeDesk,
  recorded: RecordedStart | null = null,
  from: RunDraft = draftRun(desk.run.state),
): Promise<(RunChange<null> & { readonly problem: Problem | null }) | null> {
  const { store, tenant, frozen, nodeId } = desk
  const { state } = from
  const { workflow } = frozen
  const node = workflow.nodes.find(({ id }) => id === nodeId)!
  const mail = await mailTo(store, tenant, state, nodeId)
  // A node that had ended, and starts for its mail alone, was handed everything else before.
  const isWoken = nodeOf(state, nodeId).status !== 'idle' && !state.again.includes(nodeId)
  const handed = isWoken ? [] : await handoffsTo({ store, tenant, state, workflow }, nodeId)
  const handoffs = [...handed, ...mail.map(({ body }) => body)]
  const text = handoffs.length === 0 ? null : canonicalJson(handoffs as unknown as Json)
  const begun = recorded === null ? await beginningOf({ ...desk, state }, node) : { ...recorded, records: [] }
  const command: StartNode = { type: 'startNode', nodeId, ...begun.beginning, handoffs: text === null ? null : digestText(text) }
  const ruling = decideRun({ ...from, sessions: [...from.sessions, ...begun.records] }, workflow, command)
  if (!('events' in ruling)) return null
  const started = takeFirst(emitRun(ruling, ...deliveries(nodeId, mail)), nodeId)
  const objects = text === null ? [] : [new TextEncoder().encode(text)]
  const { problem } = begun
  if (problem !== null) return { draft: failNode(started, frozen, nodeId, problem), objects, answer: null, problem }
  const step = await startStep({ ...desk, handoffs }, started, 1)
  return { draft: step.draft, texts: step.texts, objects: [...objects, ...step.objects], answer: null, problem }
}

/** Without input a turn begins with the first follow-up that was left. */
function takeFirst(draft: RunDraft, nodeId: string): RunDraft {
  const { turn } = nodeOf(draft.state, nodeId)
  const started = draft.events.find((event): event is Extract<RunEvent, { type: 'node.started' }> => event.type === 'node.started')
  const first = turn?.left.find(({ kind }) => kind === 'follow-up')
  return first === undefined || started?.input != null ? draft : emitRun(draft, { type: 'message.taken', nodeId, id: first.id })
}

function failNode(draft: RunDraft, { workflow }: LoadedFrozen, nodeId: string, { code, message }: Problem): RunDraft {
  const ruling = decideRun(draft, workflow, { type: 'failNode', nodeId, code, detail: message })
  return 'events' in ruling ? ruling : draft
}

interface Problem {
  readonly code: string
  readonly message: string
}

export interface RecordedStart {
  readonly beginning: Beginning
  /** Why the node could not go on from there; null when it could. */
  readonly problem: Problem | null
}

interface Begun extends RecordedStart {
  readonly records: readonly SessionRecord[]
}

async function beginningOf(
  { load, state, frozen }: Pick<NodeDesk, 'load' | 'frozen'> & { readonly state: RunState },
  node: WorkflowNode,
): Promise<Begun> {
  const { session, name, interactive, asked } = placeOfNode(frozen, state, node)
  const home = name === null ? null : (await load(name)).state
  const exists = home !== null && home.session !== ''
  const coming = exists ? comingSnapshot(home) : null
  const config = asked?.config ?? configFor(frozen, node, exists ? comingConfig(home) : emptyConfig)
  const used = name === null ? undefined : state.homes[name]
  const snapshot = asked?.snapshot ?? (used === undefined ? (coming?.snapshot ?? null) : used.snapshot)
  const applies = (home?.workspace.applies ?? 0) + (exists && isDue(home) ? 1 : 0)
  const opened = session === null ? null : openedIn(frozen, node, session, home!, state.runId, config)
  const lasting = opened === null ? {} : { history: home!.history, ...(home!.left.length === 0 ? {} : { left: home!.left }) }
  const beginning: Beginning = {
    session: opened?.problem === undefined || opened.problem === null ? session : null,
    home: exists || session !== null ? name : null,
    config,
    interactive,
    snapshot,
    apply: used?.apply ?? applies,
    input: asked?.input ?? null,
    ...(opened?.problem === null ? lasting : saidBefore(state, node)),
  }
  const unsynced = asked?.snapshot == null && exists ? unsyncedProblem(config, coming, name!) : null
  const problem =
    opened?.problem ?? configProblem(config, NO_KNOWN) ?? (unsynced === null ? null : { code: 'snapshot_missing', message: unsynced })
  const begin: readonly SessionRecord[] =
    node.session === null && exists && used === undefined ? [{ session: name!, command: { type: 'beginRun' } }] : []
  return { beginning, records: [...(opened?.records ?? []), ...begin], problem }
}

/** In a fork. A node that starts once more has its messages in the run. */
function saidBefore({ forkOf, nodes }: RunState, { id }: WorkflowNode): Pick<Beginning, 'history'> {
  const history = forkOf?.began?.[id]
  return history === undefined || nodes[id] !== undefined ? {} : { history }
}

const NO_KNOWN = { providers: [], models: [] }

const isDue = (state: SessionState): boolean => {
  const { approved } = state.workspace
  return approved !== null && approved.at === 'run' && approved.firstRun <= state.runs + 1
}

interface Opened {
  readonly records: readonly SessionRecord[]
  readonly problem: Problem | null
}

/** A lasting session is made when it is first named, and only one run works in it at a time. */
function openedIn(
  frozen: LoadedFrozen,
  node: WorkflowNode,
  session: string,
  state: SessionState,
  runId: string,
  config: SessionConfig,
): Opened {
  const agentId = agentOf(frozen, node)?.agentId ?? null
  const create: readonly SessionRecord[] = state.session === '' ? [{ session, command: { type: 'create', session, agentId, config } }] : []
  const attach = { type: 'attachRun', runId, nodeId: node.id } as const
  const attached = create.length > 0 ? null : decide(state, attach)
  if (attached?.ok === false) return { records: [], problem: { code: attached.code, message: attached.message } }
  return { records: [...create, { session, command: attach }], problem: null }
}

/** A fork does not work in a lasting session, because messages there have real effects. */
const sessionOf = ({ forkOf }: RunState, { session }: WorkflowNode): string | null => (forkOf === undefined ? session : null)

/** The part of a start that follows from what the run froze. `name`: of the session that its config and its snapshot come from. */
export function placeOfNode(frozen: LoadedFrozen, state: RunState, node: WorkflowNode) {
  const asked = isDirect(node) ? (state.direct ?? null) : null
  const interactive = asked?.interactive ?? (node.orchestration ?? frozen.workflow.orchestration) === 'interactive'
  return { session: sessionOf(state, node), name: node.session ?? homeName(frozen, node), interactive, asked }
}

const homeName = (frozen: Pick<LoadedFrozen, 'workflow' | 'agents'>, node: WorkflowNode): string | null =>
  agentOf(frozen, node)?.session ?? null

/** The session where the agent's workspace is synced and applied, or null. */
export async function homeOf(
  store: Store,
  tenant: string,
  frozen: Pick<LoadedFrozen, 'workflow' | 'agents'>,
  node: WorkflowNode,
): Promise<SessionState | null> {
  const name = node.session ?? homeName(frozen, node)
  if (name === null) return null
  const { state } = await loadSession(store, tenant, name)
  return state.session === '' ? null : state
}

/** The node's own choice, its agent's, its home session's, the host's. */
export function configFor(frozen: Pick<LoadedFrozen, 'agents' | 'model'>, node: WorkflowNode, home: SessionConfig): RunConfig {
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
