// Why the host is not ready. Parts of the host add reasons and remove them; /readyz answers 503 as long as there is one.
export interface Reason {
  readonly code: string
  /** The problem, and what to do. Anyone may read it: no names of tenants, sessions or runs. */
  readonly message: string
}

export interface Readiness {
  /** Replaces the reason of the same key. */
  add(key: string, reason: Reason): void
  remove(key: string): void
  reasons(): readonly Reason[]
}

export function readinessOf(): Readiness {
  const reasons = new Map<string, Reason>()
  return {
    add: (key, reason) => void reasons.set(key, reason),
    remove: key => void reasons.delete(key),
    reasons: () => [...reasons.values()],
  }
}
