// What the loop is given, and what each piece of work gets of it. Knows no provider, no database and no protocol.
import type { GateFacts } from '../../core/gate/authorize.ts'
import type { Grant } from '../../core/gate/grants.ts'
import type { Conversation } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import type { WorkspacePolicy } from '../../core/workspace/policy.ts'
import type { Binding, CallOptions, ChatModel, Delta, Secrets, Store, Validator } from '../../ports.ts'
import type { SessionPlace, Submission, Submitted } from './submit.ts'

export interface SessionParts {
  readonly store: Store
  readonly models: ChatModel
  /** What a session of this tenant may fill its slots from. */
  readonly secrets: (tenant: string) => Secrets
  readonly seal?: NonNullable<CallOptions['seal']>
  readonly validator: Validator
  readonly bindings: ReadonlyMap<string, Binding>
  readonly grants: readonly Grant[]
  /** The last rung of the tool ladder; null when the host offers none. */
  readonly hostCatalog: readonly Descriptor[] | null
  readonly policy: (tenant: string, session: string) => WorkspacePolicy
  /** Resolves early, and never throws, when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** A defect: something that no event can say. */
  readonly failed: (error: Error, place: SessionPlace) => void
  readonly onDelta?: (place: SessionPlace, delta: Delta) => void
  /** Where sessions work for the nodes of graphs. */
  readonly graph?: SessionGraph
}

/** What a graph adds to a session that works for one of its nodes. */
export interface SessionGraph {
  /** The run goes on with the session: in the same commit. Null, with nothing written, when the session no longer works for this node. */
  submit(place: SessionPlace, node: NodeOfRun, command: SessionCommand, submission: Submission): Promise<Submitted | null>
  /** What its provider keeps of the history already; null when it is sent all of it. */
  held(place: SessionPlace, node: NodeOfRun): Promise<Conversation | null>
  /** What the gate has to know about the node. */
  gate(place: SessionPlace, node: NodeOfRun): Promise<NodeGate>
}

export type NodeGate = Pick<GateFacts, 'role' | 'node' | 'mode' | 'orchestratorAsks'> & {
  readonly agent: string | null
  /** What any node may use, whatever the policy says: it only asks. */
  readonly free: readonly string[]
}

/** To the same session, or to another one of the tenant. */
export type Send = (command: SessionCommand, submission?: Submission, session?: string) => Promise<Submitted>

export interface Performing {
  readonly parts: SessionParts
  readonly place: SessionPlace
  readonly signal: AbortSignal
  readonly send: Send
}

/** The reason of a signal when the host stops: nothing is said about what was under way, and whoever comes next takes it up. */
export const STOPPING = new Error('the host stops')

/** Somebody paused, cancelled, or went on already: a run that is paused and resumed at once is asked twice to go on. */
export const TOO_LATE: readonly string[] = ['run_missing', 'run_not_running', 'step_missing']
