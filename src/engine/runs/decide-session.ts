// Several commands to one session, decided one after the other, to be committed together.
import type { SessionCommand } from '../../core/session/commands.ts'
import { decide } from '../../core/session/decide.ts'
import type { SessionEvent } from '../../core/session/events.ts'
import { plan, type SessionEffect } from '../../core/session/plan.ts'
import { reduce } from '../../core/session/reduce.ts'
import type { SessionState } from '../../core/session/state.ts'

export interface DecidedSession {
  readonly state: SessionState
  readonly events: readonly SessionEvent[]
  readonly objects: readonly Uint8Array[]
  readonly refusal: { readonly code: string; readonly message: string } | null
  /** What the last command calls for: what those before it call for is the next one. */
  readonly effects: readonly SessionEffect[]
}

const encoder = new TextEncoder()

/** Stops at the first that is refused. */
export function decideAll(from: SessionState, commands: readonly SessionCommand[]): DecidedSession {
  let state = from
  let effects: SessionEffect[] = []
  const events: SessionEvent[] = []
  const objects: Uint8Array[] = []
  for (const command of commands) {
    const decided = decide(state, command)
    effects = []
    for (const event of decided.events) {
      state = reduce(state, event)
      effects.push(...plan(event, state))
      events.push(event)
    }
    if (!decided.ok) return { state, events, objects, refusal: { code: decided.code, message: decided.message }, effects: [] }
    objects.push(...decided.objects.map(({ text }) => encoder.encode(text)))
  }
  return { state, events, objects, refusal: null, effects }
}
