// Tests the counter of the rate limit with a simulated clock. limits.test.ts tests the limits over HTTP.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minuteCounter, networkOf } from './rate-limit.ts'

describe('a count of a minute', () => {
  it('begins with the first time, and anew when the minute is over', () => {
    const count = minuteCounter(10)
    expect(count('a', 500)).toEqual({ times: 1, endsInMs: 60_000 })
    expect(count('a', 30_500)).toEqual({ times: 2, endsInMs: 30_000 })
    expect(count('b', 30_500)).toEqual({ times: 1, endsInMs: 60_000 })
    expect(count('a', 60_499)).toEqual({ times: 3, endsInMs: 1 })
    expect(count('a', 60_500)).toEqual({ times: 1, endsInMs: 60_000 })
    expect(count('b', 60_500).times).toBe(2)
  })

  it('is given up for the name whose minute began first, when there are too many names', () => {
    const count = minuteCounter(3)
    count('a', 0)
    count('b', 1)
    count('a', 60_000)
    count('c', 60_000)
    count('d', 60_000)
    expect(['a', 'c', 'd'].map(name => count(name, 60_000).times)).toEqual([2, 2, 2])
    expect(count('b', 60_000).times).toBe(1)
    expect(count('a', 60_000).times).toBe(1)
  })
})

describe('an address', () => {
  const cases: readonly [string, string][] = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '0:0:0:0'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['fe80::1:2:3:4:5%eth0', 'fe80:0:0:1'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0'],
  ]
  it.each(cases)('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it('of the same 64 bits counts as the same, another as another', () => {
    const group = fc.nat(0xffff).map(value => value.toString(16))
    const half = fc.array(group, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(half, half, half, (network, one, other) => {
        const of = (host: readonly string[]) => networkOf([...network, ...host].join(':'))
        expect(of(one)).toBe(of(other))
        expect(of(one)).toBe(network.join(':'))
      }),
    )
  })
})
