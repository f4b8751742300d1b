// Commands to a session. The clock, ids and the results of effects come in here and nowhere else.
import type { Digest } from '../digest/digest.ts'
import type { Selection, SessionConfig } from './config.ts'
import type { ApplyWhen, Failure, LeftMessage, NodeOfRun, SyncStage } from './events.ts'
import type { SyncResult } from './sync.ts'

export type WorkspaceCommand =
  /** Without a selection: the one that the session's config names. */
  | { readonly type: 'requestSync'; readonly selection?: Selection | null; readonly knownVersion?: number | null }
  | { readonly type: 'settleSync'; readonly sync: number; readonly result: SyncResult }
  /** `untested`: also with packs whose tests did not pass. */
  | { readonly type: 'requestApply'; readonly when?: ApplyWhen; readonly untested?: boolean }

export type RunCommand =
  | ({ readonly type: 'attachRun' } & NodeOfRun)
  /** A node whose agent has its home here starts: a snapshot that was approved for the next run is applied. */
  | { readonly type: 'beginRun' }
  /** With the messages that the run received and did not process. */
  | ({ readonly type: 'detachRun'; readonly left: readonly LeftMessage[] } & NodeOfRun)
  | ({ readonly type: 'refuseRun'; readonly stage: SyncStage } & Failure)
  /** A node is about to take a step: a snapshot that waited for that is applied, if the node works in this session. */
  | { readonly type: 'reachStep'; readonly isOwn: boolean }
  | { readonly type: 'appendMessages'; readonly messages: readonly Digest[] }

export type SessionCommand =
  | { readonly type: 'create'; readonly session: string; readonly agentId?: string | null; readonly config: SessionConfig }
  | { readonly type: 'configure'; readonly config: SessionConfig }
  /** While no run is at work here. */
  | { readonly type: 'leaveMessage'; readonly message: LeftMessage }
  | RunCommand
  | WorkspaceCommand
