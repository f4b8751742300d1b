// Sign-in by link: a token that works once becomes a sign-in that lasts as long as its key, and at most 12 hours. Both are kept in memory, by their
// hashes.
import { randomBytes } from 'node:crypto'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import type { Clock } from '../../ports.ts'

export interface LoginToken {
  readonly token: string
  readonly expiresAt: string
}

export interface SignIn {
  readonly keyId: string
  readonly expiresAt: string
}

export interface Login {
  issue(keyId: string): LoginToken
  /** Null for a token that is unknown, used or too old. */
  redeem(token: string): (SignIn & { readonly id: string }) | null
  find(id: string): SignIn | null
  end(id: string): void
}

const TOKEN_MS = 10 * 60_000
export const SIGN_IN_MS = 12 * 3_600_000
const MOST_TOKENS = 1_000
const MOST_SIGN_INS = 10_000

export function createLogin(clock: Clock): Login {
  const tokens = shelf(clock, TOKEN_MS, MOST_TOKENS)
  const signIns = shelf(clock, SIGN_IN_MS, MOST_SIGN_INS)
  return {
    issue(keyId) {
      const { id: token, expiresAt } = tokens.put(keyId)
      return { token, expiresAt }
    },
    redeem(token) {
      const found = tokens.get(token)
      tokens.remove(token)
      return found === null ? null : signIns.put(found.keyId)
    },
    find: signIns.get,
    end: signIns.remove,
  }
}

/** Secrets that represent a key for a limited time. When it is full, the oldest is dropped. */
function shelf(clock: Clock, lastMs: number, most: number) {
  const kept = new Map<Digest, SignIn>()
  return {
    put(keyId: string): SignIn & { readonly id: string } {
      const id = randomBytes(32).toString('base64url')
      const signIn = { keyId, expiresAt: new Date(Date.parse(clock()) + lastMs).toISOString() }
      if (kept.size >= most) kept.delete(kept.keys().next().value!)
      kept.set(digestText(id), signIn)
      return { id, ...signIn }
    },
    get(id: string): SignIn | null {
      const found = kept.get(digestText(id))
      if (found === undefined || Date.parse(found.expiresAt) > Date.parse(clock())) return found ?? null
      kept.delete(digestText(id))
      return null
    },
    remove: (id: string): void => void kept.delete(digestText(id)),
  }
}
