// A mutex per key: work under the same key runs one at a time, work under other keys runs concurrently.

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
