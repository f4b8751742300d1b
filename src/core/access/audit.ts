// The events about access to the host: sign-ins, and counts of refused requests. Never the presented credentials.
import type { EventDraft } from '../record/event.ts'
import { HOST_ACTOR, keyActor } from './keys.ts'

/** One stream for the host, under its own tenant. */
export const ACCESS_AUDIT = 'access/audit'

interface Counted {
  readonly count: number
}

/** The refused requests of an interval, counted. */
export interface Refusals {
  readonly since: string
  /** Requests with an invalid key, token or session, by address; null for all other addresses together. */
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
