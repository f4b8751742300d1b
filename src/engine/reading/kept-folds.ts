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
      const cache = stores.get(store) ?? new Map<string, T>()
      stores.set(store, cache)
      const key = keyOf(tenant, name)
      const cached = cache.get(key)
      // A slow reader may return an older fold. Keep the newer one.
      const newest = cached !== undefined && cached.seq > folded.seq ? cached : folded
      cache.delete(key)
      if (newest.seq >= 0) cache.set(key, newest)
      for (const oldest of cache.keys()) {
        if (cache.size <= most) break
        cache.delete(oldest)
      }
    },
  }
}
