// What was read from a store, kept for as long as it cannot have changed: until the store has written anything, or for ever when a
// digest names it.
import type { Store } from '../ports.ts'

interface Memory {
  moment: string
  readonly answers: Map<string, Promise<unknown>>
  readonly contents: Map<string, Promise<unknown>>
}

const memories = new WeakMap<Store, Memory>()
const MOST = 10_000

function memoryOf(store: Store): Memory {
  const known = memories.get(store) ?? { moment: '', answers: new Map(), contents: new Map() }
  memories.set(store, known)
  return known
}

/** Asks once between two writes, also when many ask at the same time. What fails is not kept. */
export function remembered<T>(store: Store, key: string, ask: () => Promise<T>): Promise<T> {
  const memory = memoryOf(store)
  const now = store.moment()
  if (memory.moment !== now) {
    memory.answers.clear()
    memory.moment = now
  }
  return keep(memory.answers, key, ask)
}

/** For what a digest names: it is the same for ever. */
export const rememberedContent = <T>(store: Store, key: string, ask: () => Promise<T>): Promise<T> =>
  keep(memoryOf(store).contents, key, ask)

function keep<T>(kept: Map<string, Promise<unknown>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = kept.get(key) as Promise<T> | undefined
  if (known !== undefined) return known
  if (kept.size >= MOST) kept.delete(kept.keys().next().value!)
  const asked = ask()
  kept.set(key, asked)
  asked.catch(() => kept.delete(key))
  return asked
}
