// A session, folded as far as a question has come. Holds its state and nothing of what it has passed.
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { fromRecorded, type NodeOfRun, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { reduce } from '../../core/session/reduce.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import type { Gaps } from './gaps.ts'
import { type Diverged, readChained } from './read-chained.ts'

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
  const events = readChained(store, tenant, stream, diverged, true)
  let state = emptySession
  let count = 0
  const advance = async (): Promise<MetEvent | null> => {
    const { value, done } = await events.next()
    if (done === true || value === undefined) return null
    const before = state
    const event = fromRecorded(value.event)
    state = reduce(before, event)
    count += 1
    await look?.({ sequence: value.event.seq, stream }, value.event.payload)
    return { sequence: value.event.seq, event, before }
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
      while ((await advance()) !== null);
      return { events: count, stateHash: digestJson(state as unknown as Json) }
    },
  }
}
