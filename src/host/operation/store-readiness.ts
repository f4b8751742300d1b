// Checks whether the store can be written now. With a full disk, for example, the host is not ready.
import type { Store } from '../../ports.ts'
import type { Reason } from './readiness.ts'

/** Anyone may ask, and each check writes: a request within this time gets the result of the last check. */
const FRESH_MS = 1_000

export const STOPPING: Reason = { code: 'host_stopping', message: 'The host is stopping. Ask another one, or wait for its next start.' }

export function storeReasons(store: Store): () => Promise<readonly Reason[]> {
  let last: { readonly at: number; readonly reasons: Promise<readonly Reason[]> } | null = null
  const look = async (): Promise<readonly Reason[]> => {
    try {
      await store.tenants()
      await store.probe?.()
      return []
    } catch (error) {
      const { code = 'store_failed' } = error as { readonly code?: string }
      // Without paths of this machine: anyone may read it.
      return [{ code, message: MESSAGES[code] ?? 'The store cannot be read or written. The log of the host says why.' }]
    }
  }
  return () => {
    if (last === null || performance.now() - last.at > FRESH_MS) last = { at: performance.now(), reasons: look() }
    return last.reasons
  }
}

const MESSAGES: Readonly<Record<string, string>> = {
  store_full: 'The disk of the store is full. Free some space: runs then continue by themselves.',
  store_read_only: 'The store cannot be written. Make its folder writable: runs then continue by themselves.',
  store_busy: 'Another process keeps the store busy. Wait, or end that process.',
}
