// Folder: Reads of a store that are paced, cached or coalesced. It does not interpret them.
// A store whose reads pause now and then: for long queries on a thread that others need too.
import type { Store } from '../../ports.ts'

/** Resolves at once, or after others had their turn. */
export type Pause = () => Promise<void>

/** @param pause waited for before every piece that is read */
export const pacedStore = (store: Store, pause: Pause): Store => {
  async function* paced<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    for await (const item of items) {
      await pause()
      yield item
    }
  }
  return {
    ...store,
    read: (...asked) => paced(store.read(...asked)),
    pages: (...asked) => paced(store.pages(...asked)),
    readObject: (...asked) => paced(store.readObject(...asked)),
    streams: (...asked) => paced(store.streams(...asked)),
    rows: (...asked) => paced(store.rows(...asked)),
    async object(...asked) {
      await pause()
      return store.object(...asked)
    },
  }
}
