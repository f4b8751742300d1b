// Agents that answer: whatever their protocol and however they cut up what they write, a call ends in one receipt.
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ChatMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Answered, Receipt } from '../../core/messages/receipt.ts'
import type { CallOptions, Delta } from '../../ports.ts'
import { FAKE_PROTOCOLS, type FakeProtocol, fakeAgent } from '../../testing/models/fake-cli-agent.ts'
import type { CliAgentSettings } from './agent.ts'
import { cliAgentChat } from './cli-agent-chat.ts'

afterEach(() => vi.unstubAllEnvs())

const user = (text: string): ChatMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const calling = (change: Partial<ModelCall> = {}): ModelCall => ({
  ...{ provider: 'fake', model: 'default', messages: [user('Hello')], tools: [], parameters: {} },
  ...change,
})
const options = (change: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  secrets: { get: async id => (id === 'phrase' ? 'correct horse' : null) },
  object: () => Promise.reject(new Error('none')),
  ...change,
})
const ask = (settings: CliAgentSettings, call: Partial<ModelCall> = {}, change: Partial<CallOptions> = {}): Promise<Receipt> =>
  cliAgentChat({ fake: settings }, tmpdir()).call(calling(call), options(change))
async function answered(...asked: Parameters<typeof ask>): Promise<Answered> {
  const receipt = await ask(...asked)
  if (receipt.status !== 'ok') throw new Error(`${receipt.code}: ${receipt.message}`)
  return receipt
}
const echoed = async (...asked: Parameters<typeof ask>) => JSON.parse((await answered(...asked)).text!)

describe.each(FAKE_PROTOCOLS)('an agent that speaks %s', protocol => {
  const tells = { reasoning: protocol === 'jsonl' || protocol === 'stream-json', usage: protocol !== 'text' }

  it.each(['fine', 'slow', 'tiny', 'noisy', 'deaf', 'crashesAfter'])('answers when it is %s', async behaviour => {
    if (protocol === 'text' && behaviour === 'crashesAfter') return
    const deltas: Delta[] = []
    const receipt = await answered(fakeAgent(behaviour, protocol), {}, { onDelta: delta => deltas.push(delta) })
    expect(receipt).toEqual({
      status: 'ok',
      text: 'Good morning, Zoë 🌅.',
      ...(tells.reasoning ? { reasoning: [{ type: 'reasoning', text: 'Let me think.' }] } : {}),
      toolCalls: [],
      finishReason: { reason: 'stop', ...({ 'stream-json': { raw: 'end_turn' }, gemini: { raw: 'success' } }[protocol as string] ?? {}) },
      usage: tells.usage ? { prompt: 20, completion: 3, total: 23, cached: 4 } : null,
      warnings: behaviour === 'crashesAfter' ? ['It answered, and then ended with code 7.'] : [],
      providerId: 'fake',
      ...(protocol === 'text' ? {} : { conversation: 'conversation-1' }),
    })
    const said = (kind: Delta['kind']) => deltas.flatMap(delta => (delta.kind === kind ? [delta.text] : [])).join('')
    expect(said('text')).toBe('Good morning, Zoë 🌅.')
    expect(said('reasoning')).toBe(tells.reasoning ? 'Let me think.' : '')
  })

  it('streams what it says before it has said all', async () => {
    const deltas: string[] = []
    const told = answered(fakeAgent('slow', protocol), {}, { onDelta: ({ kind, text }) => kind === 'text' && deltas.push(text) })
    await vi.waitFor(() => expect(deltas.length).toBeGreaterThan(0), { timeout: 20_000, interval: 5 })
    if (protocol !== 'text') expect(deltas.join('')).not.toBe('Good morning, Zoë 🌅.')
    await told
  })

  it('is sent a prompt of many megabytes, though it reads slowly', async () => {
    const text = 'é'.repeat(8_000_000)
    expect((await answered(fakeAgent('size', protocol), { messages: [user(text)] })).text).toBe('8000000')
  })

  it('is not hurt by an agent that reads nothing of it', async () => {
    const receipt = await answered(fakeAgent('deaf', protocol), { messages: [user('x'.repeat(8_000_000))] })
    expect(receipt.text).toBe('Good morning, Zoë 🌅.')
  })

  it('finds out that nobody has more to say to it', async () => {
    expect((await answered(fakeAgent('asks', protocol))).text).toBe('Nobody answered.')
  })

  if (protocol !== 'text')
    it('may write lines that are no JSON, which are counted and left out', async () => {
      const receipt = await answered(fakeAgent('malformed', protocol))
      expect(receipt.text).toBe('Good morning, Zoë 🌅.')
      expect(receipt.warnings).toEqual([expect.stringMatching(/^Lines of its output that are not JSON, and were left out: \d+\.$/)])
    })
})

describe('what an agent is given', () => {
  it('is its words, its folder and a scrubbed environment', async () => {
    vi.stubEnv('FAKE_SETTING', 'let through')
    vi.stubEnv('OTHER_SETTING', 'kept back')
    vi.stubEnv('LC_ALL', 'C')
    const { words, cwd, env, stdin } = await echoed(
      fakeAgent('echo', 'jsonl', { env: ['FAKE_SETTING', 'NOT_SET'], modelArgs: ['--model', 'x:{model}'], newArgs: ['a b', '$HOME'] }),
      { model: 'large/1' },
    )
    expect(words).toEqual(['--model', 'x:large/1', 'a b', '$HOME'])
    expect(cwd).toBe(realpathSync(tmpdir()))
    expect(stdin).toBe('Hello')
    const allowed = /^(PATH|HOME|LANG|LC_[A-Z]+|TERM|TMPDIR|FAKE_SETTING)$/
    // Some systems add one of their own to every process.
    expect(Object.keys(env).filter(name => !allowed.test(name) && name !== '__CF_USER_TEXT_ENCODING')).toEqual([])
    expect(env).toMatchObject({ FAKE_SETTING: 'let through', LC_ALL: 'C' })
  })

  it('is the prompt as its last word when it wants that, never as an option', async () => {
    const agent = fakeAgent('echo', 'text', { promptOn: 'argument' })
    expect(await echoed(agent, { messages: [user('--danger\nsecond $(line)')] })).toMatchObject({
      words: [' --danger\nsecond $(line)'],
      stdin: '',
    })
  })

  it('is the composed prompt byte for byte, when that is all there is', async () => {
    const messages: readonly ChatMessage[] = [{ role: 'system', content: [{ type: 'text', text: 'You plan.\n' }] }, user('# Task\n| Plan.')]
    expect((await echoed(fakeAgent('echo'), { messages })).stdin).toBe('You plan.\n\n\n# Task\n| Plan.')
  })

  it('is sealed as it is sent', async () => {
    const sealed: string[] = []
    const seal: NonNullable<CallOptions['seal']> = async bytes => {
      sealed.push(Buffer.from(bytes).toString())
      return { key: 'k', value: 'v' } as never
    }
    const receipt = await answered(fakeAgent('fine'), {}, { seal })
    expect(sealed).toEqual(['Hello'])
    expect(receipt.requestSeal).toEqual({ key: 'k', value: 'v' })
  })

  it('leaves out what a command has no place for, and says so', async () => {
    const tools = [{ name: 'read', description: '', inputSchema: {} }]
    const { warnings } = await answered(fakeAgent('fine'), { tools, parameters: { temperature: 1 } } as Partial<ModelCall>)
    expect(warnings).toEqual(['A command has no place for this; it was not sent: tools, temperature.'])
    const byLine = async (more: Partial<ModelCall>) => (await answered(fakeAgent('fine'), { tools, calls: 'lines', ...more })).warnings
    expect(await byLine({})).toEqual([])
    expect(await byLine({ toolChoice: 'required' })).toEqual(['A command has no place for this; it was not sent: toolChoice.'])
  })
})

describe('a conversation', () => {
  const history = [user('One'), { role: 'assistant', content: [{ type: 'text', text: 'Two' }] }, user('Three')] as const

  it.each(['jsonl', 'stream-json', 'gemini'] as const)('is resumed in %s: the agent is sent only the rest', async protocol => {
    const agent = fakeAgent('echo', protocol)
    const receipt = await answered(agent, { messages: history }, { resume: { conversation: 'conversation-7', after: 2 } })
    expect(JSON.parse(receipt.text!)).toMatchObject({ words: ['--resume', 'conversation-7'], stdin: 'Three' })
    expect(receipt.conversation).toBe('conversation-7')
  })

  it('is new when nothing is resumed: the agent is told all of it', async () => {
    const { words, stdin } = await echoed(fakeAgent('echo', 'jsonl', { newArgs: ['-'] }), { messages: history })
    expect(words).toEqual(['-'])
    expect(stdin).toContain('# user\n| One\n\n# assistant\n| Two\n\n# user\n| Three')
  })

  it('has a name of ours when the command takes one', async () => {
    const agent = fakeAgent('echo', 'text', { newArgs: ['--session', '{conversation}'] })
    const first = await answered(agent)
    expect(first.conversation).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(first.text!).words).toEqual(['--session', first.conversation])
    const second = await answered(agent, { messages: history }, { resume: { conversation: first.conversation!, after: 2 } })
    expect(JSON.parse(second.text!)).toMatchObject({ words: ['--resume', first.conversation], stdin: 'Three' })
    expect(second.conversation).toBe(first.conversation)
  })

  it('cannot be resumed where nobody could say which: then all is sent', async () => {
    const receipt = await answered(fakeAgent('echo'), { messages: history }, { resume: { conversation: 'conversation-7', after: 2 } })
    expect(JSON.parse(receipt.text!).words).toEqual([])
    expect(JSON.parse(receipt.text!).stdin).toContain('| One')
    expect(receipt.conversation).toBeUndefined()
  })

  it.each<[string, FakeProtocol]>([
    ['lost', 'text'],
    ['lost', 'jsonl'],
    ['lost', 'stream-json'],
    ['lostResult', 'stream-json'],
    ['otherThread', 'jsonl'],
  ])('that the agent does not know is lost (%s, %s)', async (behaviour, protocol) => {
    const agent = fakeAgent(behaviour, protocol, { newArgs: ['--session', '{conversation}'] })
    const receipt = await ask(agent, { messages: history }, { resume: { conversation: 'gone', after: 2 } })
    expect(receipt).toMatchObject({
      status: 'error',
      code: 'conversation_lost',
      message: expect.stringContaining('cannot continue conversation gone'),
    })
  })

  it('is not lost when there was none to go on with', async () => {
    expect(await ask(fakeAgent('lostResult', 'stream-json'))).toMatchObject({ code: 'provider_terminal' })
  })

  it.each(['--help', 'two words', '', 'a\nb'])('cannot be called %j', async conversation => {
    const receipt = await ask(fakeAgent('echo', 'jsonl'), { messages: history }, { resume: { conversation, after: 2 } })
    expect(receipt).toMatchObject({ code: 'conversation_lost' })
  })

  it('can be resumed with some agents and not with others', () => {
    const { resumes } = cliAgentChat(
      {
        lines: fakeAgent('fine', 'jsonl'),
        text: fakeAgent('fine'),
        named: fakeAgent('fine', 'text', { newArgs: ['--id={conversation}'] }),
        forgetful: fakeAgent('fine', 'jsonl', { resumeArgs: [] }),
        claude: { preset: 'claude' },
        codex: { preset: 'codex' },
        gemini: { preset: 'gemini' },
      },
      '.',
    )
    const names = ['lines', 'text', 'named', 'forgetful', 'claude', 'codex', 'gemini', 'constructor']
    expect(names.filter(resumes)).toEqual(['lines', 'named', 'claude', 'codex', 'gemini'])
  })
})

describe('secrets', () => {
  const messages: readonly ChatMessage[] = [{ role: 'user', content: [{ type: 'secret', id: 'phrase' }] }]
  const agent = (protocol: FakeProtocol, ...newArgs: string[]) => fakeAgent('secrets', protocol, { env: ['FAKE_TOKEN'], newArgs })

  it.each(FAKE_PROTOCOLS)('reach the agent in %s, and come back from it nowhere', async protocol => {
    vi.stubEnv('FAKE_TOKEN', 'battery staple')
    const deltas: Delta[] = []
    const receipt = await answered(agent(protocol), { messages }, { onDelta: delta => deltas.push(delta) })
    expect(receipt.text).toBe('[REDACTED:phrase] [REDACTED]')
    const shown = deltas.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('')
    expect(shown).toBe('[REDACTED:phrase] [REDACTED]')
  })

  it.each(FAKE_PROTOCOLS)('are not in what is kept of its errors in %s, not even halves of them', async protocol => {
    vi.stubEnv('FAKE_TOKEN', 'battery staple')
    const receipt = await ask(agent(protocol, '--fail'), { messages })
    expect(receipt).toMatchObject({ code: 'provider_terminal', message: expect.stringContaining('[REDACTED:phrase] [REDACTED]') })
    expect(JSON.stringify(receipt)).not.toMatch(/horse|correct|battery|staple/)
    expect(JSON.stringify(receipt).length).toBeLessThan(2_300)
  })

  it('never stand in an argument, where others could read them', async () => {
    const receipt = await ask(fakeAgent('echo', 'text', { promptOn: 'argument' }), { messages })
    expect(receipt).toMatchObject({ code: 'adapter_error', message: expect.stringContaining('stdin') })
  })

  it('must be there', async () => {
    const missing: readonly ChatMessage[] = [{ role: 'user', content: [{ type: 'secret', id: 'other' }] }]
    expect(await ask(fakeAgent('fine'), { messages: missing })).toMatchObject({ code: 'secret_missing' })
  })
})

describe('who may use it', () => {
  it('is the tenant that is there without being named, unless others are named', async () => {
    const of = async (settings: CliAgentSettings, tenant?: string) => {
      const receipt = await ask({ ...fakeAgent('fine'), ...settings }, {}, tenant === undefined ? {} : { caller: { tenant } })
      return receipt.status === 'ok' ? 'ok' : receipt.code
    }
    expect(await of({})).toBe('ok')
    expect(await of({}, 'default')).toBe('ok')
    expect(await of({}, 'acme')).toBe('provider_closed')
    expect(await of({ tenants: ['acme'] }, 'acme')).toBe('ok')
    expect(await of({ tenants: ['acme'] })).toBe('provider_closed')
  })
})
