// Translates the state of a session to AgentOS's names: its config, the open run, and the snapshots.
import type { RunConfig, SessionConfig } from '../../core/session/config.ts'
import type { SessionState } from '../../core/session/state.ts'
import { type AosRunConfig, type AosSessionConfig, toAosApplyMode, toAosRunConfig, toAosSessionConfig } from './config.ts'
import type { AosLifecycle } from './place.ts'
import { type AosSnapshot, toAosSnapshot } from './snapshot.ts'
import type { AosRunId } from './to-event.ts'
import { unit, type Variant } from './variant.ts'

export interface AosSessionState {
  readonly session_id: string
  readonly lifecycle: Variant
  readonly session_config: AosSessionConfig
  readonly active_run_id: AosRunId | null
  readonly active_run_config: AosRunConfig | null
  readonly active_run_step_count: number
  readonly active_workspace_snapshot: AosSnapshot | null
  readonly pending_workspace_snapshot: AosSnapshot | null
  readonly pending_workspace_apply_mode: Variant | null
}

const LIFECYCLES: Readonly<Record<string, AosLifecycle>> = {
  idle: 'Idle',
  running: 'Running',
  waiting: 'WaitingInput',
  paused: 'Paused',
  cancelling: 'Cancelling',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export interface OpenRunView {
  readonly run: number
  readonly config: RunConfig | null
  readonly steps: number
}

/** The parts of a session that AgentOS shows. */
export interface SessionView extends Pick<SessionState, 'session' | 'config'> {
  readonly workspace: Pick<SessionState['workspace'], 'active' | 'approved' | 'pending'>
}

/** AgentOS has one waiting snapshot: the approved one with its mode, else the pending one. */
export function toAosState(
  { session, config, workspace: { active, approved, pending } }: SessionView,
  lifecycle: string,
  run: OpenRunView | null,
): AosSessionState {
  const waiting = approved?.snapshot ?? pending?.snapshot ?? null
  const mode = approved === null ? null : toAosApplyMode(approved.at === 'step' ? 'next_step_boundary' : 'next_run')
  return {
    session_id: session,
    lifecycle: unit(LIFECYCLES[lifecycle] ?? 'Idle'),
    session_config: toAosSessionConfig(config),
    active_run_id: run === null ? null : { session_id: session, run_seq: run.run },
    active_run_config: run?.config == null ? null : toAosRunConfig(run.config),
    active_run_step_count: run?.steps ?? 0,
    active_workspace_snapshot: active === null ? null : toAosSnapshot(active),
    pending_workspace_snapshot: waiting === null ? null : toAosSnapshot(waiting),
    pending_workspace_apply_mode: mode,
  }
}

export const toAosConfigAnswer = (session: string, config: SessionConfig) => ({
  session_id: session,
  session_config: toAosSessionConfig(config),
})
