// Counters of AgentOS that our streams do not record. They are folded from the events of a session.
import type { Digest } from '../../core/digest/digest.ts'
import type { StoryEvent } from '../../core/run/reading/session-story.ts'
import type { RunConfig } from '../../core/session/config.ts'

/** The tool calls of one reply. */
export interface AosBatch {
  /** Counted from 1 in each run. */
  readonly batch: number
  readonly step: number
  /** Both epochs at the start of the batch. */
  readonly epoch: number
  readonly stepEpoch: number
  /** Calls without an outcome. */
  readonly open: readonly string[]
  readonly results: readonly Digest[]
}

export interface AosPlace {
  readonly session: string
  /** The number of the open run; null without one. */
  readonly run: number | null
  readonly steps: number
  /** Incremented by every cancellation. */
  readonly epoch: number
  /** Incremented by every step and every cancellation. */
  readonly stepEpoch: number
  readonly batches: number
  readonly batch: AosBatch | null
  /** The run's own config; null when the session's config applies. */
  readonly overrides: RunConfig | null
  readonly lifecycle: AosLifecycle
  readonly reason: string | null
}

export type AosLifecycle = 'Idle' | 'Running' | 'WaitingInput' | 'Paused' | 'Cancelling' | 'Completed' | 'Failed' | 'Cancelled'

export const placeAt = (session: string, epoch = 0, stepEpoch = 0): AosPlace => ({
  session,
  run: null,
  steps: 0,
  epoch,
  stepEpoch,
  batches: 0,
  batch: null,
  overrides: null,
  lifecycle: 'Idle',
  reason: null,
})

export function advance(place: AosPlace, { of, event }: StoryEvent): AosPlace {
  if (of === 'session')
    return event.type === 'run.attached'
      ? { ...placeAt(place.session, place.epoch, place.stepEpoch), run: event.run, lifecycle: place.lifecycle }
      : event.type === 'run.detached'
        ? { ...place, run: null }
        : place
  switch (event.type) {
    case 'run.created':
      return { ...place, overrides: event.direct?.config ?? null }
    case 'node.started':
      return { ...place, steps: 1, stepEpoch: place.stepEpoch + 1, lifecycle: 'Running' }
    case 'step.started':
      return event.step === 1 ? place : { ...place, steps: event.step, stepEpoch: place.stepEpoch + 1, batch: null }
    case 'calls.asked': {
      const batch = place.batches + 1
      const { epoch, stepEpoch } = place
      const open = event.calls.map(({ id }) => id)
      return { ...place, batches: batch, batch: { batch, step: event.step, epoch, stepEpoch, open, results: [] } }
    }
    case 'call.settled': {
      const { batch } = place
      if (batch === null) return place
      const results = event.result === null ? batch.results : [...batch.results, event.result]
      return { ...place, batch: { ...batch, open: batch.open.filter(call => call !== event.call), results } }
    }
    case 'node.waiting':
      return { ...place, lifecycle: 'WaitingInput' }
    case 'run.paused':
      return { ...place, lifecycle: 'Paused' }
    case 'node.resumed':
    case 'run.resumed':
      return { ...place, lifecycle: 'Running' }
    case 'run.cancelling':
      return { ...place, lifecycle: 'Cancelling', reason: event.reason, epoch: place.epoch + 1, stepEpoch: place.stepEpoch + 1 }
    case 'node.completed':
      return { ...place, lifecycle: 'Completed' }
    case 'node.failed':
      return { ...place, lifecycle: 'Failed' }
    case 'node.cancelled':
      return { ...place, lifecycle: 'Cancelled' }
    default:
      return place
  }
}
