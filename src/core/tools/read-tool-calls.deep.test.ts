// Two million lines, each read as the slow oracle reads it, and texts that were made to be slow.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyReply } from '../../testing/any-reply.ts'
import { asOracle, oracleToolCalls } from '../../testing/tool-call-oracle.ts'
import { readToolCalls } from './read-tool-calls.ts'
import { DIAGNOSTIC_CODES } from './tool-call-diagnostics.ts'

const LINES = 1_000_000
const TOOLS = ['command', 'read_file']

it('a million lines are read as the table has it, and among them is everything that can be wrong', { timeout: 600_000 }, () => {
  const seen = new Map<string, number>()
  for (let lines = 0; lines < LINES; ) {
    fc.assert(
      fc.property(anyReply, text => {
        const read = readToolCalls(text, { tools: new Set(TOOLS) })
        expect(asOracle(read)).toEqual(oracleToolCalls(text, TOOLS))
        lines += text.split('\n').length
        for (const { code } of read.diagnostics) seen.set(code, (seen.get(code) ?? 0) + 1)
        seen.set('call', (seen.get('call') ?? 0) + read.calls.length)
      }),
      { numRuns: 3_000 },
    )
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(seen), null, 2)}\n`)
  for (const code of ['call', ...DIAGNOSTIC_CODES]) expect(seen.get(code) ?? 0, code).toBeGreaterThan(LINES / 4000)
})

/** What calls and fences are made of, put together by nobody who knows how. */
const anySoup = fc
  .array(
    fc.oneof(
      fc.constantFrom('{"tool_call":', '"name":"command"', '"args":{}', '"id":"t"', '"params":{}', '{"toolCall":', 'tool_call', '"args":'),
      fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '\\u0061', 'null', '1e999', '-0', '\ud800', '\u2028', '\0', '__proto__'),
      fc.constantFrom('```', '~~~', '`', '~', '- ', '1. ', '> ', '    ', '\t', ' ', '\r', '\ufeff', '\u00a0', '\v', '|', '<!--'),
      fc.constantFrom('\n', '\n', '\n{"tool_call":{"name":"command","args":{}}}\n'),
    ),
    { maxLength: 60, size: 'max' },
  )
  .map(pieces => pieces.join(''))

it('a million lines of pieces are read as the table has it', { timeout: 600_000 }, () => {
  const seen = { lines: 0, calls: 0, fenced: 0 }
  while (seen.lines < LINES) {
    fc.assert(
      fc.property(anySoup, text => {
        const read = readToolCalls(text, { tools: new Set(TOOLS) })
        expect(asOracle(read)).toEqual(oracleToolCalls(text, TOOLS))
        seen.lines += text.split('\n').length
        seen.calls += read.calls.length
        seen.fenced += read.diagnostics.filter(({ code }) => code === 'fenced').length
      }),
      { numRuns: 3_000 },
    )
  }
  process.stdout.write(`${JSON.stringify(seen)}\n`)
  expect(Math.min(seen.calls, seen.fenced)).toBeGreaterThan(LINES / 100)
})

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
