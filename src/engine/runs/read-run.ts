// The one reader of recorded runs for questions: reads the stream once as visits, steps and calls; also reads the adoptions of home sessions.
import type { RecordedEvent } from '../../core/record/event.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import { readingBuilder } from '../../core/run/reading/build-reading.ts'
import { factsOf, type RunReading, type RunStep } from '../../core/run/reading/reading.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { sessionStream } from '../../core/session/events.ts'
import { isAdoption } from '../../core/why/active-since.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { type LoadedRun, NO_RUN } from './load.ts'

const EVENTS_PER_PAUSE = 100

interface ReadOptions {
  /** Awaited between events, so that a host serves others meanwhile. */
  readonly pause?: () => Promise<void>
  /** Receives each step with the state of the run right before it. Left out: no state is folded. */
  readonly onStep?: (step: RunStep, before: LoadedRun) => void
}

/** Throws `run_missing`, also for a run of another tenant. */
export async function loadReading(store: Store, tenant: string, runId: string, { pause, onStep }: ReadOptions = {}): Promise<RunReading> {
  const { add, reading } = readingBuilder()
  let run = NO_RUN
  for await (const { event } of store.read(tenant, runStream(runId), -1)) {
    const { seq, at, actor } = event
    if (seq % EVENTS_PER_PAUSE === 0) await pause?.()
    add(event)
    if (onStep === undefined) continue
    if (seq === 0) run = { ...run, createdAt: at, createdBy: actor }
    if (event.type === 'step.started') onStep(reading.steps.at(-1)!, run)
    run = { ...run, state: reduceRun(run.state, runEvent(event)), seq }
  }
  if (factsOf(reading, 'run.created').length === 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return reading
}

/** The events by which a session came by its snapshots. */
export async function loadAdoptions(store: Store, tenant: string, session: string): Promise<readonly RecordedEvent[]> {
  const adoptions: RecordedEvent[] = []
  for await (const { event } of store.read(tenant, sessionStream(session), -1)) if (isAdoption(event)) adoptions.push(event)
  return adoptions
}
