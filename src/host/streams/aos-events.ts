// Events of a session in AgentOS's names, with a cursor after every event: a reader that resumes from a cursor gets each further event exactly once.
import { sessionStream } from '../../core/session/events.ts'
import { readStory, STORY_START, type StoryItem, type StoryPlace } from '../../engine/sessions/read-story.ts'
import type { Store } from '../../ports.ts'
import { type AosPlace, placeAt } from '../../wire/aos/place.ts'
import { type AosSessionEvent, toAosEvents } from '../../wire/aos/to-event.ts'
import { foreignCursor, readStreamCursor, writeStreamCursor } from '../requests/cursor.ts'

export interface AosItem {
  /** The position after the event. */
  readonly cursor: string
  readonly event: AosSessionEvent
}

interface AosCursor extends StoryPlace {
  /** How many AgentOS events of the run's next event were sent: some of our events become two. */
  readonly skip: number
  /** Both epochs when the newest run was attached. The visit is folded again from there. */
  readonly epoch: number
  readonly stepEpoch: number
}

const START: AosCursor = { ...STORY_START, skip: 0, epoch: 0, stepEpoch: 0 }
const KEYS = ['session', 'attached', 'before', 'run', 'skip', 'epoch', 'stepEpoch'] as const satisfies readonly (keyof AosCursor)[]
const CURSOR = /^aos(?: (?:-1|\d{1,15})){7}$/

const writeCursor = (cursor: AosCursor): string => writeStreamCursor(`aos ${KEYS.map(key => cursor[key]).join(' ')}`)

function readCursor(text: string): AosCursor {
  const place = readStreamCursor(text)
  if (!CURSOR.test(place)) throw foreignCursor()
  const numbers = place.split(' ').slice(1).map(Number)
  return Object.fromEntries(KEYS.map((key, index) => [key, numbers[index]])) as unknown as AosCursor
}

export interface AosReading {
  readonly tenant: string
  readonly session: string
  /** A cursor; absent or -1 for the beginning. */
  readonly after?: string | undefined
  /** Follows until the signal aborts. Absent: up to the present end. */
  readonly signal?: AbortSignal
}

export async function* aosEvents(store: Store, { tenant, session, after, signal }: AosReading): AsyncIterable<AosItem> {
  for await (const { events } of aosStory(store, { tenant, session, after, ...(signal === undefined ? {} : { signal }) })) yield* events
}

/** The number of cancellations: a command of AgentOS may name the number that it expects. */
export async function sessionEpoch(store: Store, tenant: string, session: string): Promise<number> {
  let epoch = 0
  for await (const { place } of aosStory(store, { tenant, session })) epoch = place.epoch
  return epoch
}

async function* aosStory(
  store: Store,
  { tenant, session, after = '-1', signal }: AosReading,
): AsyncIterable<{ readonly place: AosPlace; readonly events: readonly AosItem[] }> {
  const from = after === '-1' ? START : readCursor(after)
  let cursor: AosCursor = from
  let place = placeAt(session, from.epoch, from.stepEpoch)
  for await (const item of readStory(store, { tenant, session }, from, signal)) {
    const before = place
    const next = toAosEvents(before, item.entry)
    place = next.place
    if (item.isKnown) continue
    const { skip } = cursor
    const passed = cursor
    const isRun = item.entry.of === 'run'
    cursor = { ...cursor, ...item.place, skip: isRun ? 0 : skip, ...epochsAt(item, before) }
    const events = next.events.map((event, index) => {
      const isLast = index === next.events.length - 1
      return { event, cursor: writeCursor(isLast ? cursor : { ...passed, skip: index + 1 }) }
    })
    yield { place, events: isRun ? events.slice(skip) : events }
  }
}

const epochsAt = ({ entry }: StoryItem, { epoch, stepEpoch }: AosPlace): Partial<AosCursor> =>
  entry.of === 'session' && entry.event.type === 'run.attached' ? { epoch, stepEpoch } : {}

/** Throws `validation_error` for a cursor whose numbers do not name events of this session. */
export async function checkCursor(store: Store, { tenant, session, after = '-1' }: AosReading): Promise<void> {
  if (after === '-1') return
  const { session: last, attached } = readCursor(after)
  const stream = sessionStream(session)
  if (last > (await store.head(tenant, stream)).seq || attached > last) throw foreignCursor()
  if (attached < 0) return
  for await (const { event } of store.read(tenant, stream, attached - 1)) {
    if (event.type !== 'run.attached') throw foreignCursor()
    return
  }
}
