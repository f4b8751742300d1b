// The state of a session, folded from its events alone: plain JSON, the same bytes for the same events.
import { emptyConfig, type Selection, type SessionConfig } from './config.ts'
import type { Failure, LeftMessage, NodeOfRun, SyncStage } from './events.ts'
import { emptyHistory, type History } from './history.ts'
import type { Pending, Snapshot, Staged } from './snapshot.ts'

export interface Approved extends Staged {
  readonly at: 'run' | 'step'
  readonly firstRun: number
}

export interface WorkspaceState {
  readonly active: Snapshot | null
  /** Validated, but not requested yet. */
  readonly pending: Pending | null
  /** Requested, waiting for its boundary. A later sync does not change it. */
  readonly approved: Approved | null
  /** The latest requested sync that is not done. */
  readonly syncing: { readonly sync: number; readonly selection: Selection } | null
  /** How many snapshots were applied. */
  readonly applies: number
  /** The newest that nodes at work take at their next step, and its number; null when there never was one. */
  readonly reaching: { readonly snapshot: Snapshot; readonly apply: number } | null
}

export interface OpenRun extends NodeOfRun {
  readonly run: number
}

/** The newest run that was refused before it started. */
export interface RefusedRun extends Failure {
  readonly run: number
  readonly stage: SyncStage
}

export interface SessionState {
  /** Empty before the session is created. */
  readonly session: string
  readonly agentId: string | null
  readonly config: SessionConfig
  /** Null as soon as another run starts. */
  readonly refused: RefusedRun | null
  /** How many runs have worked in this session. */
  readonly runs: number
  readonly syncs: number
  readonly workspace: WorkspaceState
  /** In order of arrival. */
  readonly left: readonly LeftMessage[]
  readonly history: History
  /** The node that works in the session; null when none does. */
  readonly open: OpenRun | null
}

export const emptySession: SessionState = {
  session: '',
  agentId: null,
  config: emptyConfig,
  refused: null,
  runs: 0,
  syncs: 0,
  workspace: { active: null, pending: null, approved: null, syncing: null, applies: 0, reaching: null },
  left: [],
  history: emptyHistory,
  open: null,
}
