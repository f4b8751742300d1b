// The type under which an event of a run is sent: OpenWOP's name where OpenWOP has one, ours with a prefix otherwise.
import type { Observability } from './run-event.ts'

const VENDOR = 'onbook.'
const OPENWOP: ReadonlySet<string> = new Set([
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'node.started',
  'node.completed',
  'node.failed',
  'log.appended',
  'agent.promptResolved',
  'prompt.composed',
  'version.pinned',
  'replay.diverged',
])

/** @param type as it is recorded */
export function wireType(type: string, observability: Observability): string {
  if (type === 'prompt.traced') return 'agent.promptResolved'
  if (type === 'run.created') return 'run.started'
  // A host that shows nothing of prompts does not send OpenWOP's event.
  const isHidden = type === 'prompt.composed' && observability === 'off'
  return OPENWOP.has(type) && !isHidden ? type : `${VENDOR}${type}`
}

const PLACES: ReadonlySet<string> = new Set(['event', 'object'])

/** A point of a divergence that names a place in the record, not the type of an event. */
export const isPlace = (point: string): boolean => PLACES.has(point)
