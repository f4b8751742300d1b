// Agents that fail: the receipt says whether a retry may help, and no process is left behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import type { CallOptions } from '../../ports.ts'
import { type FakeProtocol, fakeAgent, isAlive, pidsIn } from '../../testing/models/fake-cli-agent.ts'
import type { CliAgentSettings } from './agent.ts'
import { cliAgentChat } from './cli-agent-chat.ts'

const asking = (change: Partial<ModelCall> = {}): ModelCall => ({
  ...{ provider: 'fake', model: 'default', tools: [], parameters: {} },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  ...change,
})
const ask = (settings: CliAgentSettings, change: Partial<CallOptions> = {}, call: Partial<ModelCall> = {}): Promise<Receipt> =>
  cliAgentChat({ fake: settings }, tmpdir()).call(asking(call), {
    signal: new AbortController().signal,
    secrets: { get: async () => null },
    object: () => Promise.reject(new Error('none')),
    ...change,
  })

/** With what it had said when it was over. */
async function heard(settings: CliAgentSettings, change: Partial<CallOptions> = {}): Promise<{ receipt: Receipt; said: string }> {
  let said = ''
  const onDelta: CallOptions['onDelta'] = ({ text }) => {
    said += text
  }
  return { receipt: await ask(settings, { onDelta, ...change }), said }
}

describe('an agent that does not answer', () => {
  const quick: CliAgentSettings = { idleMs: 400 }
  it.each<[string, FakeProtocol, string, RegExp, CliAgentSettings?]>([
    ['fails', 'text', 'provider_terminal', /ended with code 3: Something is wrong with your settings\. Trying/],
    ['fails', 'jsonl', 'provider_terminal', /ended with code 3: Something is wrong/],
    ['busy', 'text', 'provider_retryable', /ended with code 1: API Error: 529 overloaded_error/],
    ['busy', 'stream-json', 'provider_retryable', /529/],
    ['refuses', 'stream-json', 'provider_terminal', /refused: Your plan ended\. Trying/],
    ['failedTurn', 'jsonl', 'provider_terminal', /refused: Your plan ended\. Trying/],
    ['dies', 'text', 'provider_retryable', /ended by SIGKILL/],
    ['dies', 'jsonl', 'provider_retryable', /ended by SIGKILL/],
    ['dies', 'stream-json', 'provider_retryable', /ended by SIGKILL/],
    ['dies', 'gemini', 'provider_retryable', /ended by SIGKILL/],
    ['stops', 'jsonl', 'provider_retryable', /ended before its answer did/],
    ['stops', 'stream-json', 'provider_retryable', /ended before its answer did/],
    ['stops', 'gemini', 'provider_retryable', /ended before its answer did/],
    ['empty', 'text', 'provider_retryable', /said nothing/],
    ['empty', 'jsonl', 'provider_retryable', /ended before its answer did/],
    ['silent', 'text', 'provider_retryable', /wrote nothing for 400 ms/, quick],
    ['silent', 'stream-json', 'provider_retryable', /wrote nothing for 400 ms/, quick],
    ['never', 'jsonl', 'provider_retryable', /wrote nothing for 400 ms/, quick],
    ['flood', 'text', 'adapter_error', /more than 1000000 bytes/, { maxOutputBytes: 1_000_000 }],
    ['flood', 'jsonl', 'adapter_error', /more than 1000000 bytes/, { maxOutputBytes: 1_000_000 }],
  ])('because it %s, in %s, is a receipt with %s', async (behaviour, protocol, code, message, more) => {
    const receipt = await ask(fakeAgent(behaviour, protocol, more))
    expect(receipt).toMatchObject({ status: 'error', code, message: expect.stringMatching(message) })
  })

  it('in its time has timed out, however much it writes', async () => {
    const receipt = await ask(fakeAgent('slow', 'jsonl', { timeoutMs: 250 }))
    expect(receipt).toMatchObject({ status: 'timeout', code: 'adapter_timeout' })
  })

  it.each([
    ['that is not there', { command: ['no-such-agent-anywhere'] }, 'command_missing', /no-such-agent-anywhere .*does not exist/],
    ['that is no program', { command: [resolve('package.json')] }, 'command_missing', /permission is denied/],
    ['in a folder that is not there', { cwd: '/no/such/folder' }, 'path_missing', /\/no\/such\/folder/],
  ] satisfies [string, CliAgentSettings, string, RegExp][])('because it is a command %s', async (_, settings, code, message) => {
    const receipt = await ask({ ...fakeAgent('fine'), ...settings })
    expect(receipt).toMatchObject({ status: 'error', code, message: expect.stringMatching(message) })
  })

  it.each([
    ['too long', 'x'.repeat(200_000), /too long for an argument/],
    ['of no use in an argument', 'a\0b', /no command can be given/],
  ])('because its prompt is %s', async (_, text, message) => {
    const messages: ModelCall['messages'] = [{ role: 'user', content: [{ type: 'text', text }] }]
    const receipt = await ask(fakeAgent('fine', 'text', { promptOn: 'argument' }), {}, { messages })
    expect(receipt).toMatchObject({ status: 'error', code: 'adapter_error', message: expect.stringMatching(message) })
  })

  it.each(['-rf', '--model=other', 'two words', ''])('is not asked for a model called %j', async model => {
    expect(await ask(fakeAgent('fine', 'text', { modelArgs: ['--model', '{model}'] }), {}, { model })).toMatchObject({
      code: 'adapter_error',
    })
  })

  it.each<[string, Partial<ModelCall>, string]>([
    ['nothing is said', { messages: [] }, 'messages_empty'],
    ['only nothing is said', { messages: [{ role: 'user', content: [] }] }, 'messages_empty'],
    ['an image is said', { messages: [{ role: 'user', content: [{ type: 'image', url: 'https://a.example/b.png' }] }] }, 'image_unusable'],
    ['nobody has that name', { provider: 'other' }, 'model_unknown'],
  ])('is not asked when %s', async (_, call, code) => {
    expect(await ask(fakeAgent('fine'), {}, call)).toMatchObject({ code })
  })
})

describe('when a call is cancelled', () => {
  it.each(['never', 'stubborn', 'family'])('an agent that is %s is over with all it started', async behaviour => {
    const stop = new AbortController()
    let said = ''
    const pids = behaviour === 'family' ? 2 : 1
    const { receipt } = await heard(fakeAgent(behaviour), {
      signal: stop.signal,
      onDelta({ text }) {
        said += text
        if (pidsIn(said).length === pids && said.endsWith('\n')) stop.abort()
      },
    })
    expect(receipt).toMatchObject({ status: 'cancelled', code: 'call_cancelled' })
    expect(pidsIn(said)).toHaveLength(pids)
    await vi.waitFor(() => expect(pidsIn(said).filter(isAlive)).toEqual([]), 5_000)
  })

  it('a signal that says how long is a timeout', async () => {
    const receipt = await ask(fakeAgent('silent'), { signal: AbortSignal.timeout(200) })
    expect(receipt).toMatchObject({ status: 'timeout', code: 'adapter_timeout' })
  })

  it('before it began, nothing begins', async () => {
    const { receipt, said } = await heard(fakeAgent('never'), { signal: AbortSignal.abort() })
    expect({ status: receipt.status, said }).toEqual({ status: 'cancelled', said: '' })
  })

  it('because whoever listens failed, the agent is over too', async () => {
    let said = ''
    const receipt = await ask(fakeAgent('family'), {
      onDelta({ text }) {
        said += text
        if (pidsIn(said).length === 2) throw new Error('cannot be shown')
      },
    })
    expect(receipt).toMatchObject({ status: 'error', message: expect.stringContaining('cannot be shown') })
    await vi.waitFor(() => expect(pidsIn(said).filter(isAlive)).toEqual([]), 5_000)
  })
})

describe('an agent that has answered', () => {
  it('may have been at it for longer than it may be silent', async () => {
    expect(await ask(fakeAgent('steady', 'jsonl', { idleMs: 1_200 }))).toMatchObject({ status: 'ok' })
  })

  it.each([
    ['leaves', 'text'],
    ['leaves', 'stream-json'],
    ['leavesQuietly', 'jsonl'],
  ] as const)('has no child left, whether that holds its output or not (%s, %s)', async (behaviour, protocol) => {
    const receipt = await ask(fakeAgent(behaviour, protocol))
    expect(receipt).toMatchObject({ status: 'ok', text: expect.stringMatching(/^\d+$/) })
    const pid = Number(receipt.status === 'ok' && receipt.text)
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000)
  })

  it('is not waited for because of a child that left its group and holds its output', async () => {
    const receipt = await ask(fakeAgent('escapes'))
    expect(receipt).toMatchObject({ status: 'ok', text: expect.stringMatching(/^\d+$/) })
    // Only its process id reaches it.
    if (receipt.status === 'ok') process.kill(Number(receipt.text), 'SIGKILL')
  })

  it.each(['jsonl', 'stream-json', 'gemini'] as const)('is not waited for when it does not end (%s)', async protocol => {
    expect(await ask(fakeAgent('lingers', protocol, { idleMs: 60_000 }))).toMatchObject({ status: 'ok', text: 'Good morning, Zoë 🌅.' })
  })
})

describe('the process that asks', () => {
  it('listens to signals no longer than it has agents', async () => {
    const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map(name => process.listenerCount(name))
    const before = listeners()
    const asked = ask(fakeAgent('fine'))
    await vi.waitFor(() => expect(listeners()).toEqual(before.map(count => count + 1)), { timeout: 5_000, interval: 1 })
    await asked
    expect(listeners()).toEqual(before)
  })

  const caller = (...words: string[]) =>
    spawn(process.execPath, [resolve('src/testing/models/fake-cli-caller.mjs'), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })

  it.each([
    ['fine', 'jsonl', '', 'ok'],
    ['leaves', 'text', '', 'ok'],
    ['lingers', 'stream-json', '', 'ok'],
    ['fails', 'text', '', 'error'],
    ['stubborn', 'text', 'abort', 'cancelled'],
    ['family', 'text', 'abort', 'cancelled'],
  ])('is kept by nothing once an agent that is %s (%s %s) is over', async (behaviour, protocol, abort, status) => {
    const asker = caller(behaviour, protocol, abort)
    const [said, [code]] = await Promise.all([textOf(asker.stdout), once(asker, 'exit')])
    expect(said.trimEnd().split('\n').at(-1)).toBe(status)
    expect(code).toBe(0)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('takes its agents with it when %s ends it', async signal => {
    const asker = caller('family', 'text')
    let said = ''
    asker.stdout.setEncoding('utf8').on('data', piece => {
      said += piece
    })
    await vi.waitFor(() => expect(pidsIn(said)).toHaveLength(2), 20_000)
    asker.kill(signal)
    const [, by] = await once(asker, 'exit')
    expect(by).toBe(signal)
    await vi.waitFor(() => expect(pidsIn(said).filter(isAlive)).toEqual([]), 5_000)
  })
})
