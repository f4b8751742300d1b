// The parts that work on turns needs, and what each piece of work gets of them. Knows no provider, no database and no protocol.
import type { Json } from '../../core/digest/digest.ts'
import type { GateFacts } from '../../core/gate/authorize.ts'
import type { Grant } from '../../core/gate/grants.ts'
import type { GateRules } from '../../core/gate/rules.ts'
import type { SecretGrant } from '../../core/gate/secret-grants.ts'
import type { Brought } from '../../core/run/graph/walk.ts'
import type { NodeState, RunState } from '../../core/run/state.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { TurnCommand } from '../../core/turn/commands.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkspacePolicy } from '../../core/workspace/policy.ts'
import type { CallOptions, ChatModel, Delta, Files, Model, RepoWatch, Secrets, Store, Validator } from '../../ports.ts'
import type { LoadedRun } from '../runs/load.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import type { OfferedTools } from '../tools/bound.ts'

/** A node at work, and who asks. */
export interface TurnPlace extends NodeOfRun {
  readonly tenant: string
  readonly actor: string
  readonly cause?: string | null
}

/** Where a defect was met. */
export interface WorkPlace extends Partial<NodeOfRun> {
  readonly tenant: string
  readonly session?: string
}

export interface TurnParts extends OfferedTools {
  readonly store: Store
  readonly models: ChatModel
  /** Secrets that a run of this tenant may fill its slots from. */
  readonly secrets: (tenant: string) => Secrets
  readonly seal?: NonNullable<CallOptions['seal']>
  readonly validator: Validator
  /** Answers a pack's examples from the script or the recording beside it. Without it, a sync calls packs untested. */
  readonly packModel?: (files: Files, packPath: string) => Promise<Model>
  readonly grants: readonly Grant[]
  /** Which secrets preludes of workspaces may use; without it, none. */
  readonly secretGrants?: readonly SecretGrant[]
  readonly policy: (tenant: string, agent: string) => WorkspacePolicy
  /** Resolves early, and never throws, when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** A defect: something that no event can record. */
  readonly failed: (error: Error, place: WorkPlace) => void
  /** `session` is the lasting session that the node works in. */
  readonly onDelta?: (place: TurnPlace & { readonly session: string | null }, delta: Delta) => void
  /** Takes known secrets out of a value before it is recorded. Without it nothing is taken out. */
  readonly scrub?: (tenant: string, value: Json) => Promise<Json>
  /** Watches the repo that nodes work in; null when it cannot be watched. Left out: there is no repo. */
  readonly watch?: () => Promise<RepoWatch | null>
  /** Rules for all calls; without it, the usual ones. */
  readonly rules?: GateRules
  readonly now: () => number
  /** Random, and never used twice. */
  readonly newId: () => string
  /**
   * Receives the nodes that wait for a provider that is not ready. Left out: nodes do not wait, and the work is left for the next start.
   */
  readonly waits?: ProviderWaits
}

/** Nodes that wait for a key, a package or a script. */
export interface ProviderWaits {
  /** Again at every check while it waits. */
  begin(place: TurnPlace, provider: string, lacking: Error): void
  end(place: TurnPlace): void
}

/** The current state of a turn and its run. */
export interface AtWork {
  readonly run: LoadedRun
  readonly state: RunState
  readonly frozen: LoadedFrozen
  readonly node: NodeState
  readonly turn: Turn
}

export interface TurnSubmission extends Brought {
  readonly objects?: readonly Uint8Array[]
}

export interface Sent {
  readonly refusal: { readonly code: string; readonly message: string } | null
}

export interface Performing {
  readonly parts: TurnParts
  readonly place: TurnPlace
  readonly signal: AbortSignal
  /** Null when the visit that the work was begun for is over. */
  readonly now: () => Promise<AtWork | null>
  /** Several commands are decided one after the other and committed together; the first refusal stops them, with nothing written. */
  readonly send: (commands: TurnCommand | readonly TurnCommand[], submission?: TurnSubmission) => Promise<Sent>
}

export type NodeGate = Pick<GateFacts, 'role' | 'node' | 'mode' | 'ownEdge' | 'problem'> & {
  readonly agent: string
  /** Roles of the nodes that spawned it, one after the other: a tool that is not granted to one of them is not granted to it. */
  readonly onBehalfOf: readonly (string | null)[]
  /** Whether a person is asked before it changes the graph, whatever the rules say. */
  readonly mustAsk: boolean
  /** Tools that any node may use, whatever the policy says: they only ask. */
  readonly free: readonly string[]
}

/** The reason of a signal when the host stops: nothing is recorded about work under way, and the next host takes it up. */
export const STOPPING = new Error('the host stops')
