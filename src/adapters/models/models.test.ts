import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ModelRequest } from '../../ports.ts'
import { loopbackChat } from '../../testing/models/loopback-chat.ts'
import { loopbackProvider } from '../../testing/models/loopback-provider.ts'
import { aiSdkModel } from './ai-sdk-model.ts'
import { recordedModel, recordingModel } from './recorded-model.ts'
import { scriptedModel } from './scripted-model.ts'

const request = (example: string, content = 'hello'): ModelRequest => ({
  pack: 'p.yaml',
  example,
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content },
  ],
})
const never = new AbortController().signal

describe('scriptedModel', () => {
  it('sends text as it stands and anything else as JSON', async () => {
    const model = scriptedModel('s.yaml', 'replies:\n  a: { x: [1] }\n  b: "not json"\n')
    expect(await model.complete(request('a'), never)).toBe('{"x":[1]}')
    expect(await model.complete(request('b'), never)).toBe('not json')
  })

  it('has nothing to say to an example it does not know', async () => {
    const model = scriptedModel('s.yaml', 'replies: { a: 1 }')
    await expect(model.complete(request('constructor'), never)).rejects.toMatchObject({ code: 'reply_missing' })
  })

  const NEEDED = 'it must have "replies": example names with what the model says.'
  it.each([
    ['# nothing\n- a', `line 2, column 1: ${NEEDED}`],
    ['a: 1\nreplies: 1', `line 2, column 10: ${NEEDED}`],
    ['replies:\n  - a', `line 2, column 3: ${NEEDED}`],
    ['a: [', expect.stringMatching(/^s\.yaml: line 1, column 5: /)],
    ['replies:\n  a: !x 1', 'line 2, column 6: Tags are not supported: remove !x.'],
    ['', 'line 1, column 1: The file is empty.'],
  ])('refuses the script %j, and says where', (text, said) => {
    const message = typeof said === 'string' ? `s.yaml: ${said}` : said
    expect(() => scriptedModel('s.yaml', text)).toThrow(expect.objectContaining({ code: 'script_invalid', message }))
  })
})

describe('recordedModel', () => {
  it('plays back exactly what was said, to exactly the same messages', async () => {
    const recorder = recordingModel({ name: 'x:y', complete: async ({ example }) => `said to ${example}` })
    await recorder.model.complete(request('a'), never)
    const text = recorder.recorded(null)!
    const played = recordedModel('r.json', text)
    expect(played.name).toBe('recorded x:y')
    expect(await played.complete(request('a'), never)).toBe('said to a')
    await expect(played.complete(request('a', 'changed'), never)).rejects.toMatchObject({ code: 'reply_stale' })
    await expect(played.complete(request('b'), never)).rejects.toMatchObject({ code: 'reply_missing' })
  })

  it('keeps earlier recordings of other examples', async () => {
    const first = recordingModel({ name: 'm', complete: async () => 'one' })
    await first.model.complete(request('a'), never)
    const second = recordingModel({ name: 'm', complete: async () => 'two' })
    await second.model.complete(request('b'), never)
    const both = recordedModel('r.json', second.recorded(first.recorded(null))!)
    expect(await both.complete(request('a'), never)).toBe('one')
    expect(await both.complete(request('b'), never)).toBe('two')
  })

  it('keeps who said what when the model changes', async () => {
    const first = recordingModel({ name: 'x:old', complete: async () => 'one' })
    await first.model.complete(request('a'), never)
    const second = recordingModel({ name: 'x:young', complete: async () => 'two' })
    await second.model.complete(request('b'), never)
    const text = second.recorded(first.recorded(null))!
    expect(JSON.parse(text)).toMatchObject({ model: 'x:young', replies: { a: { model: 'x:old' }, b: { model: 'x:young' } } })
    expect(recordedModel('r.json', text).name).toBe('recorded x:old, x:young')
  })

  it('takes a reply that names no model for one of the file’s', async () => {
    const before = JSON.stringify({ model: 'x:old', replies: { a: { request: 'sha256:0', reply: 'one' } } })
    expect(recordedModel('r.json', before).name).toBe('recorded x:old')
    const recorder = recordingModel({ name: 'x:young', complete: async () => 'two' })
    await recorder.model.complete(request('b'), never)
    expect(JSON.parse(recorder.recorded(before)!).replies.a).toEqual({ request: 'sha256:0', reply: 'one', model: 'x:old' })
  })

  it.each(['', '[', '{}', 'null'])('does not write over the damaged recording %j', async before => {
    const recorder = recordingModel({ name: 'm', complete: async () => 'one' }, 'p.recorded.json')
    await recorder.model.complete(request('a'), never)
    expect(() => recorder.recorded(before)).toThrow(
      expect.objectContaining({ code: 'script_invalid', details: expect.objectContaining({ path: 'p.recorded.json' }) }),
    )
  })

  it('writes nothing when nothing was said', () => {
    expect(recordingModel({ name: 'm', complete: async () => '' }).recorded(null)).toBeNull()
  })

  it.each([
    '{}',
    '[',
    '{"model":"m","replies":{"a":{}}}',
    '{"model":"m","replies":{"a":null}}',
    '{"model":"m","replies":{"a":{"request":"","reply":"","model":1}}}',
  ])('refuses the recording %j', text => {
    expect(() => recordedModel('r.json', text)).toThrow(expect.objectContaining({ code: 'script_invalid' }))
  })
})

describe('aiSdkModel', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ['openai', 'OPENAI_BASE_URL', 'OPENAI_API_KEY'],
    ['openai-compatible', 'OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
  ])('speaks to %s with the key from the environment', async (provider, urlVariable, keyVariable) => {
    const server = await loopbackProvider(({ messages }) => JSON.stringify({ heard: messages.length }))
    vi.stubEnv(urlVariable, server.url)
    vi.stubEnv(keyVariable, 'secret-key')
    const model = await aiSdkModel(`${provider}:tiny`)
    expect(await model.complete(request('a'), never)).toBe('{"heard":2}')
    const [call] = server.requests
    expect(call).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer secret-key', body: { model: 'tiny' } })
    expect(call!.body.messages.map(message => message.role)).toEqual(['system', 'user'])
    await server.close()
  })

  it.each([
    ['anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', '/v1/messages'],
    ['google', 'GOOGLE_BASE_URL', 'GOOGLE_GENERATIVE_AI_API_KEY', '/v1/models/tiny:generateContent'],
  ] as const)('speaks to %s as it wants to be spoken to', async (provider, urlVariable, keyVariable, path) => {
    const server = await loopbackChat(provider, () => ({ pieces: ['{"a":', '1}'] }))
    vi.stubEnv(urlVariable, server.url)
    vi.stubEnv(keyVariable, 'secret-key')
    const model = await aiSdkModel(`${provider}:tiny`)
    expect(await model.complete(request('a'), never)).toBe('{"a":1}')
    expect(server.heard).toMatchObject([{ path, body: expect.stringContaining('be brief') }])
    await server.close()
  })

  it('reports what the provider said when it refuses', async () => {
    const server = await loopbackProvider((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"bad key","type":"invalid_request_error"}}')
      return undefined
    })
    vi.stubEnv('OPENAI_BASE_URL', server.url)
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const model = await aiSdkModel('openai:tiny')
    await expect(model.complete(request('a'), never)).rejects.toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('bad key'),
    })
    await server.close()
  })

  it('stops when told to', async () => {
    const server = await loopbackProvider(() => undefined)
    vi.stubEnv('OPENAI_BASE_URL', server.url)
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const model = await aiSdkModel('openai:tiny')
    const stop = new AbortController()
    const waiting = model.complete(request('a'), stop.signal)
    setTimeout(() => stop.abort(), 50)
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await server.close()
  })

  it('tells the last error of the provider when it is stopped between two attempts', async () => {
    const server = await loopbackProvider((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"slow down"}}')
      return undefined
    })
    vi.stubEnv('OPENAI_BASE_URL', server.url)
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const model = await aiSdkModel('openai:tiny')
    const fault = { code: 'model_failed', details: { model: 'openai:tiny', reason: 'slow down (429)' } }
    await expect(model.complete(request('a'), AbortSignal.timeout(500))).rejects.toMatchObject(fault)
    await server.close()
  })

  it.each(['gpt', 'openai:', 'nobody:x', '', 'constructor:x', '__proto__:x'])('refuses the name %j', async name => {
    await expect(aiSdkModel(name)).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
