// Folder: Sessions in AgentOS's names.
// Translates the events of a session to AgentOS's events. Bodies stay objects. Events that AgentOS has no name for are left out.
import type { Json } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { StoryEvent } from '../../core/run/reading/session-story.ts'
import type { SessionEvent, SyncStage } from '../../core/session/events.ts'
import { toAosCallStatus } from './call-status.ts'
import { toAosApplyMode, toAosBinding, toAosSessionConfig } from './config.ts'
import { type AosBatch, type AosPlace, advance } from './place.ts'
import { toAosSnapshot } from './snapshot.ts'
import { unit, type Variant, variant } from './variant.ts'

export interface AosRunId {
  readonly session_id: string
  readonly run_seq: number
}

/** A run has one turn. */
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

/** The place after an event, and the event in AgentOS's names: none, one, or two. */
export function toAosEvents(
  before: AosPlace,
  entry: StoryEvent,
): { readonly place: AosPlace; readonly events: readonly AosSessionEvent[] } {
  const place = advance(before, entry)
  const requested =
    entry.of === 'run' && entry.event.type === 'node.started' ? [envelope(before, runRequested(before, entry.event.input))] : []
  const variants = entry.of === 'session' ? fromSession(entry.event) : fromRun(entry.event, place)
  return { place, events: [...requested, ...variants.map(event => envelope(place, event))] }
}

const runIdOf = (session: string, run: number): AosRunId => ({ session_id: session, run_seq: run })

export function envelope({ session, run, steps, epoch, stepEpoch }: AosPlace, event: Variant): AosSessionEvent {
  const run_id = run === null ? null : runIdOf(session, run)
  const turn_id = run_id === null ? null : ({ run_id, turn_seq: 1 } as const)
  const step_id = turn_id === null || steps === 0 ? null : { turn_id, step_seq: steps }
  return { session_id: session, run_id, turn_id, step_id, session_epoch: epoch, step_epoch: stepEpoch, event }
}

const runRequested = ({ overrides }: AosPlace, input_ref: string | null): Variant =>
  variant('RunRequested', { input_ref, run_overrides: overrides === null ? null : json(toAosSessionConfig(overrides)) })

function fromSession(event: SessionEvent): readonly Variant[] {
  switch (event.type) {
    case 'workspace.syncRequested': {
      const { selection, knownVersion: known_version } = event
      const workspace_binding = json(toAosBinding(selection.workspace))
      const { prelude: prompt_pack, catalog: tool_catalog } = selection
      return [variant('WorkspaceSyncRequested', { workspace_binding, prompt_pack, tool_catalog, known_version })]
    }
    case 'workspace.syncUnchanged':
      return [variant('WorkspaceSyncUnchanged', { workspace: event.workspace, version: event.version })]
    case 'workspace.snapshotReady':
      return [variant('WorkspaceSnapshotReady', { snapshot: json(toAosSnapshot(event.snapshot)) })]
    case 'workspace.syncFailed': {
      const { workspace, stage, code, detail } = event
      return [variant('WorkspaceSyncFailed', { workspace, stage: STAGES[stage], detail: `${code}: ${detail}` })]
    }
    case 'workspace.applyRequested':
      return [variant('WorkspaceApplyRequested', { mode: json(toAosApplyMode(event.when)) })]
    default:
      return []
  }
}

/** @param place with the event in it */
function fromRun(event: RunEvent, place: AosPlace): readonly Variant[] {
  switch (event.type) {
    case 'node.started':
      return [unit('RunStarted')]
    case 'node.waiting':
    case 'node.resumed':
    case 'run.paused':
    case 'run.resumed':
    case 'run.cancelling':
      return [{ $tag: 'LifecycleChanged', $value: json(unit(place.lifecycle)) }]
    case 'node.completed':
      return [unit('RunCompleted')]
    case 'node.failed':
      return [variant('RunFailed', { code: event.code, detail: event.detail })]
    case 'node.cancelled':
      return [variant('RunCancelled', { reason: place.reason })]
    // The first step begins with the run. A boundary is between two steps.
    case 'step.started':
      return event.step === 1 ? [] : [unit('StepBoundary')]
    case 'message.taken':
      return [variant('HostCommandApplied', { command_id: event.id })]
    case 'calls.asked':
      return place.batch === null
        ? []
        : [variant('ToolBatchStarted', { tool_batch_id: batchId(place, place.batch), expected_call_ids: place.batch.open })]
    case 'call.settled':
      return place.batch === null ? [] : callSettled(event, place, place.batch)
    default:
      return []
  }
}

function callSettled(event: Extract<RunEvent, { type: 'call.settled' }>, place: AosPlace, batch: AosBatch): readonly Variant[] {
  const tool_batch_id = batchId(place, batch)
  const ids = { tool_batch_id, call_id: event.call, status: json(toAosCallStatus(event)) }
  const settled = variant('ToolCallSettled', { ...ids, receipt_session_epoch: batch.epoch, receipt_step_epoch: batch.stepEpoch })
  if (batch.open.length > 0) return [settled]
  return [settled, variant('ToolBatchSettled', { tool_batch_id, results_ref: batch.results.length === 1 ? batch.results[0]! : null })]
}

const json = (value: unknown): Json => value as Json

const batchId = ({ session, run }: AosPlace, { batch, step }: AosBatch): Json => ({
  step_id: { turn_id: { run_id: json(runIdOf(session, run ?? 0)), turn_seq: 1 }, step_seq: step },
  batch_seq: batch,
})
