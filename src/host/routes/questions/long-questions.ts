// A fair queue for long questions: tenants take turns, each question works in time slices, and the host answers other requests between two slices.
import { setImmediate as nextTick } from 'node:timers/promises'
import { runStream } from '../../../core/run/events.ts'
import type { Pause } from '../../../engine/reading/paced-store.ts'
import { fairQueue } from '../../../engine/work/fair-queue.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'

/** Events of a run that take a few seconds of work. For a longer run, the command line reads its run file. */
const MOST_EVENTS = 20_000
/** Each question holds its input in memory. */
const QUESTIONS_AT_ONCE = 4
/** A slow reader of a file delays only its own tenant. */
const FILES_PER_TENANT = 4
/** The length of a time slice, in milliseconds. */
const SLICE_MS = 5
const RETRY_MS = 1_000

type Ask<T> = (pause: Pause) => Promise<T>

export interface LongQuestions {
  ask<T>(tenant: string, ask: Ask<T>): Promise<T>
  /** Refuses a run that is too long with `run_too_long`. */
  askOfRuns<T>(tenant: string, runIds: readonly string[], ask: Ask<T>): Promise<T>
  /** A file that is generated while it is sent. It holds its place in the queue until it is sent completely, or its reader disconnects. */
  file(tenant: string, make: (pause: Pause) => AsyncIterable<string>): AsyncIterable<string>
}

export interface QuestionRouteParts extends SessionRouteParts {
  readonly questions: LongQuestions
}

/** @param waitingPerTenant questions of one tenant that may wait; the next is refused with `questions_busy` */
export function longQuestions(store: Store, waitingPerTenant: number): LongQuestions {
  const refusal = (waiting: number) => new Fault('questions_busy', { waiting, retryAfterMs: RETRY_MS })
  const questions = fairQueue({ lanes: QUESTIONS_AT_ONCE, lanesPerTenant: 1, waitingPerTenant, refusal })
  const files = fairQueue({ lanes: Infinity, lanesPerTenant: FILES_PER_TENANT, waitingPerTenant, refusal })
  // One slice in each round of the event loop, for any number of questions.
  const slices = fairQueue({ lanes: 1 })
  const pauseFor = (tenant: string): Pause => {
    let began = performance.now()
    return async () => {
      if (performance.now() - began < SLICE_MS) return
      await slices.run(tenant, () => nextTick())
      began = performance.now()
    }
  }
  const ask = async <T>(tenant: string, work: Ask<T>): Promise<T> => {
    questions.admit(tenant)
    return questions.run(tenant, () => work(pauseFor(tenant)))
  }
  return {
    ask,
    async askOfRuns(tenant, runIds, work) {
      for (const runId of runIds) {
        const { seq } = await store.head(tenant, runStream(runId))
        if (seq >= MOST_EVENTS) throw new Fault('run_too_long', { runId, events: seq + 1, most: MOST_EVENTS })
      }
      return ask(tenant, work)
    },
    file(tenant, make) {
      files.admit(tenant)
      return keyedMutex(work => void files.run(tenant, work), make(pauseFor(tenant)))
    },
  }
}

/** Holds the lane from the first chunk to the last. */
async function* keyedMutex<T>(take: (work: () => Promise<void>) => void, pieces: AsyncIterable<T>): AsyncIterable<T> {
  let end = (): void => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  await new Promise<void>(begin =>
    take(() => {
      begin()
      return ended
    }),
  )
  try {
    yield* pieces
  } finally {
    end()
  }
}
