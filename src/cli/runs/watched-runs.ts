// Runs as commands read them: from their record, and while they are under way.
import { ClientError, type RunFilter } from '../../client/index.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyRun } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { WireRunSummary } from '../../wire/onbook/runs.ts'
import type { Input } from '../commands.ts'
import { type BookUse, type OpenBook, type StreamOptions, withBook } from '../host/open-book.ts'
import { foldEvent, isSettled } from './status.ts'

/** An event as it was recorded, as far as it is shown. */
export interface ShownEvent {
  readonly seq: number
  readonly type: string
  readonly at: string
  readonly actor: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A run in a list. */
export interface ListedRun extends Omit<WireRunSummary, 'status'> {
  readonly status: string
}

/** The parts of a run's record that a page is made from. */
export interface RecordedRuns {
  /** Oldest first; with a signal also new ones, until it aborts. Throws `run_missing`. */
  events(runId: string, options?: StreamOptions): AsyncIterable<ShownEvent>
  object(digest: Digest): Promise<Uint8Array>
}

export interface WatchedRuns extends RecordedRuns {
  /** Pieces of replies on their way, until the signal aborts. */
  hear(runId: string, nodeId: string, signal: AbortSignal, listen: (text: string) => void): void
  /** Resolves when the run has ended, is paused, or waits for a person. @param after the newest event before the request */
  settled(runId: string, after: number): Promise<void>
}

export const runNotFound = (runId: string): Fault =>
  new Fault('run_missing', { problem: `There is no run ${runId}; "onbook run list" lists them` })

/** The list of a host has phases. The snapshot of a run says what it waits for. */
export async function* runsIn({ runs }: Pick<OpenBook['book'], 'runs'>, filter: RunFilter = {}): AsyncIterable<ListedRun> {
  for await (const run of runs.list(filter)) yield run.status === 'running' ? { ...run, status: (await runs.get(run.runId)).status } : run
}

/** A book, and its runs as commands show them. */
export type RunBook = OpenBook & WatchedRuns

export const withRuns = (input: Input, work: (open: RunBook) => Promise<number>, use?: BookUse): Promise<number> =>
  withBook(input, open => work({ ...open, ...watchedRuns(open) }), use)

export function watchedRuns({ book, local, stream }: OpenBook): WatchedRuns {
  /** The record itself, and not OpenWOP's view of it. */
  async function* events(runId: string, options: StreamOptions = {}) {
    try {
      yield* stream<ShownEvent>(`/v1/streams/${encodeURIComponent(runStream(runId))}/events`, options)
    } catch (error) {
      if (error instanceof ClientError && error.code === 'stream_missing') throw runNotFound(runId)
      throw error
    }
  }

  return {
    events,
    object: digest => book.objects.get(digest),
    hear(runId, nodeId, signal, listen) {
      void (async () => {
        for await (const { type, data } of book.runs.events(runId, { modes: ['onbook'], signal }))
          if (type === 'onbook.message.chunk') {
            const piece = JSON.parse(data) as { readonly nodeId: string; readonly kind: string; readonly text: string }
            if (piece.nodeId === nodeId && piece.kind === 'text') listen(piece.text)
          }
      })().catch(() => {}) // the record has the whole reply
    },
    async settled(runId, after) {
      if (local !== null) return local.idle(runId)
      const stop = new AbortController()
      let state = emptyRun
      try {
        for await (const event of events(runId, { signal: stop.signal })) {
          state = foldEvent(state, event)
          if (event.seq > after && isSettled(state)) return
        }
      } finally {
        stop.abort()
      }
    },
  }
}
