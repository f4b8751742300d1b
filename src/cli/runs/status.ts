// How a run stands, folded from its events: what scripts are told, and what an exit code says.
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

/** In OpenWOP's words. */
export function statusOf(state: RunState): RunStatus {
  if (state.phase !== 'running') return state.phase
  if (state.approvals.length > 0) return 'waiting-approval'
  return isSettled(state) ? 'waiting-input' : 'running'
}

/** Nothing goes on before a person does something. Who asks for another mode goes on meanwhile. */
export function isSettled(state: RunState): boolean {
  if (isEnded(state) || state.phase === 'paused') return true
  const busy = Object.entries(state.nodes).filter(([, node]) => isBusy(node))
  return (
    busy.length > 0 && busy.every(([nodeId, { status }]) => status === 'waiting' || isAsking(state, nodeId) || isAwaiting(state, nodeId))
  )
}

/** A call of it waits for a person, and everything it would do after that. */
const isAsking = ({ approvals }: RunState, nodeId: string): boolean =>
  approvals.some(
    ({ nodeId: of, wants }) => of === nodeId && wants.kind === 'tool' && !(wants.expiresAt !== null && wants.expiresAt <= Date.now()),
  )

/** It waits for a node that has read what it was asked, and does nothing about it by itself. */
const isAwaiting = (state: RunState, nodeId: string): boolean =>
  state.awaited.some(one => one.nodeId === nodeId && one.reply === null && one.delivered && isBusy(nodeOf(state, one.to)))

/** Scripts rely on it: 0 says that the run is completed, and nothing else. */
export const exitOf = (state: RunState): number => (state.phase === 'completed' ? 0 : 1)
