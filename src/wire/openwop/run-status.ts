// How a run stands, in OpenWOP's words. Ours for its phases are fewer: what it waits for is seen from its nodes and approvals.
import type { RunState } from '../../core/run/state.ts'

/** OpenWOP's version of run documents that have a log of events beside them. A reader takes a run without it for one that has none. */
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
