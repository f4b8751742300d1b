// The state of a run, folded from its events: plain JSON, the same bytes for the same events. The frozen world has the first graph.
import type { Mode } from '../compose/mode.ts'
import type { Digest } from '../digest/digest.ts'
import { emptyHistory, type History } from '../session/history.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { ApprovalSubject } from '../turn/events.ts'
import type { Turn } from '../turn/state.ts'
import type { Budget, Orchestration } from '../workflow/workflow.ts'
import type { DirectRequest, PauseReason, RunFailure } from './events.ts'
import type { ForkOf } from './fork.ts'
import { type Grown, NOT_GROWN } from './graph/grown.ts'
import type { AwaitedReply, SentHandoff } from './graph/handoffs.ts'
import type { Round } from './stall.ts'

export type RunPhase = 'running' | 'paused' | 'cancelling' | 'completed' | 'failed' | 'cancelled'
export type NodeStatus = 'idle' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled'

export interface NodeState {
  readonly status: NodeStatus
  readonly visits: number
  /** The lasting session that it works in; null when its messages are here. */
  readonly session: string | null
  /** The session that its snapshot comes from; null without one. */
  readonly home: string | null
  /** Null while it is not at work. */
  readonly turn: Turn | null
  /** The messages of the earlier visits; those of the present visit are in its turn. */
  readonly history: History
  readonly handoffs: Digest | null
  /** The output of the latest visit that has ended. */
  readonly output: Digest | null
  /** The outgoing edges whose condition held when the node ended. */
  readonly edges: readonly string[]
  readonly steps: number
  /** The user message of the present turn: it is sent once. */
  readonly user: Digest | null
  /** The resolutions and compositions on record for this visit: each is recorded once. */
  readonly told: readonly Digest[]
  readonly rounds: readonly Round[]
  /** The hash of the prompt of the step under way. */
  readonly promptHash: Digest | null
  /** Successful calls with their results, since files last changed. Left out where the run records no results. */
  readonly seen?: readonly Digest[]
  /** The steps before a person last resumed it: they do not count for the limit of steps per node. */
  readonly countedFrom?: number
  /** Results of its tool calls since that step: the failed ones, and those that repeat an earlier result. */
  readonly results: readonly string[]
  /** The header hash of the last prompt that was sent in full to its provider. */
  readonly headerHash: Digest | null
  /** How many messages of its history the step under way was made of, and whether only the newest were sent. */
  readonly sent: number
  readonly delta: boolean
  readonly conversation: Conversation | null
}

/** A conversation that the provider stores: its first `held` messages need not be sent again. */
export interface Conversation {
  readonly id: string
  readonly held: number
}

export interface OpenApproval {
  readonly approval: string
  readonly nodeId: string
  readonly wants: ApprovalSubject
}

export interface RunState {
  /** Empty before the run is created. */
  readonly runId: string
  readonly workflowId: string
  readonly frozen: Digest | null
  readonly inputs: Digest | null
  readonly configurable: Digest | null
  readonly metadata: Digest | null
  readonly tags: readonly string[]
  readonly phase: RunPhase
  /** @property drains working nodes continue to their end, and no other starts */
  readonly paused: { readonly reason: PauseReason; readonly nodeId: string | null; readonly drains?: true } | null
  readonly mode: Mode
  readonly orchestration: Orchestration
  readonly budget: Budget
  readonly stallAfter: number
  /** Left out by runs that were started before there was a second version. */
  readonly rulesVersion?: number
  readonly owner: string
  readonly epoch: number
  readonly steps: number
  readonly tokens: number
  /** Those that something has happened to. */
  readonly nodes: Readonly<Record<string, NodeState>>
  /** By home session: the snapshot that nodes of this run start with. One run, one snapshot of each. */
  readonly homes: Readonly<Record<string, { readonly snapshot: Snapshot | null; readonly apply: number }>>
  /** How often each edge that leads back was taken. */
  readonly followed: Readonly<Record<string, number>>
  /** Nodes that an edge led back to, and that start when the nodes after them are quiet. */
  readonly again: readonly string[]
  /** The growth of the graph. Nothing is ever removed, so a name never comes to mean another node. */
  readonly grown: Grown
  /** How many were sent. */
  readonly handoffs: number
  /** Unread handoffs, oldest first. */
  readonly inbox: readonly SentHandoff[]
  readonly awaited: readonly AwaitedReply[]
  readonly overrides: Readonly<Record<string, Digest>>
  readonly override: Digest | null
  readonly approvals: readonly OpenApproval[]
  readonly outputs: Digest | null
  /** Why it is ended, while it is. */
  readonly ending: { readonly reason: string | null; readonly failure: RunFailure | null } | null
  readonly failure: RunFailure | null
  readonly forkOf?: ForkOf
  readonly direct?: DirectRequest
  /** In a branch, how many events of its source are still to come. */
  readonly copying?: number
}

export const emptyRun: RunState = {
  runId: '',
  workflowId: '',
  frozen: null,
  inputs: null,
  configurable: null,
  metadata: null,
  tags: [],
  phase: 'running',
  paused: null,
  mode: 'implementation',
  orchestration: 'auto',
  budget: { steps: null, tokens: null, milliseconds: null },
  stallAfter: 0,
  owner: '',
  epoch: 0,
  steps: 0,
  tokens: 0,
  nodes: {},
  homes: {},
  followed: {},
  again: [],
  grown: NOT_GROWN,
  handoffs: 0,
  inbox: [],
  awaited: [],
  overrides: {},
  override: null,
  approvals: [],
  outputs: null,
  ending: null,
  failure: null,
}

export const idleNode: NodeState = {
  status: 'idle',
  visits: 0,
  session: null,
  home: null,
  turn: null,
  history: emptyHistory,
  handoffs: null,
  output: null,
  edges: [],
  steps: 0,
  user: null,
  told: [],
  rounds: [],
  promptHash: null,
  results: [],
  headerHash: null,
  sent: 0,
  delta: false,
  conversation: null,
}

export const nodeOf = ({ nodes }: RunState, nodeId: string): NodeState => (Object.hasOwn(nodes, nodeId) ? nodes[nodeId]! : idleNode)

export const isBusy = ({ status }: NodeState): boolean => status === 'running' || status === 'waiting'

export const isEnded = ({ phase }: RunState): boolean => phase === 'completed' || phase === 'failed' || phase === 'cancelled'
