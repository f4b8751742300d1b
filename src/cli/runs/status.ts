// The status of a run, folded from its events: for scripts, and for the exit code.
import type { Json } from '../../core/digest/digest.ts'
import { runEvent } from '../../core/run/events.ts'
import { type ReadableEvent, readingBuilder } from '../../core/run/reading/build-reading.ts'
import type { RunReading } from '../../core/run/reading/reading.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { emptyRun, isBusy, isEnded, nodeOf, type RunState } from '../../core/run/state.ts'
import type { RecordedRuns, ShownEvent } from './watched-runs.ts'

export type RunStatus = RunState['phase'] | 'waiting-approval' | 'waiting-input'

export interface ReadRun {
  readonly state: RunState
  readonly reading: RunReading
}

export const foldEvent = (state: RunState, { type, payload }: ShownEvent): RunState =>
  reduceRun(state, runEvent({ type, payload: payload as unknown as Json }))

export async function readRun({ events }: Pick<RecordedRuns, 'events'>, runId: string): Promise<ReadRun> {
  const { add, reading } = readingBuilder()
  let state = emptyRun
  for await (const event of events(runId)) {
    state = foldEvent(state, event)
    add(event as unknown as ReadableEvent)
  }
  return { state, reading }
}

/** The status in OpenWOP's names. */
export function statusOf(state: RunState): RunStatus {
  if (state.phase !== 'running') return state.phase
  if (state.approvals.length > 0) return 'waiting-approval'
  return isSettled(state) ? 'waiting-input' : 'running'
}

/** Nothing continues before a person acts. A node that asks for another mode keeps working meanwhile. */
export function isSettled(state: RunState): boolean {
  if (isEnded(state) || state.phase === 'paused') return true
  const busy = Object.entries(state.nodes).filter(([, node]) => isBusy(node))
  return (
    busy.length > 0 && busy.every(([nodeId, { status }]) => status === 'waiting' || isAsking(state, nodeId) || isAwaiting(state, nodeId))
  )
}

/** A tool call of the node waits for a person, and so does the node. */
const isAsking = ({ approvals }: RunState, nodeId: string): boolean =>
  approvals.some(
    ({ nodeId: of, wants }) => of === nodeId && wants.kind === 'tool' && !(wants.expiresAt !== null && wants.expiresAt <= Date.now()),
  )

/** The node waits for another busy node that has read the request. */
const isAwaiting = (state: RunState, nodeId: string): boolean =>
  state.awaited.some(one => one.nodeId === nodeId && one.reply === null && one.delivered && isBusy(nodeOf(state, one.to)))

/** A contract with scripts: 0 means that the run is completed. */
export const exitOf = (state: RunState): number => (state.phase === 'completed' ? 0 : 1)
