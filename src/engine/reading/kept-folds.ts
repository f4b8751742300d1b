// What streams were folded to, kept for each store and never more than so many. An older look never replaces a newer one.
import type { Store } from '../../ports.ts'

interface Folded {
  /** Of the last event; -1 when there is none. */
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
      // Whoever read slowly has read what was.
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
