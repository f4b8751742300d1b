// Texts that were made to be slow to read for tool calls.
import { describe, expect, it } from 'vitest'
import { readToolCalls } from './read-tool-calls.ts'

describe('four times as much takes about four times as long:', () => {
  const call = (id: number | string, args = '{}') => `{"tool_call":{"id":"${id}","name":"command","args":${args}}}\n`
  const many = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, index) => one(index)).join('')
  const texts: readonly [what: string, size: number, make: (size: number) => string][] = [
    ['prose', 200_000, size => 'I look at the file first.\n'.repeat(size)],
    ['calls', 20_000, size => many(size, index => call(index))],
    ['calls of one id', 20_000, size => call('t').repeat(size)],
    ['calls without an id', 20_000, size => '{"tool_call":{"name":"command","args":{}}}\n'.repeat(size)],
    [
      'calls without an id, after all that could be generated',
      10_000,
      size => `${many(size, index => call(`call-${size + 1}-${index + 2}`))}${call(`call-${size + 1}`).replace(/"id":"[^"]*",/, '')}`,
    ],
    ['near misses', 50_000, size => '- {"tool_call":{\n'.repeat(size)],
    ['fences that are opened and closed', 100_000, size => '```json\n{"tool_call":1}\n```\n'.repeat(size)],
    ['fences inside of one another', 1_000, size => many(size, index => `${'`'.repeat(3 + (index % 500))}\n`)],
    ['one line of marks of lists', 50_000, size => `${'- '.repeat(size)}x`],
    ['one line of blanks', 2_000_000, size => `${' '.repeat(size)}{"tool_call":${' '.repeat(size)}}`],
    ['one call of many keys', 20_000, size => call('t', `{${many(size, index => `"k${index}":0,`)}"x":0}`)],
    ['one call of one long text', 1_000_000, size => call('t', `{"x":"${'\\u0061'.repeat(size / 6)}"}`)],
    ['one call that is too deep', 100_000, size => call('t', `{"x":${'['.repeat(size)}${']'.repeat(size)}}`)],
    ['one call that nothing closes', 200_000, size => `{"tool_call":${'{"a":'.repeat(size)}}`],
    ['one name for all keys', 20_000, size => call('t', `[${'{"a":{"a":0}},'.repeat(size)}0]`)],
  ]
  /** Between linear (4) on a busy machine, and quadratic (16). */
  const MOST = 11
  const timeOf = (text: string): number => {
    const start = performance.now()
    readToolCalls(text)
    return performance.now() - start
  }

  it.each(texts)('%s', (_, size, make) => {
    const [small, large] = [make(size / 2), make(size * 2)]
    let growth = Number.POSITIVE_INFINITY
    for (let again = 0; again < 6 && growth >= MOST; again++) {
      const rounds = Array.from({ length: 3 }, () => [timeOf(small), timeOf(large)] as const)
      const [one, four] = [Math.min(...rounds.map(([time]) => time)), Math.min(...rounds.map(([, time]) => time))]
      // Below ten milliseconds a clock measures the collector of garbage.
      growth = four < 10 ? 1 : four / one
    }
    expect(growth).toBeLessThan(MOST)
  })
})
