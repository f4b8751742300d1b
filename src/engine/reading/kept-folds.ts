// Caches folded streams per store, up to a limit. An older fold never replaces a newer one.
import type { Store } from '../../ports.ts'

interface Folded {
  /** The sequence of the last event; -1 for an empty stream. */
  readonly seq: number
}

export interface KeptFolds<T extends Folded> {
  get(store: Store, tenant: string, name: string): T | undefined
  keep(store: Store, tenant: string, name: string, folded: T): void
}

export function keptFolds<T extends Folded>(most: number): KeptFolds<T> {
  const stores = new WeakMap<Store, Map<string, T>>()
  const keyOf = (tenant: string, name: string): string => JSON.stringify([tenant, name])
  return {
    get: (store, tenant, name) => stores.get(store)?.get(keyOf(tenant, name)),
    keep(store, tenant, name, folded) {
      const kept = stores.get(store) ?? new Map<string, T>()
      stores.set(store, kept)
      const key = keyOf(tenant, name)
      const known = kept.get(key)
      // A slow reader may return an older fold. Keep the newer one.
      const newest = known !== undefined && known.seq > folded.seq ? known : folded
      kept.delete(key)
      if (newest.seq >= 0) kept.set(key, newest)
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break
        kept.delete(oldest)
      }
    },
  }
}
