// What was read from a store, kept for as long as it cannot have changed: until the store has written anything, or for ever when a
// digest names it. Never more than so many bytes.
import type { Store } from '../ports.ts'

interface Entry {
  readonly asked: Promise<unknown>
  bytes: number
}

interface Kept {
  readonly entries: Map<string, Entry>
  bytes: number
}

interface Memory {
  moment: string
  answers: Kept
  readonly contents: Kept
}

const memories = new WeakMap<Store, Memory>()
const MOST_BYTES = 16 * 1024 * 1024
/** What an entry takes, however little it says. */
const LEAST_BYTES = 1024

const nothingKept = (): Kept => ({ entries: new Map(), bytes: 0 })

function memoryOf(store: Store): Memory {
  const known = memories.get(store) ?? { moment: '', answers: nothingKept(), contents: nothingKept() }
  memories.set(store, known)
  return known
}

type BytesOf<T> = (value: T) => number

/** Asks once between two writes, also when many ask at the same time. What fails is not kept. */
export function remembered<T>(store: Store, key: string, ask: () => Promise<T>, bytesOf?: BytesOf<T>): Promise<T> {
  const memory = memoryOf(store)
  const now = store.moment()
  if (memory.moment !== now) {
    if (memory.answers.entries.size > 0) memory.answers = nothingKept()
    memory.moment = now
  }
  return keep(memory.answers, key, ask, bytesOf)
}

/** For what a digest names: it is the same for ever. */
export const rememberedContent = <T>(store: Store, key: string, ask: () => Promise<T>, bytesOf?: BytesOf<T>): Promise<T> =>
  keep(memoryOf(store).contents, key, ask, bytesOf)

function keep<T>(kept: Kept, key: string, ask: () => Promise<T>, bytesOf: BytesOf<T> = () => 0): Promise<T> {
  const known = kept.entries.get(key)
  if (known !== undefined) return known.asked as Promise<T>
  const asked = ask()
  const entry = { asked, bytes: 0 }
  kept.entries.set(key, entry)
  grow(kept, key, entry, LEAST_BYTES)
  asked.then(
    value => grow(kept, key, entry, bytesOf(value)),
    () => drop(kept, key, entry),
  )
  return asked
}

/** The oldest go first. */
function grow(kept: Kept, key: string, entry: Entry, bytes: number): void {
  if (kept.entries.get(key) !== entry) return
  entry.bytes += bytes
  kept.bytes += bytes
  for (const [oldest, one] of kept.entries) {
    if (kept.bytes <= MOST_BYTES) return
    drop(kept, oldest, one)
  }
}

function drop(kept: Kept, key: string, entry: Entry): void {
  if (kept.entries.get(key) !== entry) return
  kept.entries.delete(key)
  kept.bytes -= entry.bytes
}
