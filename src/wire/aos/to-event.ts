// Session events as AgentOS would have recorded them. Bytes stay objects, and what they have no word for stays with us.
import type { Json } from '../../core/digest/digest.ts'
import type { SessionEvent, SyncStage } from '../../core/session/events.ts'
import { lifecycleOf, type SessionState } from '../../core/session/state.ts'
import { toAosCallStatus } from './call-status.ts'
import { toAosApplyMode, toAosBinding, toAosSessionConfig } from './config.ts'
import { toAosSnapshot } from './snapshot.ts'
import { unit, type Variant, variant } from './variant.ts'

export interface AosRunId {
  readonly session_id: string
  readonly run_seq: number
}

/** A run of ours has one turn. */
export interface AosStepId {
  readonly turn_id: { readonly run_id: AosRunId; readonly turn_seq: 1 }
  readonly step_seq: number
}

export interface AosSessionEvent {
  readonly session_id: string
  readonly run_id: AosRunId | null
  readonly turn_id: AosStepId['turn_id'] | null
  readonly step_id: AosStepId | null
  readonly session_epoch: number
  readonly step_epoch: number
  readonly event: Variant
}

export const STAGES: Readonly<Record<SyncStage, string>> = {
  resolve: 'workspace_sync_core',
  index: 'workspace_sync_core',
  prelude: 'workspace_sync_core_prompt',
  catalog: 'workspace_sync_core_tool',
  packs: 'workspace_sync_core_compose',
  validate: 'workspace_sync_core_compose',
}
/** They have a message and no code. */
export const FOREIGN = 'foreign'

const LIFECYCLES = {
  idle: 'Idle',
  running: 'Running',
  waiting: 'WaitingInput',
  paused: 'Paused',
  cancelling: 'Cancelling',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const

/** `state`: with the event in it. Null for what AgentOS has no word for. */
export function toAosEvent(event: SessionEvent, state: SessionState): AosSessionEvent | null {
  const found = toVariant(event, state)
  if (found === null) return null
  const run = 'run' in event ? event.run : (state.run?.run ?? null)
  const run_id = run === null ? null : { session_id: state.session, run_seq: run }
  const turn_id = run_id === null ? null : ({ run_id, turn_seq: 1 } as const)
  const { steps = 0 } = state.run ?? {}
  const step_id = turn_id === null || steps === 0 ? null : { turn_id, step_seq: steps }
  return { session_id: state.session, run_id, turn_id, step_id, session_epoch: state.epoch, step_epoch: state.stepEpoch, event: found }
}

function toVariant(event: SessionEvent, state: SessionState): Variant | null {
  switch (event.type) {
    case 'workspace.syncRequested': {
      const { selection, knownVersion: known_version } = event
      const workspace_binding = json(toAosBinding(selection.workspace))
      return variant('WorkspaceSyncRequested', {
        workspace_binding,
        prompt_pack: selection.prelude,
        tool_catalog: selection.catalog,
        known_version,
      })
    }
    case 'workspace.syncUnchanged':
      return variant('WorkspaceSyncUnchanged', { workspace: event.workspace, version: event.version })
    case 'workspace.snapshotReady':
      return variant('WorkspaceSnapshotReady', { snapshot: json(toAosSnapshot(event.snapshot)) })
    case 'workspace.syncFailed': {
      const { workspace, stage, code, detail } = event
      return variant('WorkspaceSyncFailed', { workspace, stage: STAGES[stage], detail: code === FOREIGN ? detail : `${code}: ${detail}` })
    }
    case 'workspace.applyRequested':
      return variant('WorkspaceApplyRequested', { mode: json(toAosApplyMode(event.when)) })
    case 'run.requested': {
      const run_overrides = event.overridden ? json(toAosSessionConfig(event.config)) : null
      return variant('RunRequested', { input_ref: event.input, run_overrides })
    }
    case 'run.started':
      return unit('RunStarted')
    case 'run.waiting':
    case 'run.paused':
    case 'run.resumed':
    case 'run.cancelling':
      return { $tag: 'LifecycleChanged', $value: json(unit(LIFECYCLES[lifecycleOf(state)])) }
    case 'run.completed':
      return unit('RunCompleted')
    case 'run.failed':
      return variant('RunFailed', { code: event.code, detail: event.detail })
    case 'run.cancelled':
      return variant('RunCancelled', { reason: null })
    // Their first step begins with the run, and the boundary comes between two.
    case 'step.started':
      return event.step === 1 ? null : unit('StepBoundary')
    case 'command.applied':
      return variant('HostCommandApplied', { command_id: event.id })
    case 'tool.batchStarted':
      return variant('ToolBatchStarted', { tool_batch_id: batchId(event, state), expected_call_ids: event.calls.map(({ id }) => id) })
    case 'tool.callSettled': {
      const { epoch = 0, stepEpoch = 0 } = state.run?.batch ?? {}
      const ids = { tool_batch_id: batchId(event, state), call_id: event.call, status: json(toAosCallStatus(event)) }
      return variant('ToolCallSettled', { ...ids, receipt_session_epoch: epoch, receipt_step_epoch: stepEpoch })
    }
    case 'tool.batchSettled':
      return variant('ToolBatchSettled', {
        tool_batch_id: batchId(event, state),
        results_ref: event.results.length === 1 ? event.results[0]! : null,
      })
    default:
      return null
  }
}

const json = (value: unknown): Json => value as Json

function batchId({ run, batch }: { readonly run: number; readonly batch: number }, { session, run: open }: SessionState): Json {
  const run_id = { session_id: session, run_seq: run }
  return { step_id: { turn_id: { run_id, turn_seq: 1 }, step_seq: open?.steps ?? 0 }, batch_seq: batch }
}
