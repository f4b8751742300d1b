// Opens the book for commands about sessions, and reads the events of one session.
import type { AosSessionEvent } from '../../wire/aos/to-event.ts'
import type { Input } from '../commands.ts'
import type { BookUse, OpenBook } from '../host/open-book.ts'
import { type RunBook, type ShownEvent, withRuns } from '../runs/watched-runs.ts'

/** In these commands --config is the config of a session, not the host's file. */
export const withSessions = (input: Input, work: (open: RunBook) => Promise<number>, use?: BookUse): Promise<number> =>
  withRuns({ ...input, config: undefined }, work, use)

const pathOf = (session: string): string => `/v1/sessions/${encodeURIComponent(session)}/events`
const until = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

/** Oldest first; with a signal also new ones, until it aborts. */
export const sessionEvents = ({ stream }: OpenBook, session: string, signal?: AbortSignal): AsyncIterable<ShownEvent> =>
  stream(pathOf(session), until(signal))

/** The events of the session and of the runs in it, in AgentOS's names. */
export const aosEvents = ({ stream }: OpenBook, session: string, signal?: AbortSignal): AsyncIterable<AosSessionEvent> =>
  stream(`${pathOf(session)}?dialect=aos`, until(signal))
