// A session, folded as far as a question has come. Holds its state and nothing of what it has passed.
import type { Digest } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { compareFields } from '../../core/replay/compare-step.ts'
import { sessionFields } from '../../core/replay/twins.ts'
import { fromRecorded, type NodeOfRun, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { reduce } from '../../core/session/reduce.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import { isUnfit } from '../unfit.ts'
import { type Gaps, unfitEvent } from './gaps.ts'
import { chainedPages, type Diverged } from './read-chained.ts'
import { stateHash } from './state-hash.ts'

export interface MetEvent {
  readonly sequence: number
  readonly event: SessionEvent
  readonly before: SessionState
}

export interface SessionCursor {
  /** Goes on to the next event of that type while the session works for the node; null when there is none. */
  next(type: SessionEvent['type'], node: NodeOfRun): Promise<MetEvent | null>
  /** Goes on to the end. */
  finish(): Promise<{ readonly events: number; readonly stateHash: Digest }>
}

/** @param look at what its events name */
export function sessionCursor(store: Store, tenant: string, session: string, diverged: Diverged, look?: Gaps['look']): SessionCursor {
  const stream = sessionStream(session)
  const pages = chainedPages(store, tenant, stream, diverged, true)
  let page: IterableIterator<StoredEvent> | null = [][Symbol.iterator]()
  let state = emptySession
  let count = 0
  const fold = (recorded: RecordedEvent): MetEvent => {
    const { seq: sequence, type } = recorded
    const before = state
    const event = fromRecorded(recorded)
    try {
      state = reduce(before, event)
    } catch (error) {
      if (!isUnfit(error)) throw error
      unfitEvent({ sequence, stream }, type, diverged)
    }
    count += 1
    return { sequence, event, before }
  }
  const lookAt = async ({ type, payload }: RecordedEvent, { sequence, event, before }: MetEvent): Promise<void> => {
    const [told, known] = sessionFields(before, event) ?? []
    if (told !== undefined) for (const one of compareFields({ sequence, stream, point: 'told' }, told, known!)) diverged(one)
    await look?.({ sequence, stream }, type, payload)
  }
  const advance = async (): Promise<MetEvent | null> => {
    for (; page !== null; page = (await pages.next()).value) {
      const next = page.next()
      if (next.done === true) continue
      const met = fold(next.value.event)
      if (look !== undefined) await lookAt(next.value.event, met)
      return met
    }
    return null
  }
  return {
    async next(type, { runId, nodeId }) {
      for (let met = await advance(); met !== null; met = await advance()) {
        const node = met.before.run?.node
        if (met.event.type === type && node?.runId === runId && node.nodeId === nodeId) return met
      }
      return null
    },
    async finish() {
      if (look === undefined) for (; page !== null; page = (await pages.next()).value) for (const { event } of page) fold(event)
      while ((await advance()) !== null);
      return { events: count, stateHash: stateHash(state, { sequence: count - 1, stream }, diverged) }
    },
  }
}
