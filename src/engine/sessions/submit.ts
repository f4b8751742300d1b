// Submits one command to one session: decides on the current state and commits; decides again when another writer commits first.
import type { Json } from '../../core/digest/digest.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { decide } from '../../core/session/decide.ts'
import { type SessionEvent, sessionDraft, sessionStream } from '../../core/session/events.ts'
import { foldSession } from '../../core/session/reduce.ts'
import type { SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store } from '../../ports.ts'
import { loadSession } from './load.ts'

/** Which session, and who asks. */
export interface SessionPlace {
  readonly tenant: string
  readonly session: string
  readonly actor: string
  readonly cause?: string | null
}

export interface Submitted {
  readonly state: SessionState
  readonly events: readonly SessionEvent[]
  readonly refusal: { readonly code: string; readonly message: string } | null
  /** The earlier answer under the same idempotency key. */
  readonly replayed: Json | null
}

export interface Submission {
  readonly objects?: readonly Uint8Array[]
  /** Derives the stored answer for an idempotency key from the events. Refusals are not stored. */
  readonly idempotency?: (events: readonly SessionEvent[]) => Commit['idempotency'] | undefined
}

const encoder = new TextEncoder()

export async function submit(store: Store, place: SessionPlace, command: SessionCommand, submission: Submission = {}): Promise<Submitted> {
  const { tenant, session, actor, cause = null } = place
  for (;;) {
    const { state, seq } = await loadSession(store, tenant, session)
    const decided = decide(state, command)
    const refusal = decided.ok ? null : { code: decided.code, message: decided.message }
    if (decided.events.length === 0) return { state, events: [], refusal, replayed: null }
    const storedAnswer = decided.ok ? submission.idempotency?.(decided.events) : undefined
    const made = decided.ok ? decided.objects.map(({ text }) => encoder.encode(text)) : []
    try {
      const { replayed } = await store.commit({
        tenant,
        // Objects of a refused command are not stored.
        objects: decided.ok ? [...(submission.objects ?? []), ...made] : [],
        appends: [
          { stream: sessionStream(session), expected: seq, entries: decided.events.map(event => sessionDraft(event, actor, cause)) },
        ],
        ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
      })
      if (replayed !== null) return { state, events: [], refusal: null, replayed }
      return { state: foldSession(decided.events, state), events: decided.events, refusal, replayed: null }
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}
