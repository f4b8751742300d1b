// What the record knows of those who came to the host: who signed in, and how often somebody was refused. Never what they presented.
import type { EventDraft } from '../record/event.ts'
import { HOST_ACTOR, keyActor } from './keys.ts'

/** One stream for the host, under its own tenant. */
export const ACCESS_AUDIT = 'access/audit'

interface Counted {
  readonly count: number
}

/** What was refused within a time, added up. */
export interface Refusals {
  readonly since: string
  /** Requests whose key, token or session did not open, by where they came from; null for all other places together. */
  readonly failures: readonly (Counted & { readonly address: string | null })[]
  /** Requests of keys that open, but not this; null for all other keys together. */
  readonly refused: readonly (Counted & { readonly keyId: string | null; readonly code: string })[]
}

export const signedInDraft = (keyId: string, address: string): EventDraft => ({
  type: 'access.signedIn',
  actor: keyActor(keyId),
  payload: { keyId, address },
})
export const signedOutDraft = (keyId: string): EventDraft => ({ type: 'access.signedOut', actor: keyActor(keyId), payload: { keyId } })
export const accessRefusedDraft = ({ since, failures, refused }: Refusals): EventDraft => ({
  type: 'access.refused',
  actor: HOST_ACTOR,
  payload: { since, failures: failures.map(one => ({ ...one })), refused: refused.map(one => ({ ...one })) },
})
