// Selects the events of a session's story: its own, and those of the visits in which nodes of runs worked in it.
import type { SessionEvent } from '../../session/events.ts'
import type { RunEvent } from '../events.ts'

export type StoryEvent = { readonly of: 'session'; readonly event: SessionEvent } | { readonly of: 'run'; readonly event: RunEvent }

/** Events of a whole run that also change how a session is seen in which one of its nodes works. */
const OF_RUN: readonly RunEvent['type'][] = ['run.paused', 'run.resumed', 'run.cancelling']
const VISIT_ENDS: readonly RunEvent['type'][] = ['node.completed', 'node.failed', 'node.cancelled']

export const beginsVisit = (event: RunEvent, session: string, nodeId: string): boolean =>
  event.type === 'node.started' && event.nodeId === nodeId && event.session === session

export const isOfVisit = (event: RunEvent, nodeId: string): boolean =>
  OF_RUN.includes(event.type) || ('nodeId' in event && event.nodeId === nodeId)

export const endsVisit = (event: RunEvent, nodeId: string): boolean =>
  VISIT_ENDS.includes(event.type) && 'nodeId' in event && event.nodeId === nodeId
