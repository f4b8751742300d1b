// Any failure of a provider, a network or content ends a call in a receipt that says whether a retry may help.
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import type { ChatMessage, Part } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions } from '../../ports.ts'
import { events, type LoopbackChat, loopbackChat, type Wire } from '../../testing/models/loopback-chat.ts'
import { aiSdkChat } from './ai-sdk-chat.ts'
import { failureOf } from './failure.ts'

const WIRES: readonly [string, Wire, string, string][] = [
  ['openai', 'openai', 'OPENAI_BASE_URL', 'OPENAI_API_KEY'],
  ['anthropic', 'anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
  ['google', 'google', 'GOOGLE_BASE_URL', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['openai-compatible', 'openai', 'OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
]
const ALL = WIRES.flatMap(([name]) => [[name, false] as const, [name, true] as const])

let server: LoopbackChat | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.close()
  server = undefined
})

async function serving(provider: string, act: (response: ServerResponse, wire: Wire) => void): Promise<void> {
  const [, wire, address, key] = WIRES.find(([name]) => name === provider)!
  server = await loopbackChat(wire, response => {
    act(response, wire)
    return undefined
  })
  vi.stubEnv(address, server.url)
  vi.stubEnv(key, 'key-of-the-provider')
}

const asking = (provider: string, ...content: Part[]): ModelCall => ({
  ...{ provider, model: 'tiny', tools: [], parameters: {} },
  messages: [{ role: 'user', content: content.length === 0 ? [{ type: 'text', text: 'hello' }] : content }],
})
const options = (streamed: boolean, change: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  secrets: { get: async id => ({ phrase: 'correct horse', pin: '123', empty: '' })[id] ?? null },
  object: async digest => {
    throw new Fault('object_missing', { digest })
  },
  ...(streamed ? { onDelta: () => {} } : {}),
  ...change,
})
const saying =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
const errorBody = (message: string) => JSON.stringify({ type: 'error', error: { message, type: 'x', code: 1, status: 'X' } })

describe.each(ALL)('aiSdkChat with %s (streamed: %s), when the provider', (provider, streamed) => {
  it.each([
    [400, 'provider_terminal'],
    [401, 'provider_terminal'],
    [404, 'provider_terminal'],
    [429, 'provider_retryable'],
    [500, 'provider_retryable'],
    [503, 'provider_retryable'],
  ])('answers %i, it is %s, after one request', async (status, code) => {
    await serving(provider, saying(status, errorBody('no, said key-of-the-provider to correct horse')))
    const receipt = await aiSdkChat().call(asking(provider, { type: 'secret', id: 'phrase' }), options(streamed))
    expect(receipt).toMatchObject({ status: 'error', code })
    expect(server!.heard).toHaveLength(1)
    expect(JSON.stringify(receipt)).toContain('no, said [REDACTED] to [REDACTED:phrase]')
    expect(JSON.stringify(receipt)).not.toMatch(/key-of-the-provider|correct horse/)
  })

  it('says when to come back, the receipt says so too', async () => {
    await serving(provider, saying(429, errorBody('slow'), { 'retry-after': '7' }))
    expect(await aiSdkChat().call(asking(provider), options(streamed))).toMatchObject({ code: 'provider_retryable', retryAfterMs: 7000 })
  })

  it('answers with something else than JSON, it is our failure to read it', async () => {
    await serving(provider, saying(200, '<html>welcome</html>'))
    const receipt = await aiSdkChat().call(asking(provider), options(false))
    expect(receipt).toMatchObject({ status: 'error', code: 'adapter_error' })
  })

  it('redirects, it is not followed: key and secrets stay where they were meant for', async () => {
    const elsewhere = await loopbackChat('openai', () => ({ pieces: ['caught'] }))
    await serving(provider, saying(307, '', { location: elsewhere.url }))
    expect(await aiSdkChat().call(asking(provider), options(streamed))).toMatchObject({ status: 'error', code: 'provider_terminal' })
    expect(elsewhere.heard).toEqual([])
    await elsewhere.close()
  })

  it('hangs up, it may be tried again', async () => {
    await serving(provider, response => response.destroy())
    expect(await aiSdkChat().call(asking(provider), options(streamed))).toMatchObject({ status: 'error', code: 'provider_retryable' })
  })

  it('does not answer in time, it is a timeout', async () => {
    await serving(provider, () => {})
    const receipt = await aiSdkChat().call(asking(provider), options(streamed, { signal: AbortSignal.timeout(100) }))
    expect(receipt).toMatchObject({ status: 'timeout', code: 'adapter_timeout' })
  })

  it('is not waited for any more, the call is cancelled', async () => {
    const stop = new AbortController()
    await serving(provider, () => stop.abort())
    const receipt = await aiSdkChat().call(asking(provider), options(streamed, { signal: stop.signal }))
    expect(receipt).toMatchObject({ status: 'cancelled', code: 'call_cancelled' })
  })
})

describe.each(WIRES)('aiSdkChat with a stream of %s', (provider, wire) => {
  const whole = events(wire, { pieces: ['one ', 'two ', 'three'] })
  const start = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

  it('may be tried again when the connection breaks in the middle', async () => {
    await serving(provider, response => {
      start(response).write(whole.slice(0, whole.indexOf('three')), () => setTimeout(() => response.destroy(), 20))
    })
    const texts: string[] = []
    const receipt = await aiSdkChat().call(asking(provider), options(true, { onDelta: ({ text }) => texts.push(text) }))
    expect(receipt).toMatchObject({ status: 'error', code: 'provider_retryable' })
    expect(texts.join('')).toBe('one two ')
  })

  it('takes a stream for cut that ends in good order but too early', async () => {
    const last = whole.indexOf('three')
    await serving(provider, response => start(response).end(whole.slice(0, whole.lastIndexOf('\n\n', last) + 2)))
    expect(await aiSdkChat().call(asking(provider), options(true))).toMatchObject({ status: 'error', code: 'provider_retryable' })
  })

  it('cannot read garbage in the middle, and does not quote it', async () => {
    await serving(provider, response => start(response).end(whole.replace('"three"', '"three"]]')))
    const receipt = await aiSdkChat().call(asking(provider), options(true))
    expect(receipt).toMatchObject({ status: 'error', code: 'adapter_error' })
    expect(JSON.stringify(receipt)).not.toContain('three')
  })

  it('stops in the middle when it is told to, and shows nothing more', async () => {
    const stop = new AbortController()
    await serving(provider, response => start(response).write(whole.slice(0, whole.indexOf('\n\n', whole.indexOf('one ')) + 2)))
    const texts: string[] = []
    const onDelta: CallOptions['onDelta'] = ({ text }) => {
      texts.push(text)
      stop.abort()
    }
    const receipt = await aiSdkChat().call(asking(provider), options(true, { onDelta, signal: stop.signal }))
    expect(receipt).toMatchObject({ status: 'cancelled', code: 'call_cancelled' })
    expect(texts).toEqual(['one '])
  })
})

describe('failureOf', () => {
  const now = () => Date.parse('2026-01-01T00:00:00Z')
  it.each([
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' }, 2000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads when to come back from %j', (responseHeaders, retryAfterMs) => {
    const error = Object.assign(new Error('slow'), { name: 'AI_APICallError', isRetryable: true, statusCode: 429, responseHeaders })
    const { retryAfterMs: found } = failureOf(error, new AbortController().signal, now)
    expect(found).toEqual(retryAfterMs)
  })
})

describe('aiSdkChat, when an error comes inside a stream', () => {
  it.each([
    ['openai', '{"error":{"message":"overloaded","type":"server_error","code":null,"param":null}}', 'provider_retryable'],
    ['openai', '{"error":{"message":"bad","type":"invalid_request_error","code":null,"param":null}}', 'provider_terminal'],
    ['openai-compatible', '{"error":{"message":"overloaded","type":"server_error"}}', 'provider_retryable'],
    ['anthropic', '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'provider_retryable'],
    ['anthropic', '{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}', 'provider_terminal'],
  ])('of %s: %s, it is judged as any other', async (provider, error, code) => {
    await serving(provider, (response, wire) => {
      const first = events(wire, { pieces: ['one '] })
        .split('\n\n')
        .slice(0, wire === 'anthropic' ? 3 : 1)
      const last = `${wire === 'anthropic' ? 'event: error\n' : ''}data: ${error}`
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...first, last, ''].join('\n\n'))
    })
    expect(await aiSdkChat().call(asking(provider), options(true))).toMatchObject({ status: 'error', code })
  })
})

it('ends the call when the one who listens throws', async () => {
  await serving('openai', (response, wire) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events(wire, { pieces: ['one '] }))
  })
  const onDelta = () => {
    throw new Error('my own mistake')
  }
  const receipt = await aiSdkChat().call(asking('openai'), options(true, { onDelta }))
  expect(receipt).toMatchObject({ status: 'error', code: 'adapter_error', message: expect.stringContaining('my own mistake') })
})

describe('aiSdkChat sends nothing, and says why, when', () => {
  const failing = async (call: ModelCall, change: Partial<CallOptions> = {}) => {
    await serving('openai', saying(200, '{}'))
    const receipt = await aiSdkChat().call(call, options(false, change))
    expect(server!.heard).toEqual([])
    return receipt
  }

  it('there is no such provider', async () => {
    expect(await failing(asking('nobody'))).toMatchObject({ status: 'error', code: 'model_unknown' })
    expect(await failing(asking('__proto__'))).toMatchObject({ code: 'model_unknown' })
    expect(await failing({ ...asking('openai'), model: '' })).toMatchObject({ code: 'model_unknown' })
  })

  it('there is no such provider, with those that others answer for', async () => {
    expect(await aiSdkChat({}, ['scribe']).call(asking('scrib'), options(false))).toMatchObject({
      code: 'model_unknown',
      message: expect.stringMatching(/with one of these providers: .*openai.*, scribe\.$/),
    })
  })

  it('there is no key', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', undefined)
    const message = 'There is no key for anthropic. Set ANTHROPIC_API_KEY.'
    expect(await failing(asking('anthropic'))).toEqual({ status: 'error', code: 'model_key_missing', message })
  })

  it('there is no address for a server of one’s own', async () => {
    vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', undefined)
    expect(await failing(asking('openai-compatible'))).toMatchObject({ code: 'model_address_missing' })
  })

  it('there is no message', async () =>
    expect(await failing({ ...asking('openai'), messages: [] })).toMatchObject({ code: 'messages_empty' }))

  it.each([
    ['other', 'secret_missing'],
    ['empty', 'secret_missing'],
    ['pin', 'secret_short'],
  ])('the secret %s cannot be used', async (id, code) => {
    const receipt = await failing(asking('openai', { type: 'secret', id }))
    expect(receipt).toMatchObject({ status: 'error', code })
    expect(JSON.stringify(receipt)).not.toContain('123')
  })

  it('an image is not there, or is none', async () => {
    const digest = `sha256:${'0'.repeat(64)}` as Digest
    expect(await failing(asking('openai', { type: 'image', digest }))).toMatchObject({ code: 'object_missing' })
    const object = async () => Buffer.from('<svg/>')
    expect(await failing(asking('openai', { type: 'image', digest }), { object })).toMatchObject({ code: 'image_unusable' })
    const system: ChatMessage = { role: 'system', content: [{ type: 'image', data: 'iVBORw0KGgo=' }] }
    expect(await failing({ ...asking('openai'), messages: [system] })).toMatchObject({ code: 'image_unusable' })
  })

  it('the provider has no place for a message', async () => {
    await serving('google', saying(200, '{}'))
    const say = (role: ChatMessage['role']): ChatMessage => ({ role, content: [{ type: 'text', text: 'x' }] })
    const receipt = await aiSdkChat().call({ ...asking('google'), messages: [say('user'), say('system')] }, options(false))
    expect(receipt).toMatchObject({ status: 'error', code: 'adapter_error', message: expect.stringContaining('system messages') })
    expect(server!.heard).toEqual([])
  })

  it('a result answers no call', async () => {
    const messages: ChatMessage[] = [{ role: 'tool', content: [{ type: 'tool_result', callId: 'c9', output: 1 }] }]
    expect(await failing({ ...asking('openai'), messages })).toMatchObject({
      code: 'tool_call_missing',
      message: expect.stringContaining('c9'),
    })
  })

  it('it was told to stop before', async () => {
    expect(await failing(asking('openai'), { signal: AbortSignal.abort() })).toMatchObject({ status: 'cancelled' })
  })

  it('the body cannot be sealed', async () => {
    const seal = async () => {
      throw new Fault('key_exposed', { path: 'keys/seal.json' })
    }
    expect(await failing(asking('openai'), { seal })).toMatchObject({ status: 'error', code: 'key_exposed' })
  })
})
