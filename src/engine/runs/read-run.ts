// The one place that reads a recorded run for a question: its stream, once, as visits, steps and calls; and the streams of its nodes' sessions.
import type { RecordedEvent } from '../../core/record/event.ts'
import { readingBuilder } from '../../core/run/build-reading.ts'
import { runStream } from '../../core/run/events.ts'
import { factsOf, type RunReading } from '../../core/run/reading.ts'
import { fromRecorded, sessionStream } from '../../core/session/events.ts'
import { isAdoption } from '../../core/why/in-force.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Throws `run_missing`, also for a run of another tenant. */
export async function loadReading(store: Store, tenant: string, runId: string): Promise<RunReading> {
  const { add, reading } = readingBuilder()
  for await (const { event } of store.read(tenant, runStream(runId), -1)) add(event)
  if (factsOf(reading, 'run.created').length === 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return reading
}

/**
 * The events by which the session of a node, and its home session before it, came by their snapshots.
 * @param seen sessions that are read already: a malformed record may name a circle of homes
 */
export async function loadAdoptions(
  store: Store,
  tenant: string,
  session: string,
  seen: readonly string[] = [],
): Promise<readonly RecordedEvent[]> {
  const adoptions: RecordedEvent[] = []
  let home: string | null = null
  for await (const { event } of store.read(tenant, sessionStream(session), -1)) {
    const created = event.seq === 0 ? fromRecorded(event) : null
    if (created?.type === 'session.created') home = created.home?.session ?? null
    if (isAdoption(event)) adoptions.push(event)
  }
  const known = [...seen, session]
  return home === null || known.includes(home) ? adoptions : [...(await loadAdoptions(store, tenant, home, known)), ...adoptions]
}
