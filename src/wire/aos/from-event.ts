// What an event of AgentOS asks of a session: there events come in from outside, here those are commands.
import { type Digest, isDigest, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { SyncStage } from '../../core/session/events.ts'
import type { SessionState } from '../../core/session/state.ts'
import { fromAosCallStatus } from './call-status.ts'
import { fromAosApplyMode, fromAosBinding, fromAosSessionConfig, isNat } from './config.ts'
import { fromAosSnapshot } from './snapshot.ts'
import { FOREIGN, STAGES } from './to-event.ts'
import { readVariant } from './variant.ts'

const STAGE_FROM: ReadonlyMap<string, SyncStage> = new Map(
  Object.entries(STAGES)
    .reverse()
    .map(([ours, theirs]) => [theirs, ours as SyncStage]),
)

/** What an AgentOS event asks of the session as it stands. Null for what asks for nothing, and for anything else than such an event. */
export function fromAosEvent(value: Json, state: SessionState): SessionCommand | null {
  const read = isObject(value) ? readVariant(value.event) : null
  if (read === null) return null
  const { tag, value: payload } = read
  const run = isObject(value) && isObject(value.run_id) && isNat(value.run_id.run_seq) ? value.run_id.run_seq : (state.run?.run ?? 0)
  switch (tag) {
    case 'RunStarted':
      return { type: 'startRun', run }
    case 'StepBoundary':
      return { type: 'startStep' }
    case 'RunCompleted':
      return { type: 'completeRun' }
    case 'RunFailed':
      return isText(payload.code) && isText(payload.detail) ? { type: 'failRun', code: payload.code, detail: payload.detail } : null
    case 'RunCancelled': {
      const { reason = null } = payload
      return reason === null || isText(reason) ? { type: 'receive', command: { kind: 'cancel', id: 'aos', reason } } : null
    }
    case 'RunRequested':
      return fromRunRequested(payload)
    case 'LifecycleChanged':
      return readVariant(payload)?.tag === 'WaitingInput' ? { type: 'awaitInput' } : null
    case 'ToolCallSettled':
      return fromCallSettled(payload, run)
    default:
      return fromWorkspaceEvent(tag, payload, state)
  }
}

const isText = (value: Json | undefined): value is string => typeof value === 'string'
const isHash = (value: Json | undefined): value is Digest => isText(value) && isDigest(value)
const isNatOrNull = (value: Json): value is number | null => value === null || isNat(value)

function fromRunRequested({ input_ref: input = null, run_overrides = null }: JsonObject): SessionCommand | null {
  const overrides = run_overrides === null ? null : fromAosSessionConfig(run_overrides)
  if ((run_overrides !== null && overrides === null) || !(input === null || isHash(input))) return null
  return { type: 'requestRun', input, overrides }
}

function fromCallSettled(payload: JsonObject, run: number): SessionCommand | null {
  const { tool_batch_id: id, call_id: call, status, receipt_session_epoch: epoch, receipt_step_epoch: stepEpoch } = payload
  const outcome = fromAosCallStatus(status)
  if (!isObject(id) || !isNat(id.batch_seq) || !isText(call) || !isNat(epoch) || !isNat(stepEpoch) || outcome === null) return null
  return { type: 'settleCall', run, batch: id.batch_seq, call, outcome, result: null, epoch, stepEpoch }
}

function fromWorkspaceEvent(tag: string, payload: JsonObject, { workspace: { syncing } }: SessionState): SessionCommand | null {
  const sync = syncing?.sync ?? 0
  switch (tag) {
    case 'WorkspaceSyncRequested': {
      const { prompt_pack: prelude = null, tool_catalog: catalog = null, known_version: knownVersion = null } = payload
      const workspace = fromAosBinding(payload.workspace_binding)
      const isRead = (prelude === null || isText(prelude)) && (catalog === null || isText(catalog)) && isNatOrNull(knownVersion)
      return workspace === null || !isRead ? null : { type: 'requestSync', selection: { workspace, prelude, catalog }, knownVersion }
    }
    case 'WorkspaceSyncUnchanged': {
      const { workspace, version } = payload
      return isText(workspace) && isNat(version) ? { type: 'settleSync', sync, result: { outcome: 'unchanged', workspace, version } } : null
    }
    case 'WorkspaceSnapshotReady': {
      const snapshot = fromAosSnapshot(payload.snapshot)
      return snapshot === null ? null : { type: 'settleSync', sync, result: { outcome: 'ready', snapshot, objects: [] } }
    }
    case 'WorkspaceSyncFailed': {
      const { stage: theirs, detail } = payload
      const stage = isText(theirs) ? (STAGE_FROM.get(theirs) ?? 'validate') : null
      return stage === null || !isText(detail)
        ? null
        : { type: 'settleSync', sync, result: { outcome: 'failed', stage, code: FOREIGN, detail } }
    }
    case 'WorkspaceApplyRequested': {
      const when = fromAosApplyMode(payload.mode)
      return when === null ? null : { type: 'requestApply', when }
    }
    default:
      return null
  }
}
