// What the loop is given, and what each piece of work gets of it. Knows no provider, no database and no protocol.
import type { Json } from '../../core/digest/digest.ts'
import type { GateFacts, Verdict } from '../../core/gate/authorize.ts'
import type { ToolCall } from '../../core/gate/capability.ts'
import type { Grant } from '../../core/gate/grants.ts'
import type { GateRules } from '../../core/gate/rules.ts'
import type { SecretGrant } from '../../core/gate/secret-grants.ts'
import type { Conversation } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { NodeOfRun, ReplyMisfit } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { WorkspacePolicy } from '../../core/workspace/policy.ts'
import type { CallOptions, ChatModel, Delta, Files, Model, RepoWatch, Secrets, Store, Validator } from '../../ports.ts'
import type { OfferedTools } from '../tools/bound.ts'
import type { SessionPlace, Submission, Submitted } from './submit.ts'

export interface SessionParts extends OfferedTools {
  readonly store: Store
  readonly models: ChatModel
  /** What a session of this tenant may fill its slots from. */
  readonly secrets: (tenant: string) => Secrets
  readonly seal?: NonNullable<CallOptions['seal']>
  readonly validator: Validator
  /** Answers a pack's examples from the script or the recording beside it. Without it, a sync calls packs untested. */
  readonly packModel?: (files: Files, packPath: string) => Promise<Model>
  readonly grants: readonly Grant[]
  /** Which secrets preludes of workspaces may use; without it, none. */
  readonly secretGrants?: readonly SecretGrant[]
  readonly policy: (tenant: string, session: string) => WorkspacePolicy
  /** Resolves early, and never throws, when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** A defect: something that no event can say. */
  readonly failed: (error: Error, place: SessionPlace) => void
  readonly onDelta?: (place: SessionPlace, delta: Delta) => void
  /** Takes what is known to be secret out of whatever a tool answers, before anybody is told. Without it nothing is taken out. */
  readonly scrub?: (tenant: string, value: Json) => Promise<Json>
  /** The repo that nodes work in; null when it cannot be watched. Without it there is none. */
  readonly watch?: () => Promise<RepoWatch | null>
  /** What holds for all calls; without it, the usual. */
  readonly rules?: GateRules
  readonly now: () => number
  /** Random, and never used twice. */
  readonly newId: () => string
  /** Told which sessions wait for a provider that is not ready. Without it nobody waits: the work is left for the next start. */
  readonly waits?: ProviderWaits
  /** Where sessions work for the nodes of graphs. */
  readonly graph?: SessionGraph
}

/** Sessions that wait for a key, a package or a script. */
export interface ProviderWaits {
  /** Again at every check while it waits. */
  begin(place: SessionPlace, provider: string, lacking: Error): void
  end(place: SessionPlace): void
}

/** What a graph adds to a session that works for one of its nodes. */
export interface SessionGraph {
  /** The run goes on with the session: in the same commit. Null, with nothing written, when the session no longer works for this node. */
  submit(place: SessionPlace, node: NodeOfRun, command: SessionCommand, submission: Submission): Promise<Submitted | null>
  /** What its provider keeps of the history already; null when it is sent all of it. */
  held(place: SessionPlace, node: NodeOfRun): Promise<Conversation | null>
  /** Checks the last text of a reply against the schema of the node's pack. Null when it fits, and when the pack has no schema. */
  misfit(tenant: string, node: NodeOfRun, text: string, snapshot: Snapshot | null): Promise<ReplyMisfit | null>
  /** Whether the node's run is made again from a record: then nobody takes up anything of it. */
  isReplay(tenant: string, node: NodeOfRun): Promise<boolean>
  /** What the gate has to know about the node. */
  gate(place: SessionPlace, node: NodeOfRun, call: ToolCall): Promise<NodeGate>
  /** Whether a tool changes the graph itself. */
  changes(tool: string): boolean
  /** Does so: judged, made and settled in one commit, so that nothing of it can be lost or done twice. */
  change(performing: Performing, node: NodeOfRun, change: GraphChange): Promise<void>
  /** Whether a call that was started is open because somebody has yet to reply: nobody was at it, so nobody has left it. */
  awaits(tenant: string, node: NodeOfRun, call: string): Promise<boolean>
}

/** A call that may be made, and changes the graph. */
export interface GraphChange {
  readonly effect: Extract<SessionEffect, { readonly type: 'tool.call' }>
  readonly verdict: Verdict
  readonly arguments: Json
}

export type NodeGate = Pick<GateFacts, 'role' | 'node' | 'mode' | 'ownEdge' | 'problem'> & {
  readonly agent: string | null
  /** Roles of those that spawned it, one after the other: what is not granted to one of them is not granted to it. */
  readonly onBehalfOf: readonly (string | null)[]
  /** Whether a person is asked before it changes the graph, whatever the rules say. */
  readonly mustAsk: boolean
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
