// The events of a session and of the runs that worked in it, as one sequence. A visit's events come after the session's `run.attached` and before
// its `run.detached`; in between, the time of the commit decides, and of one millisecond the session's events come first.
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { beginsVisit, endsVisit, isOfVisit, type StoryEvent } from '../../core/run/reading/session-story.ts'
import { fromRecorded, sessionStream } from '../../core/session/events.ts'
import type { Store, StoredEvent } from '../../ports.ts'

/** How far a reader has come. Sequences of events; -1 for none. */
export interface StoryPlace {
  /** The last event of the session that was read. */
  readonly session: number
  /** The newest `run.attached` among them. */
  readonly attached: number
  /** The event in the run's stream after which the visit is looked for. */
  readonly before: number
  /** The last event of the run that was read. */
  readonly run: number
}

export const STORY_START: StoryPlace = { session: -1, attached: -1, before: -1, run: -1 }

export interface StoryItem {
  readonly place: StoryPlace
  readonly entry: StoryEvent
  /** Whether it lies before the place that the reader resumes from: the newest visit is read again, because its state follows from its events. */
  readonly isKnown: boolean
}

interface StoryOf {
  readonly tenant: string
  readonly session: string
}

/** Up to the present end; with a signal, until it aborts. Empty when `from` is not a place in this session. */
export async function* readStory(store: Store, of: StoryOf, from: StoryPlace, signal?: AbortSignal): AsyncIterable<StoryItem> {
  const { tenant, session } = of
  const stream = sessionStream(session)
  const own = sourceOf(store, tenant, stream, from.session)
  let place = from
  let visit: Visit | null = null
  if (from.attached >= 0) {
    const attached = await sourceOf(store, tenant, stream, from.attached - 1).peek()
    if (attached?.event.type !== 'run.attached') return
    yield { place, entry: { of: 'session', event: fromRecorded(attached.event) }, isKnown: true }
    visit = visitOf(store, of, attached, from.before)
    for (let next = await visit.peek(); next !== null && next.event.seq <= from.run; next = await visit.peek())
      yield { place, entry: { of: 'run', event: visit.take(next) }, isKnown: true }
  }
  for (;;) {
    const early = (await visit?.peek()) ?? null
    const next = await own.peek()
    // Looked at again after the session's event was read: an older event of the run is there by now.
    const inRun: StoredEvent | null = early ?? (next === null ? null : ((await visit?.peek()) ?? null))
    if (visit !== null && inRun !== null && (next === null || comesBefore(inRun, next))) {
      place = { ...place, run: inRun.event.seq }
      yield { place, entry: { of: 'run', event: visit.take(inRun) }, isKnown: false }
    } else if (next !== null) {
      own.take()
      const event = fromRecorded(next.event)
      place = { ...place, session: next.event.seq }
      if (event.type === 'run.attached') {
        const before: number = visit?.runId === event.runId ? place.run : -1
        place = { ...place, attached: next.event.seq, before, run: before }
        visit = visitOf(store, of, next, before)
      }
      yield { place, entry: { of: 'session', event }, isKnown: false }
    } else {
      if (signal === undefined || signal.aborted) return
      await somethingNew(store, tenant, [[stream, own.last()], ...(visit?.waitsFor() ?? [])], signal)
    }
  }
}

const comesBefore = (inRun: StoredEvent, { event }: StoredEvent): boolean => event.type === 'run.detached' || inRun.event.at < event.at

interface Source {
  /** The next event, or null if there is no next event yet. */
  peek(): Promise<StoredEvent | null>
  take(): void
  /** The sequence of the last event that was taken. */
  last(): number
}

const MOST_AT_ONCE = 200

function sourceOf(store: Store, tenant: string, stream: string, after: number): Source {
  let [read, next, last]: [StoredEvent[], number, number] = [[], 0, after]
  return {
    async peek() {
      if (next < read.length) return read[next]!
      ;[read, next] = [[], 0]
      for await (const stored of store.read(tenant, stream, last)) if (read.push(stored) >= MOST_AT_ONCE) break
      return read[0] ?? null
    },
    take() {
      last = read[next++]!.event.seq
    },
    last: () => last,
  }
}

interface Visit {
  readonly runId: string
  /** The next event of the visit; null if it is not written yet, or the visit is over. */
  peek(): Promise<StoredEvent | null>
  take(stored: StoredEvent): RunEvent
  waitsFor(): readonly (readonly [stream: string, after: number])[]
}

function visitOf(store: Store, { tenant, session }: StoryOf, attached: StoredEvent, before: number): Visit {
  const { runId, nodeId } = attached.event.payload as { readonly runId: string; readonly nodeId: string }
  const stream = runStream(runId)
  const source = sourceOf(store, tenant, stream, before)
  let phase: 'sought' | 'open' | 'over' = 'sought'
  const begins = ({ event }: StoredEvent): boolean => event.at >= attached.event.at && beginsVisit(runEvent(event), session, nodeId)
  const belongs = (stored: StoredEvent): boolean =>
    phase === 'open' ? isOfVisit(runEvent(stored.event), nodeId) : stored.event.type === 'run.created' || begins(stored)
  return {
    runId,
    async peek() {
      if (phase === 'over') return null
      for (let next = await source.peek(); next !== null; next = await source.peek()) {
        if (belongs(next)) return next
        source.take()
      }
      return null
    },
    take(stored) {
      source.take()
      const event = runEvent(stored.event)
      if (begins(stored)) phase = 'open'
      else if (endsVisit(event, nodeId)) phase = 'over'
      return event
    },
    waitsFor: () => (phase === 'over' ? [] : [[stream, source.last()]]),
  }
}

/** Resolves when one of the streams has an event after its sequence, or the signal aborts. */
async function somethingNew(
  store: Store,
  tenant: string,
  streams: readonly (readonly [stream: string, after: number])[],
  signal: AbortSignal,
): Promise<void> {
  const found = new AbortController()
  const either = AbortSignal.any([signal, found.signal])
  await Promise.all(
    streams.map(async ([stream, after]) => {
      for await (const _ of store.follow(tenant, stream, after, either)) break
      found.abort()
    }),
  )
}
