// One command to one session: decided on what is there, committed, and decided again when somebody was quicker. Says what the events call for.
import type { Json } from '../../core/digest/digest.ts'
import type { ToldChange } from '../../core/run/changes.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { decide } from '../../core/session/decide.ts'
import { type SessionEvent, sessionDraft, sessionStream } from '../../core/session/events.ts'
import { plan, type SessionEffect } from '../../core/session/plan.ts'
import { reduce } from '../../core/session/reduce.ts'
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
  readonly effects: readonly SessionEffect[]
  /** What was answered before, under the same idempotency key. */
  readonly replayed: Json | null
}

export interface Submission {
  readonly objects?: readonly Uint8Array[]
  /** What became of the repo meanwhile: told by the run that a node's session works for. */
  readonly changed?: ToldChange
  /** What is kept under an idempotency key follows from what is decided. Refusals are not kept. */
  readonly idempotency?: (events: readonly SessionEvent[]) => Commit['idempotency'] | undefined
}

const encoder = new TextEncoder()

/** Null, with nothing written, when the session is no longer what `isMeant` asks for. */
export async function submitIf(
  store: Store,
  place: SessionPlace,
  command: SessionCommand,
  submission: Submission,
  isMeant: (state: SessionState) => boolean,
): Promise<Submitted | null> {
  const { tenant, session, actor, cause = null } = place
  for (;;) {
    const { state, seq } = await loadSession(store, tenant, session)
    if (!isMeant(state)) return null
    const decided = decide(state, command)
    const refusal = decided.ok ? null : { code: decided.code, message: decided.message }
    if (decided.events.length === 0) return { state, events: [], refusal, effects: [], replayed: null }
    const kept = decided.ok ? submission.idempotency?.(decided.events) : undefined
    const made = decided.ok ? decided.objects.map(({ text }) => encoder.encode(text)) : []
    try {
      const { replayed } = await store.commit({
        tenant,
        // What a refused command brought is not kept.
        objects: decided.ok ? [...(submission.objects ?? []), ...made] : [],
        appends: [
          { stream: sessionStream(session), expected: seq, entries: decided.events.map(event => sessionDraft(event, actor, cause)) },
        ],
        ...(kept === undefined ? {} : { idempotency: kept }),
      })
      if (replayed !== null) return { state, events: [], refusal: null, effects: [], replayed }
      return { ...outcomeOf(state, decided.events), refusal, replayed: null }
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}

export const submit = async (store: Store, place: SessionPlace, command: SessionCommand, submission: Submission = {}): Promise<Submitted> =>
  (await submitIf(store, place, command, submission, () => true))!

function outcomeOf(before: SessionState, events: readonly SessionEvent[]): Pick<Submitted, 'state' | 'events' | 'effects'> {
  let state = before
  const effects: SessionEffect[] = []
  for (const event of events) {
    state = reduce(state, event)
    effects.push(...plan(event, state))
  }
  return { state, events, effects }
}
