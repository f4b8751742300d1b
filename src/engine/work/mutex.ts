// Work under the same name, one after the other; under other names at the same time. Knows nothing of what the work is.

type KeyedMutex = <T>(name: string, work: () => Promise<T>) => Promise<T>

export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work)
    last.set(name, mine)
    const forget = () => {
      if (last.get(name) === mine) last.delete(name)
    }
    mine.then(forget, forget)
    return mine
  }
}
