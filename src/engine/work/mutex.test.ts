import { expect, it } from 'vitest'
import { keyedMutex } from './mutex.ts'

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

it('does what has one name in the order it came, also after a failure, and keeps no other name waiting', async () => {
  const turns = keyedMutex()
  const seen: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      seen.push(`${name} begins`)
      await nextTurn()
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const outcomes = await Promise.allSettled([turns('a', work('a1', true)), turns('a', work('a2')), turns('b', work('b1'))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(seen.filter(one => one.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends'])
  expect(seen.indexOf('b1 begins')).toBeLessThan(seen.indexOf('a1 ends'))
  expect(await turns('a', work('a3'))).toBe('a3')
})
