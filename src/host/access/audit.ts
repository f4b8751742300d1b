// Counts refused requests and records the counts once a minute, so that an attacker cannot make the record grow.
import { ACCESS_AUDIT, accessRefusedDraft, signedInDraft, signedOutDraft } from '../../core/access/audit.ts'
import { appendHostEvent } from '../../engine/access/access.ts'
import type { Clock, Store } from '../../ports.ts'

export interface Audit {
  failed(address: string): void
  refused(keyId: string, code: string): void
  signedIn(keyId: string, address: string): Promise<void>
  signedOut(keyId: string): Promise<void>
  /** Records the counts since the last flush. Never throws. */
  flush(): Promise<void>
}

/** The greatest number of addresses and of keys counted by name. All others share one count. */
const MOST_NAMES = 50

interface Tally {
  readonly since: string
  readonly failures: Map<string | null, number>
  readonly refused: Map<string | null, Map<string, number>>
}

export function auditOf(store: Store, clock: Clock, everyMs: number, onError: (error: unknown) => void): Audit {
  let tally: Tally | null = null
  let timer: NodeJS.Timeout | undefined
  /** The last write. A flush also waits for the writes before it. */
  let writing: Promise<void> = Promise.resolve()

  const counting = (): Tally => {
    if (tally !== null) return tally
    timer = setTimeout(() => void flush(), everyMs).unref()
    tally = { since: clock(), failures: new Map(), refused: new Map() }
    return tally
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    if (tally !== null) write(tally)
    tally = null
    return writing
  }

  const write = (counted: Tally): void => {
    const draft = accessRefusedDraft({
      since: counted.since,
      failures: [...counted.failures].map(([address, count]) => ({ address, count })),
      refused: [...counted.refused].flatMap(([keyId, codes]) => [...codes].map(([code, count]) => ({ keyId, code, count }))),
    })
    writing = writing.then(() => appendHostEvent(store, ACCESS_AUDIT, draft)).catch(onError)
  }

  return {
    failed(address) {
      const { failures } = counting()
      const name = nameIn(failures, address)
      failures.set(name, (failures.get(name) ?? 0) + 1)
    },
    refused(keyId, code) {
      const { refused } = counting()
      const name = nameIn(refused, keyId)
      const codes = refused.get(name) ?? new Map<string, number>()
      refused.set(name, codes.set(code, (codes.get(code) ?? 0) + 1))
    },
    signedIn: (keyId, address) => appendHostEvent(store, ACCESS_AUDIT, signedInDraft(keyId, address)),
    signedOut: keyId => appendHostEvent(store, ACCESS_AUDIT, signedOutDraft(keyId)),
    flush,
  }
}

const nameIn = (known: ReadonlyMap<string | null, unknown>, name: string): string | null =>
  known.has(name) || known.size < MOST_NAMES ? name : null
