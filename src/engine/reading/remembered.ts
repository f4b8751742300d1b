// Caches answers of a store while they cannot change: until the store writes to one of the streams behind them, or forever if a digest
// names them. The cache is limited in bytes.
import type { Store } from '../../ports.ts'

interface Entry {
  readonly asked: Promise<unknown>
  bytes: number
}

interface Kept {
  readonly entries: Map<string, Entry>
  bytes: number
}

interface Answers {
  moment: string
  kept: Kept
}

interface Memory {
  /** By the families that they follow from. */
  readonly answers: Map<string, Answers>
  readonly contents: Kept
}

const memories = new WeakMap<Store, Memory>()
const MOST_BYTES = 16 * 1024 * 1024
/** The least size that an entry counts. */
const LEAST_BYTES = 1024

const nothingKept = (): Kept => ({ entries: new Map(), bytes: 0 })

function memoryOf(store: Store): Memory {
  const memory = memories.get(store) ?? { answers: new Map<string, Answers>(), contents: nothingKept() }
  memories.set(store, memory)
  return memory
}

/** Families of an answer that follows from bytes alone. */
export const BYTES_ALONE: readonly string[] = []

type BytesOf<T> = (value: T) => number

/**
 * Loads once between two writes, also when several callers ask at the same time. Failures are not cached.
 * @param families of the streams that the answer follows from; an answer about bytes alone has none, and changes only when something is
 * erased
 */
export function remembered<T>(
  store: Store,
  families: readonly string[],
  key: string,
  ask: () => Promise<T>,
  bytesOf?: BytesOf<T>,
): Promise<T> {
  const memory = memoryOf(store)
  const now = store.moment(families)
  const name = families.join(' ')
  const answers = memory.answers.get(name) ?? { moment: now, kept: nothingKept() }
  memory.answers.set(name, answers)
  if (answers.moment !== now) {
    if (answers.kept.entries.size > 0) answers.kept = nothingKept()
    answers.moment = now
  }
  return keep(answers.kept, key, ask, bytesOf)
}

/** Caches content that a digest names: it never changes. */
export const rememberedContent = <T>(store: Store, key: string, ask: () => Promise<T>, bytesOf?: BytesOf<T>): Promise<T> =>
  keep(memoryOf(store).contents, key, ask, bytesOf)

function keep<T>(kept: Kept, key: string, ask: () => Promise<T>, bytesOf: BytesOf<T> = () => 0): Promise<T> {
  const cached = kept.entries.get(key)
  if (cached !== undefined) return cached.asked as Promise<T>
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
