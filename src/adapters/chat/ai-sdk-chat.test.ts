// Requests to each provider, byte for byte, and their answers. The servers are real HTTP servers; no code of this project is mocked.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import type { ChatMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, Delta } from '../../ports.ts'
import { type LoopbackChat, loopbackChat, type Said, type Wire } from '../../testing/models/loopback-chat.ts'
import { fileKeyring } from '../keys/file-keyring.ts'
import { aiSdkChat } from './ai-sdk-chat.ts'

const SECRET = 'correct horse'
const PROVIDERS: readonly [string, Wire, string, string, string][] = [
  ['openai', 'openai', 'OPENAI_BASE_URL', 'OPENAI_API_KEY', 'authorization'],
  ['anthropic', 'anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'x-api-key'],
  ['google', 'google', 'GOOGLE_BASE_URL', 'GOOGLE_GENERATIVE_AI_API_KEY', 'x-goog-api-key'],
  ['openai-compatible', 'openai', 'OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY', 'authorization'],
]

let server: LoopbackChat
afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.close()
})

async function serving(provider: string, said: Said): Promise<void> {
  const [, wire, address, key] = PROVIDERS.find(([name]) => name === provider)!
  server = await loopbackChat(wire, () => said)
  vi.stubEnv(address, server.url)
  vi.stubEnv(key, 'key-of-the-provider')
}

const user: ChatMessage = { role: 'user', content: [{ type: 'text', text: 'hello' }] }
const plain = (provider: string, change: Partial<ModelCall> = {}): ModelCall => ({
  ...{ provider, model: 'tiny', messages: [user], tools: [], parameters: {} },
  ...change,
})
const options = (change: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  secrets: { get: async id => (id === 'phrase' ? SECRET : null) },
  object: async digest => {
    throw new Fault('object_missing', { digest })
  },
  ...change,
})

const joined = (deltas: readonly Delta[]): string => deltas.map(({ text }) => text).join('')

const DIGEST = `sha256:${'0'.repeat(64)}` as Digest
const PNG = Buffer.from('iVBORw0KGgo=', 'base64')
/** Everything at once: a slot, images of each kind, a call with its result, tools, a choice, all parameters. */
const rich = (provider: string): ModelCall => ({
  provider,
  model: 'tiny',
  messages: [
    {
      role: 'system',
      content: [
        { type: 'text', text: 'Say ' },
        { type: 'secret', id: 'phrase' },
        { type: 'text', text: '.' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[REDACTED:phrase]' },
        { type: 'image', digest: DIGEST },
        { type: 'image', url: 'https://a.example/b.png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'ok' },
        { type: 'tool_call', callId: 'c0', toolName: 'find', arguments: { q: 1 } },
      ],
    },
    { role: 'tool', content: [{ type: 'tool_result', callId: 'c0', output: { hits: 2 } }] },
  ],
  tools: [{ name: 'find', description: 'finds', inputSchema: { type: 'object', properties: { q: { type: 'number' } } } }],
  toolChoice: { tool: 'find' },
  parameters: {
    ...{ temperature: 0, topP: 0.5, maxTokens: 9, reasoningEffort: 'low', stopSequences: ['END'] },
    ...{ responseFormat: { type: 'json', schema: { type: 'object', properties: { a: { type: 'string' } } } }, metadata: { user_id: 'u1' } },
  },
})

const FIND = '"parameters":{"type":"object","properties":{"q":{"type":"number"}}}'
const SCHEMA = '{"type":"object","properties":{"a":{"type":"string"}}}'
const openAiRich =
  '{"model":"tiny","max_tokens":9,"temperature":0,"top_p":0.5,' +
  `"response_format":{"type":"json_schema","json_schema":{"schema":${SCHEMA},"strict":true,"name":"response"}},"stop":["END"],` +
  '"metadata":{"user_id":"u1"},"reasoning_effort":"low",' +
  '"messages":[{"role":"system","content":"Say correct horse."},{"role":"user","content":[{"type":"text","text":"[REDACTED:phrase]"},' +
  '{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"image_url","image_url":{"url":"https://a.example/b.png"}}]},' +
  '{"role":"assistant","content":"ok","tool_calls":[{"id":"c0","type":"function","function":{"name":"find","arguments":"{\\"q\\":1}"}}]},' +
  '{"role":"tool","tool_call_id":"c0","content":"{\\"hits\\":2}"}],' +
  `"tools":[{"type":"function","function":{"name":"find","description":"finds",${FIND}}}],` +
  '"tool_choice":{"type":"function","function":{"name":"find"}}'
/** Each body without its end, which alone depends on streaming. The SDK adds what Anthropic and OpenAI demand of a schema, and its name. */
const RICH: Readonly<Record<string, string>> = {
  openai: openAiRich,
  'openai-compatible': openAiRich,
  anthropic:
    '{"model":"tiny","max_tokens":9,"temperature":0,"top_p":0.5,"stop_sequences":["END"],' +
    `"output_config":{"effort":"low","format":{"type":"json_schema","schema":${SCHEMA.slice(0, -1)},"additionalProperties":false}}},"metadata":{"user_id":"u1"},` +
    '"system":[{"type":"text","text":"Say correct horse."}],"messages":[{"role":"user","content":[{"type":"text","text":"[REDACTED:phrase]"},' +
    '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"image","source":{"type":"url","url":"https://a.example/b.png"}}]},' +
    '{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"c0","name":"find","input":{"q":1}}]},' +
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","content":"{\\"hits\\":2}"}]}],' +
    '"tools":[{"name":"find","description":"finds","input_schema":{"type":"object","properties":{"q":{"type":"number"}}}}],' +
    '"tool_choice":{"type":"tool","name":"find"}',
  google:
    '{"generationConfig":{"maxOutputTokens":9,"temperature":0,"topP":0.5,"stopSequences":["END"],"responseMimeType":"application/json",' +
    `"responseSchema":${SCHEMA},"thinkingConfig":{"thinkingLevel":"low"}},` +
    '"contents":[{"role":"user","parts":[{"text":"[REDACTED:phrase]"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},' +
    '{"fileData":{"mimeType":"image/jpeg","fileUri":"https://a.example/b.png"}}]},{"role":"model","parts":[{"text":"ok"},{"functionCall":{"id":"c0","name":"find","args":{"q":1}}}]},' +
    '{"role":"user","parts":[{"functionResponse":{"id":"c0","name":"find","response":{"name":"find","content":{"hits":2}}}}]}],' +
    '"systemInstruction":{"parts":[{"text":"Say correct horse."}]},' +
    `"tools":[{"functionDeclarations":[{"name":"find","description":"finds",${FIND}}]}],` +
    '"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["find"]}}',
}
const STREAMS: Readonly<Record<string, string>> = {
  openai: ',"stream":true,"stream_options":{"include_usage":true}}',
  'openai-compatible': ',"stream":true,"stream_options":{"include_usage":true}}',
  anthropic: ',"stream":true}',
  google: '}',
}
/** Anthropic's API demands a limit, so the SDK sends the largest that the model has. */
const BARE: Readonly<Record<string, string>> = {
  openai: '{"model":"tiny","messages":[{"role":"user","content":"hello"}]',
  'openai-compatible': '{"model":"tiny","messages":[{"role":"user","content":"hello"}]',
  anthropic: '{"model":"tiny","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]',
  google: '{"generationConfig":{},"contents":[{"role":"user","parts":[{"text":"hello"}]}]',
}

describe.each(PROVIDERS)('aiSdkChat with %s', (provider, _, __, ___, header) => {
  it.each([false, true])('sends exactly what is set (streamed: %s)', async streamed => {
    await serving(provider, { pieces: ['{}'] })
    const object = async () => PNG
    await aiSdkChat().call(rich(provider), options({ object, ...(streamed ? { onDelta: () => {} } : {}) }))
    expect(server.heard.map(({ body }) => body)).toEqual([RICH[provider] + (streamed ? STREAMS[provider]! : '}')])
    expect(server.heard[0]!.headers[header]).toContain('key-of-the-provider')
  })

  it.each([false, true])('sends nothing that is unset (streamed: %s)', async streamed => {
    await serving(provider, { pieces: ['hi'] })
    await aiSdkChat().call(plain(provider), options(streamed ? { onDelta: () => {} } : {}))
    expect(server.heard.map(({ body }) => body)).toEqual([BARE[provider] + (streamed ? STREAMS[provider]! : '}')])
  })

  it('answers the same at once and in pieces: text, calls, why it ended, what it cost', async () => {
    await serving(provider, { pieces: ['let me ', 'look'], toolCalls: [{ id: 'c1', name: 'find', arguments: '{"q":2}' }] })
    const deltas: Delta[] = []
    const whole = await aiSdkChat().call(plain(provider), options())
    const inPieces = await aiSdkChat().call(plain(provider), options({ onDelta: delta => deltas.push(delta) }))
    const raw = { openai: 'tool_calls', 'openai-compatible': 'tool_calls', anthropic: 'tool_use', google: 'STOP' }[provider]
    for (const receipt of [whole, inPieces])
      expect(receipt).toMatchObject({
        status: 'ok',
        text: 'let me look',
        toolCalls: [{ callId: provider === 'google' ? expect.any(String) : 'c1', toolName: 'find', arguments: { q: 2 } }],
        finishReason: { reason: 'tool-calls', raw },
        usage: { prompt: 7, completion: 5, total: 12, cached: 2 },
        providerId: provider,
      })
    const said = (kind: Delta['kind']) => deltas.filter(delta => delta.kind === kind)
    expect(joined(said('text'))).toBe('let me look')
    expect(joined(said('tool'))).toBe('{"q":2}')
    expect(said('tool')).toEqual(said('tool').map(({ text }) => ({ kind: 'tool', call: 1, name: 'find', text })))
    expect(said('reasoning')).toEqual([])
  })

  it('lets no secret and no key out, wherever it is cut', async () => {
    const pieces = ['you said cor', 'rect ', 'horse, and key-of-', 'the-provider', '; corr', 'ectly']
    await serving(provider, { pieces, toolCalls: [{ id: 'c1', name: 'find', arguments: JSON.stringify({ q: [SECRET], [SECRET]: 1 }) }] })
    const messages: ChatMessage[] = [{ role: 'user', content: [{ type: 'secret', id: 'phrase' }] }]
    const deltas: Delta[] = []
    const receipts = [
      await aiSdkChat().call(plain(provider, { messages }), options()),
      await aiSdkChat().call(plain(provider, { messages }), options({ onDelta: delta => deltas.push(delta) })),
    ]
    const text = 'you said [REDACTED:phrase], and [REDACTED]; correctly'
    for (const receipt of receipts)
      expect(receipt).toMatchObject({ text, toolCalls: [{ arguments: { q: ['[REDACTED:phrase]'], '[REDACTED:phrase]': 1 } }] })
    expect(joined(deltas)).toBe(`${text}{"q":["[REDACTED:phrase]"],"[REDACTED:phrase]":1}`)
    expect(server.heard.every(({ body }) => body.includes(SECRET))).toBe(true)
  })

  it('seals the body that was sent, and no other', async () => {
    await serving(provider, { pieces: ['hi'] })
    const folder = mkdtempSync(join(tmpdir(), 'onbook-seal-'))
    const keyring = fileKeyring(folder, () => '2026-01-01T00:00:00.000Z')
    const receipt = await aiSdkChat().call(rich(provider), options({ seal: keyring.seal, object: async () => PNG }))
    const body = Buffer.from(server.heard[0]!.body)
    expect(await keyring.checkSeal(body, receipt.requestSeal!)).toBe(true)
    expect(await keyring.checkSeal(body.subarray(1), receipt.requestSeal!)).toBe(false)
    rmSync(folder, { recursive: true })
  })
})

describe('aiSdkChat', () => {
  it('sends back what a provider wants to hear again with a call, and thoughts that were signed', async () => {
    await serving('google', { pieces: ['x'], toolCalls: [{ id: 'c1', name: 'find', arguments: '{}' }] })
    const receipt = await aiSdkChat().call(plain('google'), options())
    if (receipt.status !== 'ok') throw new Error(receipt.message)
    const [{ callId, echo } = {}] = receipt.toolCalls
    const call = { type: 'tool_call', callId: callId!, toolName: 'find', arguments: {}, echo: echo! } as const
    await aiSdkChat().call(plain('google', { messages: [user, { role: 'assistant', content: [call] }] }), options())
    expect(server.heard[1]!.body).toContain('"thoughtSignature":"signed-c1"')

    await server.close()
    await serving('anthropic', { pieces: ['x'], thoughts: ['hm'] })
    for (const onDelta of [undefined, () => {}]) {
      const thought = await aiSdkChat().call(plain('anthropic'), options(onDelta === undefined ? {} : { onDelta }))
      if (thought.status !== 'ok') throw new Error(thought.message)
      expect(thought.reasoning).toEqual([{ type: 'reasoning', text: 'hm', echo: { anthropic: { signature: 'signed' } } }])
      await aiSdkChat().call(plain('anthropic', { messages: [user, { role: 'assistant', content: thought.reasoning! }] }), options())
      expect(server.heard.at(-1)!.body).toContain('{"type":"thinking","thinking":"hm","signature":"signed"}')
    }
  })

  it('tells as text what came of calls that were made by line: no provider takes a result that it has not asked for', async () => {
    await serving('openai', { pieces: ['x'] })
    const result = (callId: string) => ({ type: 'tool_result', callId, toolName: 'find', output: { hits: 1 } }) as const
    const call = { type: 'tool_call', callId: 'c1', toolName: 'find', arguments: {} } as const
    const said = { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, call] } as const
    const results = ['c1', 'tool-1'].map(id => ({ role: 'tool', content: [result(id)] }) as const)
    await aiSdkChat().call(plain('openai', { messages: [user, said, ...results] }), options())
    const sent = JSON.parse(server.heard[0]!.body).messages.slice(2)
    expect(sent).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '{"hits":1}' },
      { role: 'user', content: '{"tool_result":{"id":"tool-1","name":"find","output":{"hits":1}}}' },
    ])
  })

  it('gives two calls of one id two ids, and a call without one an id', async () => {
    const twice = ['same-2', 'same', 'same', ''].map(id => ({ id, name: 'find', arguments: '{}' }))
    await serving('openai-compatible', { toolCalls: twice })
    const receipt = await aiSdkChat().call(plain('openai-compatible'), options())
    expect(receipt).toMatchObject({
      toolCalls: [
        { callId: 'same-2' },
        { callId: 'same' },
        { callId: 'same-3', providerCallId: 'same' },
        { callId: expect.stringMatching(/./) },
      ],
    })
  })

  it('keeps arguments that are no JSON as text', async () => {
    await serving('openai', { toolCalls: [{ id: 'c', name: 'find', arguments: '{"q":' }] })
    expect(await aiSdkChat().call(plain('openai'), options())).toMatchObject({ toolCalls: [{ arguments: '{"q":' }] })
  })

  it('warns of what it cannot send', async () => {
    await serving('google', { pieces: ['x'] })
    const messages: ChatMessage[] = [{ ...user, name: 'ada' }]
    const call = plain('google', { messages, toolChoice: 'required', parameters: { metadata: { team: 'x' } } })
    const receipt = await aiSdkChat().call(call, options())
    expect(receipt).toMatchObject({ warnings: [/names/, /team/, /tool choice/].map(pattern => expect.stringMatching(pattern)) })
  })

  it('passes options in the provider’s own words, and lets ours win over them', async () => {
    await serving('openai', { pieces: ['x'] })
    const parameters = { providerOptions: { user: 'u', reasoningEffort: 'high' }, reasoningEffort: 'low' } as const
    await aiSdkChat().call(plain('openai', { parameters }), options())
    expect(JSON.parse(server.heard[0]!.body)).toMatchObject({ user: 'u', reasoning_effort: 'low' })
  })
})
