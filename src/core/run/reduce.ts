// Folds events into the state of a run. The only writer of that state.
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import { appendMessage, emptyHistory } from '../session/history.ts'
import type { MessageEvent } from '../turn/messages.ts'
import { reduceTurn } from '../turn/reduce.ts'
import type { Turn } from '../turn/state.ts'
import type { RunEvent } from './events.ts'
import { delivered, sent, withReplies } from './graph/handoffs.ts'
import { roundsKept } from './stall.ts'
import { emptyRun, type NodeState, nodeOf, type RunState } from './state.ts'

type Nodes = RunState['nodes']
/** Puts a changed node among the others. */
type PutNode = (nodes: Nodes, nodeId: string, node: NodeState) => Nodes

export const reduceRun = (state: RunState, event: RunEvent): RunState =>
  counted(reduced(state, event, (nodes, nodeId, node) => ({ ...nodes, [nodeId]: node })))

function reduced(state: RunState, event: RunEvent, put: PutNode): RunState {
  switch (event.type) {
    case 'run.created': {
      const { type: _, version: __, ...created } = event
      const { mode, copied = 0 } = event.forkOf ?? {}
      return { ...emptyRun, ...created, ...(mode === 'branch' && copied > 0 ? { copying: copied } : {}) }
    }
    case 'run.claimed':
      return { ...state, owner: event.owner, epoch: event.epoch }
    case 'run.overlaid':
      return { ...state, frozen: event.frozen, configurable: event.configurable }
    case 'edge.followed': {
      const { edgeId, to, time } = event
      const again = state.again.includes(to) ? state.again : [...state.again, to]
      return { ...state, followed: { ...state.followed, [edgeId]: time }, again }
    }
    case 'node.spawned': {
      const { type: _, ...node } = event
      return { ...state, grown: { ...state.grown, nodes: [...state.grown.nodes, node] } }
    }
    case 'edge.created': {
      const { type: _, nodeId: __, ...edge } = event
      return { ...state, grown: { ...state.grown, edges: [...state.grown.edges, edge] } }
    }
    case 'handoff.sent':
      return sent(state, event)
    case 'handoff.delivered':
      return reduceNode(delivered(state, event), event, put)
    case 'node.started':
      return start(state, event, put)
    case 'run.paused':
      return {
        ...state,
        phase: 'paused',
        paused: {
          reason: event.reason,
          nodeId: event.nodeId,
          ...(event.drainPolicy === 'drain-current-node' ? { drains: true as const } : {}),
        },
      }
    case 'run.resumed':
      return resume(state)
    case 'run.modeChanged':
      return { ...state, mode: event.mode }
    case 'override.given':
      return override(state, event)
    case 'approval.requested': {
      const { approval, nodeId, wants } = event
      return reduceNode({ ...state, approvals: [...state.approvals, { approval, nodeId, wants }] }, event, put)
    }
    case 'approval.resolved':
      return reduceNode({ ...state, approvals: state.approvals.filter(({ approval }) => approval !== event.approval) }, event, put)
    case 'run.cancelling':
      return cancelling(state, event, put)
    case 'run.completed':
      return { ...state, phase: 'completed', outputs: event.outputs, paused: null, ...OVER }
    case 'run.failed': {
      const { type: _, ...failure } = event
      return { ...state, phase: 'failed', failure, paused: null, ...OVER }
    }
    case 'run.cancelled':
      return { ...state, phase: 'cancelled', paused: null, ...OVER }
    default:
      return withReplies(reduceNode(state, event, put), event)
  }
}

/** A run that has ended waits for nothing. */
const OVER = { approvals: [], inbox: [], awaited: [] } as const

export const foldRun = (events: Iterable<RunEvent>, from: RunState = emptyRun): RunState => {
  const next = runFolding(from)
  let state = from
  for (const event of events) state = next(event)
  return state
}

/** One event after the other, each as dear as the last however many nodes there are: a state it gives is good until the next event. */
export function runFolding(from: RunState = emptyRun): (event: RunEvent) => RunState {
  let state = from
  // Without a prototype any name is a name.
  let own: Record<string, NodeState> = Object.create(null)
  const put: PutNode = (nodes, nodeId, node) => {
    if (nodes !== own) own = Object.assign(Object.create(null), nodes)
    own[nodeId] = node
    return own
  }
  return event => {
    state = counted(reduced(state, event, put))
    return state
  }
}

/** The next step sends the whole prompt to its provider. */
const FORGOTTEN = { headerHash: null, conversation: null } as const

/** The conversation at a provider belongs to the source: a branch that continued it would change what the source sees. */
function counted(state: RunState): RunState {
  const { copying, ...rest } = state
  if (copying === undefined) return state
  if (copying > 1) return { ...rest, copying: copying - 1 }
  return { ...rest, nodes: Object.fromEntries(Object.entries(rest.nodes).map(([id, node]) => [id, { ...node, ...FORGOTTEN }])) }
}

function cancelling(state: RunState, { reason, failure }: Extract<RunEvent, { readonly type: 'run.cancelling' }>, put: PutNode): RunState {
  const nodes = Object.entries(state.nodes).reduce(
    (all, [nodeId, node]) => (node.turn === null ? all : put(all, nodeId, { ...node, turn: { ...node.turn, phase: 'cancelling' } })),
    state.nodes,
  )
  return { ...state, nodes, phase: 'cancelling', paused: null, ending: { reason, failure } }
}

/** Reduces the turn first, and then the graph's state of its node. */
function reduceNode(before: RunState, event: RunEvent, among: PutNode): RunState {
  if (!('nodeId' in event) || event.nodeId === null) return before
  const { turn } = nodeOf(before, event.nodeId)
  const moved = turn === null || !isOfTurn(event) ? turn : reduceTurn(turn, event)
  const state =
    moved === turn ? before : { ...before, nodes: among(before.nodes, event.nodeId, { ...nodeOf(before, event.nodeId), turn: moved }) }
  const node = nodeOf(state, event.nodeId)
  const put = (change: Partial<NodeState>, rest: Partial<RunState> = {}): RunState => ({
    ...state,
    ...rest,
    nodes: among(state.nodes, event.nodeId as string, { ...node, ...change }),
  })
  switch (event.type) {
    case 'prompt.traced':
    case 'prompt.composed':
      return put({ told: [...node.told, toldHash(event)] })
    case 'step.started': {
      const { prompt, request } = event
      const headerHash = prompt.sent.kind === 'full' ? prompt.sent.headerHash : node.headerHash
      const user = request.user ?? node.user
      const promptHash = digestJson([prompt.repeatHash, node.results] as unknown as Json)
      const sent = request.history.count + (request.user === null ? 0 : 1)
      return put(
        { steps: node.steps + 1, user, headerHash, promptHash, results: [], sent, delta: prompt.sent.kind === 'delta' },
        { steps: state.steps + 1 },
      )
    }
    case 'step.settled': {
      const tokens = state.tokens + (event.tokens ?? 0)
      const { promptHash } = node
      // A provider that did not answer may have lost the conversation: the next step sends the whole prompt.
      if (event.replyHash === null || promptHash === null) return put(FORGOTTEN, { tokens })
      const rounds = [...node.rounds, { promptHash, replyHash: event.replyHash }].slice(-roundsKept(state.stallAfter, state.rulesVersion))
      const conversation = event.conversation === undefined ? null : { id: event.conversation, held: node.sent + 1 }
      return put({ rounds, promptHash: null, conversation }, { tokens })
    }
    case 'call.settled': {
      const { tool, arguments: input, status, resultHash } = event
      const seen = node.seen ?? []
      const made = resultHash === undefined ? null : digestJson([tool, input, resultHash])
      // The call changed something: earlier calls in vain no longer count.
      if (status === 'succeeded' && (made === null || !seen.includes(made)))
        return put({ rounds: [], results: [], ...(made === null ? {} : { seen: [...seen, made].slice(-MOST_SEEN) }) })
      return put({ results: [...node.results, JSON.stringify([tool, input, status])] })
    }
    case 'files.changed':
      return put({ rounds: [], results: [], ...unseen(node) })
    case 'node.waiting':
      return put({ status: 'waiting' })
    case 'handoff.delivered':
      // It knows more than before.
      return put({ rounds: [], results: [], ...unseen(node) })
    case 'node.resumed':
      return put({ status: 'running', rounds: [], ...counting(state, node) })
    case 'node.completed':
      return put({ ...over(node), status: 'completed', output: event.output, edges: event.edges })
    case 'node.failed':
      // The last prompt may not have reached its history.
      return put({ ...over(node), ...FORGOTTEN, status: 'failed', output: null, edges: event.edges })
    case 'node.skipped':
      // The output of a visit before an edge led back is not handed over again.
      return put({ status: 'skipped', output: null, edges: [] })
    case 'node.cancelled':
      return put({ ...over(node), ...FORGOTTEN, status: 'cancelled' })
    default:
      return state
  }
}

/** The messages stay for the next visit. A lasting session keeps its own messages. */
const over = ({ turn, session, history }: NodeState): Pick<NodeState, 'turn' | 'history'> => ({
  turn: null,
  history: session === null ? (turn?.history ?? history) : emptyHistory,
})

/** Events that belong to the turn; the others only to the graph. */
export const isOfTurn = (event: RunEvent): event is Extract<RunEvent, MessageEvent> => OF_TURN.has(event.type)

const OF_TURN: ReadonlySet<string> = new Set<MessageEvent['type']>([
  'step.started',
  'step.retried',
  'step.settled',
  'calls.asked',
  'call.judged',
  'call.settled',
  'approval.requested',
  'approval.resolved',
  'message.received',
  'message.taken',
  'node.waiting',
  'node.resumed',
  'node.completed',
  'node.failed',
])

function start(state: RunState, event: Extract<RunEvent, { readonly type: 'node.started' }>, put: PutNode): RunState {
  const { nodeId, session, home, handoffs, visit, again, snapshot, apply } = event
  const before = nodeOf(state, nodeId)
  const fresh = { status: 'running', visits: visit, session, home, handoffs, user: null, told: [], rounds: [], results: [] } as const
  const reset = again.reduce((nodes, id) => put(nodes, id, { ...nodeOf(state, id), status: 'idle' }), state.nodes)
  return {
    ...state,
    nodes: put(reset, nodeId, { ...before, ...fresh, ...unseen(before), turn: turnOf(event, before) }),
    homes: home === null || Object.hasOwn(state.homes, home) ? state.homes : { ...state.homes, [home]: { snapshot, apply } },
    again: state.again.filter(id => id !== nodeId && !again.includes(id)),
  }
}

function turnOf(event: Extract<RunEvent, { readonly type: 'node.started' }>, { history }: NodeState): Turn {
  const { config, interactive, snapshot, apply, input, left = [], history: messages = history } = event
  return {
    phase: 'running',
    interactive,
    config,
    snapshot,
    apply,
    steps: 0,
    step: null,
    calls: [],
    left,
    history: input === null ? messages : appendMessage(messages, input),
  }
}

/** More successful calls of a node are not compared. */
const MOST_SEEN = 200

/** The same call may now give another result. */
const unseen = ({ seen }: NodeState): Pick<NodeState, 'seen'> => (seen === undefined ? {} : { seen: [] })

/** A person has looked at it: its steps count anew. */
const counting = ({ rulesVersion }: RunState, { steps }: NodeState): Pick<NodeState, 'countedFrom'> =>
  rulesVersion === undefined ? {} : { countedFrom: steps }

/** Identifies a trace or composition, so that the same one is recorded once. */
export const toldHash = ({ type, ...payload }: Extract<RunEvent, { readonly type: 'prompt.traced' | 'prompt.composed' }>): Digest =>
  digestJson([type, payload] as unknown as Json)

/** A node that stalled begins to count anew. */
function resume(state: RunState): RunState {
  const stalled = state.paused?.nodeId ?? null
  const node = stalled === null ? null : nodeOf(state, stalled)
  const anew = node === null ? null : { ...node, rounds: [], results: [], ...counting(state, node) }
  const nodes = anew === null ? state.nodes : { ...state.nodes, [stalled!]: anew }
  return { ...state, phase: 'running', paused: null, nodes }
}

function override(state: RunState, { nodeId, text }: Extract<RunEvent, { readonly type: 'override.given' }>): RunState {
  if (nodeId === null) return { ...state, override: text }
  const { [nodeId]: _, ...others } = state.overrides
  return { ...state, overrides: text === null ? others : { ...others, [nodeId]: text } }
}
