import { describe, expect, it } from 'vitest'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { CallOptions, Delta } from '../../ports.ts'
import { scriptedChat } from './scripted-chat.ts'

const call = (text = 'hello', before = 0): ModelCall => ({
  ...{ provider: 'scripted', model: 'm', tools: [], parameters: {} },
  messages: Array.from({ length: before + 1 }, () => ({ role: 'user', content: [{ type: 'text', text }] }) as const),
})
const options = (change: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  secrets: { get: async () => null },
  object: async () => new Uint8Array(),
  ...change,
})
const answered = { status: 'ok', toolCalls: [], finishReason: { reason: 'stop' }, usage: null, warnings: [], providerId: 'scripted' }

describe('scriptedChat', () => {
  it('gives its replies in order, and then fails', async () => {
    const model = scriptedChat('s.yaml', 'replies: [one, { text: two, usage: { prompt: 3, completion: 4 } }]')
    expect(await model.call(call(), options())).toEqual({ ...answered, text: 'one' })
    expect(await model.call(call(), options())).toEqual({ ...answered, text: 'two', usage: { prompt: 3, completion: 4, total: 7 } })
    expect(await model.call(call('and?'), options({ caller: { node: 'writer', step: 2 } }))).toEqual({
      status: 'error',
      code: 'model_reply_missing',
      message: 's.yaml has no reply to "and?" at node writer, step 2. No other model was called. Write a reply, or record one.',
    })
  })

  it('prefers what matches, as often as it may be said, to what is next in turn', async () => {
    const script = `replies:
  - in turn
  - { match: { node: writer, step: 1 }, text: to the writer, times: 1 }
  - { match: { node: writer }, text: to the writer again }
  - { match: { last: weather }, text: sunny }`
    const model = scriptedChat('s.yaml', script)
    const said = async (text: string, caller = {}) => model.call(call(text), options({ caller }))
    expect(await said('x', { node: 'writer', step: 1 })).toMatchObject({ text: 'to the writer' })
    expect(await said('x', { node: 'writer', step: 1 })).toMatchObject({ text: 'to the writer again' })
    expect(await said('x', { node: 'writer', step: 9 })).toMatchObject({ text: 'to the writer again' })
    expect(await said('how is the weather?')).toMatchObject({ text: 'sunny' })
    expect(await said('x')).toMatchObject({ text: 'in turn' })
    expect(await said('x')).toMatchObject({ code: 'model_reply_missing' })
  })

  it('calls tools as its script says, natively when it says nothing', () => {
    const calls = (text: string) => scriptedChat('s.yaml', text).calls?.('scripted')
    expect([calls('replies: [a]'), calls('calls: lines\nreplies: [a]'), calls('calls: own\nreplies: [a]')]).toEqual([
      'native',
      'lines',
      'own',
    ])
    expect(() => calls('replies: [a]\ncalls: aloud')).toThrow(/line 2, .*native, lines or own/)
  })

  it('matches what a tool gave back', async () => {
    const model = scriptedChat('s.yaml', 'replies: [{ match: { last: "42" }, text: seen }]')
    const result = { role: 'tool', content: [{ type: 'tool_result', callId: 'c', output: { answer: 42 } }] } as const
    expect(await model.call({ ...call(), messages: [result] }, options())).toMatchObject({ text: 'seen' })
  })

  it('calls tools, under ids that no other call of the conversation has', async () => {
    const model = scriptedChat(
      's.yaml',
      'replies: [{ match: {}, toolCalls: [{ toolName: find, arguments: { q: 1 } }, { toolName: stop, callId: mine }] }]',
    )
    const first = await model.call(call('a', 0), options())
    expect(first).toMatchObject({
      finishReason: { reason: 'tool-calls' },
      toolCalls: [
        { callId: 'call-1-1', toolName: 'find', arguments: { q: 1 } },
        { callId: 'mine', toolName: 'stop', arguments: {} },
      ],
    })
    expect(await model.call(call('a', 2), options())).toMatchObject({ toolCalls: [{ callId: 'call-3-1' }, {}] })
  })

  it('speaks in pieces, a tick between two', async () => {
    const happened: string[] = []
    const model = scriptedChat(
      's.json',
      JSON.stringify({ replies: [{ deltas: ['a', 'b', 'c'], reasoning: 'hm', ticks: 2 }] }),
      async () => {
        happened.push('tick')
      },
    )
    const onDelta = ({ kind, text }: Delta) => happened.push(`${kind} ${text}`)
    expect(await model.call(call(), options({ onDelta }))).toMatchObject({ text: 'abc', reasoning: [{ text: 'hm' }] })
    expect(happened).toEqual(['tick', 'tick', 'reasoning hm', 'text a', 'tick', 'text b', 'tick', 'text c'])
  })

  it('fails as it is told to, and goes on after that', async () => {
    const model = scriptedChat('s.yaml', 'replies: [{ fail: { code: provider_retryable, message: busy, retryAfterMs: 5 } }, fine]')
    const message = 'The provider could not answer: busy. Trying again may help.'
    expect(await model.call(call(), options())).toEqual({ status: 'error', code: 'provider_retryable', message, retryAfterMs: 5 })
    expect(await model.call(call(), options())).toMatchObject({ text: 'fine' })
  })

  it('stops at the tick at which it is told to', async () => {
    const stop = new AbortController()
    let ticks = 0
    const tick = async () => {
      ticks += 1
      if (ticks === 3) stop.abort()
    }
    const model = scriptedChat('s.yaml', 'replies: [{ text: late, ticks: 1000 }]', tick)
    expect(await model.call(call(), options({ signal: stop.signal }))).toMatchObject({ status: 'cancelled', code: 'call_cancelled' })
    expect(ticks).toBe(3)
  })

  it('says nothing to nothing', async () => {
    const model = scriptedChat('s.yaml', 'replies: [hi]')
    expect(await model.call({ ...call(), messages: [] }, options())).toMatchObject({ code: 'messages_empty' })
  })

  it.each([
    ['replies: {}', 'line 1, column 10: it must have "replies": a list of what the model says'],
    ['replies:\n  - 7', 'line 2, column 5: a reply is a text, or an object'],
    ['replies:\n  - txt: a', 'line 2, column 10: a reply has no "txt": there is'],
    ['replies:\n  - ticks: 1', 'line 2, column 5: a reply needs text, deltas, toolCalls or fail'],
    ['replies:\n  - text: a\n    deltas: [b]', 'line 3, column 13: together they must be the text'],
    ['replies:\n  - text: a\n    times: 2', 'line 3, column 12: a reply without "match" is given once, in its turn'],
    ['replies:\n  - { text: a, match: { nod: b } }', 'line 2, column 23: it must be an object with node, step or last'],
    ['replies:\n  - toolCalls: [{}]', 'line 2, column 17: a tool call needs a toolName'],
    ['replies:\n  - fail: { code: busy }', 'line 2, column 11: it needs a code: provider_retryable or provider_terminal'],
    ['replies:\n  - { text: a, usage: 1 }', 'line 2, column 23: it must have prompt and completion'],
    ['replies:\n  - { text: a, ticks: -1 }', 'line 2, column 23: it must be a whole number from 0'],
    ['replies: [', 'line 1, column 11: '],
  ])('refuses the script %j, and says where', (text, problem) => {
    expect(() => scriptedChat('s.yaml', text)).toThrow(
      expect.objectContaining({ code: 'script_invalid', message: expect.stringContaining(`s.yaml: ${problem}`) }),
    )
  })
})
