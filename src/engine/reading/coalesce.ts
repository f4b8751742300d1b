// Coalesces concurrent identical reads into one, which begins after all callers have asked. Caches nothing.

interface UnderWay {
  readonly reading: Promise<unknown>
  /** The read for callers that have asked since the current one began. */
  next: Promise<unknown> | null
}

type CoalescedRead = <T>(name: string, read: () => Promise<T>) => Promise<T>

export function coalesceReads(): CoalescedRead {
  const known = new Map<string, UnderWay>()
  const begin: CoalescedRead = (name, read) => {
    const reading = read()
    const mine: UnderWay = { reading, next: null }
    known.set(name, mine)
    const forget = () => {
      if (mine.next === null) known.delete(name)
    }
    reading.then(forget, forget)
    return reading
  }
  return <T>(name: string, read: () => Promise<T>): Promise<T> => {
    const underWay = known.get(name)
    if (underWay === undefined) return begin(name, read)
    const again = () => begin(name, read)
    underWay.next ??= underWay.reading.then(again, again)
    return underWay.next as Promise<T>
  }
}
