import { describe, expect, it } from 'vitest'
import { canonicalJson, digestText } from '../digest/digest.ts'
import { type ChatMessage, filled, observable, type Part, slotsIn, writeMessage } from './message.ts'
import { callDigest, type ModelCall, observableCall } from './model-call.ts'
import { type Answered, assistantMessage, readAnswer } from './receipt.ts'

const text = (said: string): Part => ({ type: 'text', text: said })
const slot = (id: string): Part => ({ type: 'secret', id })
const user = (...content: Part[]): ChatMessage => ({ role: 'user', content })
const secrets = new Map([
  ['a', 'first value'],
  ['b', 'second value'],
])

describe('secret slots', () => {
  it('are one text with what stands before and after them', () => {
    const message = user(text('use '), slot('a'), text(' and '), slot('b'), text('.'))
    expect(observable(message)).toEqual(user(text('use [REDACTED:a] and [REDACTED:b].')))
    expect(filled(message, secrets)).toEqual(user(text('use first value and second value.')))
  })

  it('join no texts that do not touch them', () => {
    const message = user(text('x'), text('y'), slot('a'), text('z'), text('!'), slot('b'))
    expect(filled(message, secrets)).toEqual(user(text('x'), text('yfirst valuez'), text('!second value')))
  })

  it('are filled by structure alone: a marker that was typed, or came out of a secret, stays as it is', () => {
    const typed = user(text('[REDACTED:a]'), slot('a'))
    expect(filled(typed, new Map([['a', '[REDACTED:b]']]))).toEqual(user(text('[REDACTED:a][REDACTED:b]')))
    expect(slotsIn([user(text('[REDACTED:a]'))])).toEqual([])
  })

  it('are never sent without a value', () => expect(() => filled(user(slot('c')), secrets)).toThrow('secret c'))

  it('are listed once each', () => expect(slotsIn([user(slot('b'), slot('a')), user(slot('b'))])).toEqual(['b', 'a']))

  it('leave a message without them as it is', () => {
    const message = user(text('a'), text('b'))
    expect(observable(message)).toBe(message)
  })
})

describe('writeMessage', () => {
  it('has one spelling', () => {
    expect(writeMessage({ content: [{ text: 'é', type: 'text' }], role: 'user' })).toBe(
      '{"content":[{"text":"é","type":"text"}],"role":"user"}',
    )
  })
})

describe('callDigest', () => {
  const call: ModelCall = { provider: 'p', model: 'm', messages: [user(slot('a'))], tools: [], parameters: { temperature: 0 } }

  it('names the observable form: messages, tools and parameters as canonical JSON', () => {
    const spelled =
      '{"messages":[{"content":[{"text":"[REDACTED:a]","type":"text"}],"role":"user"}],"model":"m","parameters":{"temperature":0},"provider":"p","tools":[]}'
    expect(canonicalJson(observableCall(call))).toBe(spelled)
    expect(callDigest(call)).toBe(digestText(spelled))
  })

  it('is another when anything is', () => {
    const others: ModelCall[] = [
      { ...call, model: 'n' },
      { ...call, toolChoice: 'none' },
      { ...call, parameters: {} },
      { ...call, messages: [user(slot('b'))] },
      { ...call, tools: [{ name: 'f', description: '', inputSchema: {} }] },
    ]
    expect(new Set([call, ...others].map(callDigest)).size).toBe(6)
  })
})

describe('receipts', () => {
  const answer: Answered = {
    status: 'ok',
    text: 'hi',
    reasoning: [{ type: 'reasoning', text: 'hm' }],
    toolCalls: [{ callId: 'c', toolName: 'f', arguments: null, providerCallId: 'x', echo: { p: { s: 1 } } }],
    finishReason: { reason: 'tool-calls' },
    usage: null,
    warnings: [],
    providerId: 'p',
  }

  it('become what the transcript keeps', () => {
    expect(assistantMessage(answer)).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'hi' },
        { type: 'tool_call', callId: 'c', toolName: 'f', arguments: null, echo: { p: { s: 1 } } },
      ],
    })
    const { text: _, reasoning: __, ...silent } = answer
    expect(assistantMessage({ ...silent, toolCalls: [] })).toBeNull()
    expect(assistantMessage({ ...answer, text: ' \n', toolCalls: [] })).toBeNull()
    expect(assistantMessage({ ...answer, text: ' \n' })?.content).toHaveLength(3)
  })

  it('read back as they were', () => expect(readAnswer(JSON.parse(JSON.stringify(answer)))).toEqual(answer))

  const BROKEN: readonly object[] = [
    { status: 'error' },
    { text: 1 },
    { toolCalls: [{ callId: 'c' }] },
    { toolCalls: {} },
    { warnings: [1] },
    { reasoning: [{}] },
    { finishReason: { reason: 'tired' } },
    { usage: { prompt: '1', completion: 1 } },
    { providerId: 1 },
  ]
  it.each(BROKEN)('are refused with %j', change => expect(readAnswer(JSON.parse(JSON.stringify({ ...answer, ...change })))).toBeNull())
})
