// The tool_call protocol: the cases of the specification, the rows of its table, what holds for any text, and a slow oracle beside it.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyReply } from '../../testing/arbitraries/any-reply.ts'
import { asOracle, oracleToolCalls } from '../../testing/oracles/tool-call-oracle.ts'
import { classifyLines, readToolCalls, type ToolCallOptions, toolCallInOutput } from './read-tool-calls.ts'
import { DIAGNOSTIC_CODES, diagnosticText } from './tool-call-diagnostics.ts'

interface Case {
  readonly case: string
  readonly input: string
  readonly want: { readonly calls: number; readonly diag?: string; readonly idGenerated?: boolean }
}
const CASES: readonly Case[] = JSON.parse(readFileSync('spec/tool-calls/cases.json', 'utf8'))

const TOOLS = new Set(['command', 'read_file'])
const call = (id: string, cmd = 'ls') => `{"tool_call":{"id":"${id}","name":"command","args":{"cmd":"${cmd}"}}}`
const CALL = call('t')
/** The ids of calls, then `code@line`. */
const seen = (text: string, options: ToolCallOptions = {}) => {
  const { calls, diagnostics } = readToolCalls(text, { tools: TOOLS, ...options })
  return [...calls.map(({ id }) => id), ...diagnostics.map(({ code, line }) => `${code}@${line}`)].join(' ')
}

describe('spec/tool-calls/cases.json', () => {
  it.each(CASES)('$case', ({ input, want }) => {
    const { calls, diagnostics, message } = readToolCalls(input)
    expect(calls.length).toBe(want.calls)
    expect(diagnostics.map(({ code }) => code)).toEqual(want.diag === undefined ? [] : [want.diag])
    expect(calls.some(({ idGenerated }) => idGenerated === true)).toBe(want.idGenerated === true)
    if (calls.length === 0) expect(message).toBe(input)
  })
})

describe('a line', () => {
  it.each([
    ['is a call with blanks around it', `    ${CALL}  `, 't'],
    ['is a call behind a byte order mark, before a carriage return', `\ufeff${CALL}\r\n${call('u')}\r`, 't u'],
    ['in camel case is refused', '{"toolCall":{"id":"t","name":"command","args":{}}}', 'camel-wrapper@1'],
    ['in both cases is a call with an extra key', '{"toolCall":0,"tool_call":{"id":"t","name":"command","args":{}}}', 't extra-key@1'],
    ['may carry keys that mean nothing', '{"tool_call":{"id":"t","name":"command","args":{},"why":1},"x":1}', 't extra-key@1'],
    [
      'is told of all it said too much',
      '{"tool_call":{"id":"t","name":"command","args":{},"params":1,"why":1}}',
      't ignored-params@1 extra-key@1',
    ],
    ['needs args, whatever params are', '{"tool_call":{"name":"command","params":null}}', 'use-args@1'],
    ['with wrong args is not saved by params', '{"tool_call":{"name":"command","args":[],"params":{}}}', 'bad-args@1'],
    ['needs a name', '{"tool_call":{"tool":"command","args":{}}}', 'bad-wrapper@1'],
    ['needs a name that says something', '{"tool_call":{"name":" ","args":{}}}', 'bad-wrapper@1'],
    ['may not be a list', '{"tool_call":[]}', 'bad-wrapper@1'],
    ['names a tool by its own key', '{"tool_call":{"__proto__":{"name":"command","args":{}}}}', 'bad-wrapper@1'],
    ['may not name a tool twice, in whatever spelling', '{"tool_call":{"name":"command","n\\u0061me":"x","args":{}}}', 'duplicate-key@1'],
    ['may not say anything twice, however deep', '{"tool_call":{"name":"command","args":{"a":[{"b":1,"b":1}]}}}', 'duplicate-key@1'],
    ['may not be the wrapper twice', '{"tool_call":{},"tool_call":{}}', 'duplicate-key@1'],
    ['may not hold half a character', '{"tool_call":{"name":"command","args":{"a":"\\ud800"}}}', 'bad-value@1'],
    ['may not hold a number beyond all', '{"tool_call":{"name":"command","args":{"a":1e999}}}', 'bad-value@1'],
    ['in a list is a near miss', `- ${CALL}`, 'near-miss@1'],
    ['in a quote is a near miss', `> ${CALL}`, 'near-miss@1'],
    ['of another shape is a near miss', '{"type":"tool_call","name":"command","args":{}}', 'near-miss@1'],
    ['in a tag is a near miss', '<tool_call>', 'near-miss@1'],
    ['with two calls, a carriage return between, is a near miss', `${CALL}\r${CALL}`, 'near-miss@1'],
    ['spread over lines is one near miss', JSON.stringify(JSON.parse(CALL), null, 2), 'near-miss@2'],
    ['that hides its key is text', '{"tool\\u005fcall":{"name":"command","args":{}}}', ''],
    [
      'that hides its key behind the wrong one is the wrong one',
      '{"tool\\u005fcall":{"name":"command","args":{}},"toolCall":{}}',
      'camel-wrapper@1',
    ],
    ['of code is text', 'const toolCall = { toolCall: 1 }', ''],
  ])('%s', (_, text, expected) => expect(seen(text)).toBe(expected))
})

describe('a fence', () => {
  it.each([
    ['of tildes', `~~~\n${CALL}\n~~~\n${CALL}`, 't fenced@2'],
    ['is not closed by the other mark', `~~~\n\`\`\`\n${CALL}\n~~~`, 'fenced@3'],
    ['is not closed by a shorter one', `\`\`\`\`\n\`\`\`\n${CALL}\n\`\`\`\``, 'fenced@3'],
    ['is closed by a longer one', `\`\`\`\n\`\`\`\`\n${CALL}`, 't'],
    ['is not closed by one with a word', `\`\`\`\n\`\`\`json\n${CALL}`, 'fenced@3'],
    ['is not closed by one that is indented as code', `\`\`\`\n    \`\`\`\n${CALL}`, 'fenced@3'],
    ['is not closed by one behind a tab', `\`\`\`\n\t\`\`\`\n${CALL}`, 'fenced@3'],
    ['in a list', `1. Do:\n\n    \`\`\`json\n    ${CALL}\n    \`\`\`\n${CALL}`, 't fenced@4'],
    ['that begins behind a mark of a list', `- \`\`\`json\n  ${CALL}\n  \`\`\`\n${CALL}`, 't fenced@2'],
    ['behind a byte order mark', `\ufeff\`\`\`\n${CALL}\n\`\`\``, 'fenced@2'],
    ['with carriage returns', `\`\`\`\r\n${CALL}\r\n\`\`\`\r\n${CALL}\r\n`, 't fenced@2'],
    ['is not code within a line', `\`\`\`a\`\`\`\n${CALL}`, 't'],
    ['of two marks is none', `\`\`\n${CALL}`, 't'],
    ['in a quote ends with it', `> \`\`\`\n${CALL}`, 't'],
    ['may hold code that speaks of it', '```\nconst tool_call = 1\n```', ''],
    ['holds a call that is spread over lines', '```\n{\n"tool_call": {\n}}\n```', 'fenced@3'],
    ['holds a call in camel case', '```\n{"toolCall":{}}\n```', 'fenced@2'],
    ['may be named after it', '```tool_call\n{"name":"command"}\n```', 'near-miss@1'],
  ])('%s', (_, text, expected) => expect(seen(text)).toBe(expected))
})

describe('ids', () => {
  const bare = '{"tool_call":{"name":"command","args":{}}}'
  it('that stand twice run once, and the second stays in the message', () => {
    expect(seen(`${call('t')}\n${call('u')}\n${call('t', 'rm')}`)).toBe('t u duplicate-id@3')
    expect(readToolCalls(`${call('t')}\n${call(' t ', 'rm')}`).message).toBe(call(' t ', 'rm'))
  })

  it('of native calls are taken', () => expect(seen(`${CALL}\n${call('u')}`, { taken: new Set(['t']) })).toBe('u duplicate-id@1'))

  it('of calls that were refused are free', () => expect(seen(`${CALL.replace('command', 'x')}\n${CALL}`)).toBe('t unknown-tool@1'))

  it('that are generated come from whoever asks, and are those of no other call', () => {
    expect(seen(`${bare}\nx\n${bare}`, { newId: line => `n${line}` })).toBe('n1 n3')
    expect(seen(`${bare}\n${call('n')}\n${bare}`, { newId: () => 'n', taken: new Set(['n-2']) })).toBe('n-3 n n-4')
    expect(readToolCalls(`${bare}\n${call('call-1')}`).calls.map(({ id }) => id)).toEqual(['call-1-2', 'call-1'])
  })

  it.each(['a\\nb', 'a\\u2028b', 'x'.repeat(129)])('that no log could show on a line are replaced: %j', id =>
    expect(readToolCalls(call(id)).calls).toEqual([{ id: 'call-1', name: 'command', args: { cmd: 'ls' }, line: 1, idGenerated: true }]),
  )
})

describe('the message', () => {
  it.each([
    ['is what is left, with its own line ends', `a\r\n${CALL}\r\nb\n`, 'a\r\nb'],
    ['is empty when all was calls', `\n${CALL}\n\n`, ''],
    ['keeps what was refused', `${CALL}\n{"tool_call":null}`, '{"tool_call":null}'],
    ['is the text itself without a call', ' a \n {"tool_call":null} \n', ' a \n {"tool_call":null} \n'],
  ])('%s', (_, text, expected) => expect(readToolCalls(text).message).toBe(expected))
})

describe('what a command printed', () => {
  it.each([
    ['a call', `x\n ${CALL}\r\n`, 2],
    ['a call in a fence: output has none', `\`\`\`\n${CALL}`, 2],
    ['a call that is wrong', '{"tool_call":{"name":"nope","params":{}}}', 1],
    ['a call in camel case', '\n\n{"toolCall":{}}', 3],
    ['a configuration', '{"name":"server","args":{"port":1}}', null],
    ['words about it', `grep: ${CALL}`, null],
    ['nothing', '', null],
  ])('%s', (_, output, line) => expect(toolCallInOutput(output)).toBe(line))
})

it.each(DIAGNOSTIC_CODES)('%s has a sentence, and a row in the documentation', code => {
  expect(diagnosticText(code)).toMatch(/^["A-Z].*\.$/)
  expect(readFileSync('spec/tool-calls/README.md', 'utf8')).toContain(`| \`${code}\` |`)
})

describe('any text', () => {
  const anyText = fc.oneof(anyReply, fc.string({ unit: 'binary' }))

  it('reads as the table has it', () => {
    fc.assert(
      fc.property(anyText, fc.subarray(['t', 'u']), (text, taken) => {
        const read = readToolCalls(text, { tools: TOOLS, taken: new Set(taken) })
        expect(asOracle(read)).toEqual(oracleToolCalls(text, [...TOOLS], taken))
        expect(new Set([...taken, ...read.calls.map(({ id }) => id)]).size).toBe(taken.length + read.calls.length)
      }),
      { numRuns: 400 },
    )
  })

  it('without the word comes back untouched', () => {
    fc.assert(
      fc.property(anyText, text => {
        const without = text.replaceAll('tool_call', 'tool-call')
        const { calls, message } = readToolCalls(without)
        expect([calls, message]).toEqual([[], without])
      }),
    )
  })

  it('is read line by line, each one once, and wherever it is cut outside of a fence', () => {
    fc.assert(
      fc.property(fc.array(anyReply), replies => {
        const lines = replies.join('\n').split('\n')
        const whole = classifyLines(lines, TOOLS)
        expect(whole.length).toBe(lines.length)
        for (let cut = 0; cut <= lines.length; cut++) {
          const parts = [lines.slice(0, cut), lines.slice(cut)]
          // A call put at the cut says whether a fence is open there.
          if (classifyLines([...parts[0]!, CALL], TOOLS).at(-1)!.kind !== 'tool') continue
          expect(parts.flatMap(part => classifyLines(part, TOOLS))).toEqual(whole)
        }
      }),
    )
  })

  it('is either run or shown', () => {
    fc.assert(
      fc.property(anyReply, text => {
        const { calls, message } = readToolCalls(text, { tools: TOOLS })
        const again = readToolCalls(message, { tools: TOOLS, taken: new Set(calls.map(({ id }) => id)) })
        const lines = (of: string) => of.split('\n').filter(line => line.trim() !== '').length
        expect(again.calls).toEqual([])
        expect(lines(message) + calls.length).toBe(lines(text))
      }),
    )
  })
})

describe('a megabyte of', () => {
  const MANY = 1_000_000
  const inArgs = (json: string) => `{"tool_call":{"id":"t","name":"command","args":{"x":${json}}}}`
  it.each([
    ['text in an argument', inArgs(`"${'x'.repeat(MANY)}"`), 't'],
    ['backslashes', inArgs(`"${'\\\\'.repeat(MANY / 2)}"`), 't'],
    ['numbers', inArgs(`[${'0,'.repeat(MANY / 2)}0]`), 't'],
    ['keys', inArgs(`[${'{"a":0},'.repeat(MANY / 8)}0]`), 't'],
    ['depth', inArgs(`${'['.repeat(MANY)}${']'.repeat(MANY)}`), 'bad-value@1'],
    ['depth that nothing closes', `{"tool_call":${'{"a":'.repeat(MANY / 5)}}`, 'near-miss@1'],
    ['depth behind a key that stands twice', inArgs(`${'['.repeat(MANY)}${']'.repeat(MANY)},"x":1`), 'duplicate-key@1'],
    ['braces', `{"tool_call"${'}'.repeat(MANY)}`, 'near-miss@1'],
    ['blanks', `${' '.repeat(MANY)}${CALL}${'\t'.repeat(MANY)}`, 't'],
    ['blanks before a fence', `${' '.repeat(MANY)}\`\`\`\n${CALL}`, 'fenced@2'],
    ['backticks', `${'`'.repeat(MANY)}\n${'`'.repeat(MANY - 1)}\n${CALL}`, 'fenced@3'],
    ['backticks and blanks', `${'` '.repeat(MANY / 2)}\n${CALL}`, 't'],
    ['marks of lists', `${'- '.repeat(MANY / 2)}\`\`\`\n${CALL}`, 'fenced@2'],
    ['digits', `${'1'.repeat(MANY)}. \`\`\`\n${CALL}`, 't'],
    ['empty lines', `${'\n'.repeat(MANY)}${CALL}`, 't'],
    ['fences', `${'```\n'.repeat(MANY / 4)}${CALL}`, 't'],
    ['an id', call('x'.repeat(MANY)), 'call-1'],
  ])('%s', (_, text, expected) => expect(seen(text)).toBe(expected))

  it('calls, all of one id, or of none', () => {
    const count = 20_000
    expect(readToolCalls(`${CALL}\n`.repeat(count)).diagnostics.length).toBe(count - 1)
    expect(new Set(readToolCalls('{"tool_call":{"name":"command","args":{}}}\n'.repeat(count)).calls.map(({ id }) => id)).size).toBe(count)
  })
})
