// Which callers share a read.
import { describe, expect, it } from 'vitest'
import { coalesceReads } from './coalesce.ts'

/** A reading that takes as long as the test wants, of what is there when it begins. */
function slowPlace(text: string) {
  const place = { text, readings: 0 }
  const ends: (() => void)[] = []
  const read = async () => {
    place.readings += 1
    const found = place.text
    await new Promise<void>(resolve => ends.push(resolve))
    if (found === 'broken') throw new Error('it cannot be read')
    return found
  }
  return { place, read, end: () => ends.shift()?.() }
}

const later = () => new Promise(resolve => setImmediate(resolve))

describe('reading together', () => {
  it('reads once for all who ask while somebody else reads, and shows them what was there when they asked', async () => {
    const { place, read, end } = slowPlace('old')
    const together = coalesceReads()
    const first = together('a', read)
    place.text = 'new'
    const others = [together('a', read), together('a', read)]
    end()
    expect(await first).toBe('old')
    await later()
    end()
    expect(await Promise.all(others)).toEqual(['new', 'new'])
    expect(place.readings).toBe(2)
  })

  it('keeps nothing: who asks afterwards reads again', async () => {
    const together = coalesceReads()
    expect(await together('a', async () => 1)).toBe(1)
    expect(await together('a', async () => 2)).toBe(2)
  })

  it('keeps names apart', async () => {
    const together = coalesceReads()
    expect(await Promise.all([together('a', async () => 1), together('b', async () => 2)])).toEqual([1, 2])
  })

  it('fails for those who share it, and for nobody after them', async () => {
    const { place, read, end } = slowPlace('broken')
    const together = coalesceReads()
    const first = together('a', read)
    const second = together('a', read)
    place.text = 'whole'
    end()
    await expect(first).rejects.toThrow('it cannot be read')
    await later()
    end()
    expect(await second).toBe('whole')
    const third = together('a', read)
    end()
    expect(await third).toBe('whole')
  })
})
