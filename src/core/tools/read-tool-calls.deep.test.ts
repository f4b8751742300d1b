// Many lines, each read as the slow oracle reads it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyReply } from '../../testing/arbitraries/any-reply.ts'
import { asOracle, oracleToolCalls } from '../../testing/oracles/tool-call-oracle.ts'
import { readToolCalls } from './read-tool-calls.ts'
import { DIAGNOSTIC_CODES } from './tool-call-diagnostics.ts'

const LINES = 200_000
const TOOLS = ['command', 'read_file']

it('hundreds of thousands of lines are read as the table has it, and among them is everything that can be wrong', {
  timeout: 600_000,
}, () => {
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

/** Random sequences of the tokens that calls and fences consist of. */
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

it('hundreds of thousands of lines of pieces are read as the table has it', { timeout: 600_000 }, () => {
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
