// The events of a session: its config, the workspace it adopts, the runs that work in it, and its messages. Steps and
// calls are in the runs' streams.
import type { Digest, Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { EventDraft } from '../record/event.ts'
import type { Selection, SessionConfig } from './config.ts'
import type { PackChange, Snapshot } from './snapshot.ts'

export type ApplyWhen = 'next_run' | 'next_step_boundary' | 'immediate_if_idle'
/** The stage at which a sync failed. */
export type SyncStage = 'resolve' | 'index' | 'prelude' | 'catalog' | 'packs' | 'validate'

/** The node of a graph. */
export interface NodeOfRun {
  readonly runId: string
  readonly nodeId: string
}

export interface Failure {
  readonly code: string
  readonly detail: string
}

/**
 * A message for the agent. An interrupt ends the model call under way and comes before anything else; a steer waits for the next step; a
 * follow-up waits for the end. The id is the caller's.
 */
export interface LeftMessage {
  readonly kind: 'steer' | 'interrupt' | 'follow-up'
  readonly id: string
  readonly message: Digest
}

export type SessionEvent =
  | {
      readonly type: 'session.created'
      readonly session: string
      /** The agent that works here; null where none is named. */
      readonly agentId: string | null
      readonly config: SessionConfig
    }
  | { readonly type: 'session.configured'; readonly config: SessionConfig }
  /** A command that was refused. Changes nothing. */
  | { readonly type: 'session.refused'; readonly command: string; readonly code: string; readonly message: string }
  /** From here on the node's messages are this session's, and no other run may work in it. `run` counts from 1. */
  | ({ readonly type: 'run.attached'; readonly run: number } & NodeOfRun)
  | ({ readonly type: 'run.detached'; readonly run: number } & NodeOfRun)
  /** A run was requested, and its workspace could not be adopted. */
  | ({ readonly type: 'run.refused'; readonly run: number; readonly stage: SyncStage } & Failure)
  | { readonly type: 'message.appended'; readonly message: Digest }
  /** Left while no run was at work here, or by a run that ended before it took the message. */
  | { readonly type: 'message.left'; readonly message: LeftMessage }
  /** A run that started here has taken over the messages that were left. */
  | { readonly type: 'messages.handedOver'; readonly ids: readonly string[] }
  | WorkspaceEvent

export type WorkspaceEvent =
  | {
      readonly type: 'workspace.syncRequested'
      readonly sync: number
      readonly selection: Selection
      /** The version that the caller believes it has. Recorded, never trusted: the content is compared. */
      readonly knownVersion: number | null
    }
  | { readonly type: 'workspace.syncUnchanged'; readonly sync: number; readonly workspace: string; readonly version: number }
  | {
      readonly type: 'workspace.snapshotReady'
      readonly sync: number
      readonly snapshot: Snapshot
      readonly selection: Selection
      /** Left out where applying it would change no pack. */
      readonly packs?: readonly PackChange[]
    }
  | ({ readonly type: 'workspace.syncFailed'; readonly sync: number; readonly workspace: string; readonly stage: SyncStage } & Failure)
  /** `untested`: packs that the caller wants applied although their tests did not pass. Left out without such packs. */
  | { readonly type: 'workspace.applyRequested'; readonly when: ApplyWhen; readonly untested?: readonly string[] }
  | {
      readonly type: 'workspace.approved' | 'workspace.deferred'
      readonly snapshot: Snapshot
      readonly selection: Selection
      readonly at: 'run' | 'step'
      /** The first run that may take it. */
      readonly firstRun: number
    }
  | {
      readonly type: 'workspace.applied'
      readonly snapshot: Snapshot
      readonly selection: Selection
      readonly at: 'now' | 'run' | 'step'
      /** Whether nodes at work take it at their next step. */
      readonly reaches?: true
    }
  | { readonly type: 'workspace.superseded'; readonly snapshot: Snapshot }
  | { readonly type: 'workspace.refused'; readonly when: ApplyWhen; readonly code: string; readonly message: string }

export const sessionStream = (session: string): string => `session/${session}`

export function sessionDraft({ type, ...payload }: SessionEvent, actor: string, cause: string | null = null): EventDraft {
  return { type, actor, cause, payload: payload as unknown as Json }
}

/** As it was decided. An event of another kind comes through as well: `reduce` leaves those alone. */
export const fromRecorded = ({ type, payload }: { readonly type: string; readonly payload: Json }): SessionEvent =>
  ({ ...(isObject(payload) ? payload : {}), type }) as unknown as SessionEvent
