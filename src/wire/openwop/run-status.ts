// Translates the phase of a run to OpenWOP's run statuses. We have fewer phases: the state of nodes and approvals shows what a run waits for.
import type { RunState } from '../../core/run/state.ts'

/** OpenWOP's version of run documents with an event log. A reader assumes that a run without this version has no event log. */
export const EVENT_LOG_SCHEMA_VERSION = 2

export const RUN_STATUSES = [
  'running',
  'paused',
  'waiting-approval',
  'waiting-input',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export function runStatus({ phase, approvals, nodes }: RunState): RunStatus {
  if (phase !== 'running') return phase
  if (approvals.length > 0) return 'waiting-approval'
  return Object.values(nodes).some(({ status }) => status === 'waiting') ? 'waiting-input' : 'running'
}
