// Tests the calls of a reply, native and by line: one ordered list, with the problems of lines that were meant as calls
// but are malformed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyReply } from '../../testing/arbitraries/any-reply.ts'
import type { Part } from '../messages/message.ts'
import { type Asked, askedIn } from './asked-calls.ts'

const TOOLS = new Set(['command', 'read_file'])
const line = (id: string, name = 'command') => `{"tool_call":{"id":"${id}","name":"${name}","args":{}}}`
const text = (said: string): Part => ({ type: 'text', text: said })
const native = (callId: string): Part => ({ type: 'tool_call', callId, toolName: 'command', arguments: {} })
/** Each call as `id name`, with the code of what is wrong with it. */
const seen = ({ calls }: Asked) =>
  calls.map(({ callId, toolName, problem }) =>
    [callId, toolName, ...(problem === null ? [] : [`${problem.code}@${problem.line}`])].join(' '),
  )

describe('what a reply asks for', () => {
  it.each<[string, readonly Part[], readonly string[]]>([
    ['is nothing where lines are not calls', [text(line('a'))], []],
    ['is its native calls', [text(line('a')), native('n')], ['n command']],
  ])('natively %s', (_, content, expected) => {
    expect([seen(askedIn(content, null)), askedIn(content, null).text]).toEqual([expected, line('a')])
  })

  it.each<[string, readonly Part[], readonly string[]]>([
    [
      'has native calls first, then lines',
      [text(`Now.\n${line('a')}\n${line('b', 'read_file')}`), native('n')],
      ['n command', 'a command', 'b read_file'],
    ],
    [
      'has lines that are wrong in their place',
      [text(`${line('a', 'rm')}\n${line('b')}\n{"tool_call":5}`)],
      ['a rm unknown-tool@1', 'b command', 'line-3 ? bad-wrapper@3'],
    ],
    [
      'has the second of one id as wrong',
      [text(`${line('a')}\n${line('a', 'read_file')}`)],
      ['a command', 'line-2 read_file duplicate-id@2'],
    ],
    ['has an id of a native call as wrong', [text(line('n')), native('n')], ['n command', 'line-1 command duplicate-id@1']],
    [
      'has no id twice, whatever they are called',
      [text(`${line('line-2')}\n{"tool_call":1}`)],
      ['line-2 command', 'line-2-2 ? bad-wrapper@2'],
    ],
    ['keeps the id of a call that is wrong', [text('{"tool_call":{"id":"x","name":"command","params":{}}}')], ['x command use-args@1']],
    ['is nothing for lines in a fence alone', [text(`\`\`\`\n${line('a')}\n\`\`\``)], []],
    ['is nothing for near misses alone', [text(`- ${line('a')}`)], []],
  ])('by line %s', (_, content, expected) => expect(seen(askedIn(content, TOOLS))).toEqual(expected))

  it('tells what was ignored with the call, and near misses with the last', () => {
    const { calls, asides } = askedIn(
      [text(`{"tool_call":{"id":"a","name":"command","args":{},"why":1}}\n${line('b')}\n- ${line('c')}`)],
      TOOLS,
    )
    expect(calls.map(({ notes }) => notes)).toEqual([
      ['Line 1, extra-key: The call has keys that mean nothing here; they were ignored.'],
      [expect.stringMatching(/^Line 3, near-miss: /)],
    ])
    expect(asides).toEqual(calls[1]!.notes)
  })

  it('tells at most twenty things, wrong calls first, and counts the rest', () => {
    const reply = [...Array(15).fill(`- ${line('x')}`), ...Array(10).fill('{"tool_call":1}')].join('\n')
    const { calls } = askedIn([text(reply)], TOOLS)
    expect(calls.length).toBe(10)
    expect(calls.at(-1)!.notes).toHaveLength(11)
    expect(calls.at(-1)!.notes.at(-1)).toBe('And 5 more remarks like these.')
  })

  it('shows what is no call: the text beside them, with every line that was not run', () => {
    const wrong = '{"tool_call":{"name":"command","params":{}}}'
    expect(askedIn([text(`One.\n${line('a')}\n${wrong}\nTwo.`)], TOOLS).text).toBe(`One.\n${wrong}\nTwo.`)
  })

  it('has no two calls of one id, and a call for whatever is run', () => {
    fc.assert(
      fc.property(anyReply, fc.uniqueArray(fc.constantFrom('t', 'u', 'call-1', 'line-2')), (said, taken) => {
        const { calls } = askedIn([text(said), ...taken.map(native)], TOOLS)
        expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length)
        expect(calls.slice(0, taken.length).map(({ callId }) => callId)).toEqual(taken)
        expect(calls.filter(({ problem }) => problem !== null).length).toBeLessThanOrEqual(20)
        for (const { problem, toolName } of calls) if (problem === null) expect(TOOLS.has(toolName)).toBe(true)
      }),
    )
  })
})
