// The provider decides which model answers; a model that cannot be created gives a failed receipt.
import { expect, it } from 'vitest'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions } from '../../ports.ts'
import { routedChat } from './routed-chat.ts'
import { scriptedChat } from './scripted-chat.ts'

const options: CallOptions = {
  signal: new AbortController().signal,
  secrets: { get: async () => null },
  object: () => Promise.reject(new Error('none')),
}
const call = (provider: string): ModelCall => ({
  provider,
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  parameters: {},
})

it('asks the one that the provider names, made once, and another for all others', async () => {
  let made = 0
  const speaking = (text: string) => () => {
    made++
    return scriptedChat('s.yaml', `replies:\n  - match: {}\n    text: ${text}\n`)
  }
  const models = routedChat({ one: speaking('One.') }, speaking('Others.'))
  const asked = [
    await models.call(call('one'), options),
    await models.call(call('one'), options),
    await models.call(call('constructor'), options),
  ]
  expect(asked.map(receipt => (receipt.status === 'ok' ? receipt.text : receipt.code))).toEqual(['One.', 'One.', 'Others.'])
  expect(made).toBe(2)
})

it('says how to give what is not there', async () => {
  const models = routedChat({}, () => {
    throw new Fault('provider_unready', { provider: 'scripted', option: '--script FILE' })
  })
  expect(await models.call(call('scripted'), options)).toMatchObject({
    status: 'error',
    code: 'provider_unready',
    message: expect.stringContaining('--script FILE'),
  })
})

it('says who resumes before anybody is made', () => {
  const never = () => {
    throw new Error('made')
  }
  const models = routedChat({ one: never }, never, provider => provider === 'one')
  expect([models.resumes?.('one'), models.resumes?.('two'), routedChat({}, never).resumes?.('one')]).toEqual([true, false, false])
})

it('says how each calls tools; who cannot be made calls them as all do', async () => {
  const script = () => scriptedChat('s.yaml', 'calls: lines\nreplies: [Hello]')
  const never = () => {
    throw new Error('made')
  }
  const models = routedChat({ one: script, two: () => ({ call: () => Promise.reject(new Error('called')) }) }, never)
  expect(await Promise.all(['one', 'two', 'three'].map(async provider => models.calls?.(provider)))).toEqual(['lines', 'native', 'native'])
})
