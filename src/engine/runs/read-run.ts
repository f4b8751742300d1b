// The one place that reads a recorded run for a question: its stream, once, as visits, steps and calls; and the streams of its nodes' sessions.
import { readingBuilder } from '../../core/run/build-reading.ts'
import { runStream } from '../../core/run/events.ts'
import type { RunReading } from '../../core/run/reading.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Throws `run_missing`, also for a run of another tenant. */
export async function loadReading(store: Store, tenant: string, runId: string): Promise<RunReading> {
  const { add, reading } = readingBuilder()
  for await (const { event } of store.read(tenant, runStream(runId), -1)) add(event)
  if (reading.last === null) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return reading
}
