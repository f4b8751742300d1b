// A million lines of replies, each read as the slow oracle reads it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
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
      { numRuns: 10_000 },
    )
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(seen), null, 2)}\n`)
  for (const code of ['call', ...DIAGNOSTIC_CODES]) expect(seen.get(code) ?? 0, code).toBeGreaterThan(LINES / 4000)
})
