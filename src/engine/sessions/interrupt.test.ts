// Interrupts: the model call under way ends, and what was said is told before anything else, in order of arrival. Bug 22 of the list.
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store.ts'
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { emptyConfig } from '../../core/session/config.ts'
import type { ChatModel } from '../../ports.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { PRODUCT_PROJECTIONS } from '../projections.ts'
import { loadSession } from './load.ts'
import { sessionWork } from './work.ts'

const place = { tenant: 'acme', session: 'writer', actor: 'ada' }
const encode = (text: string) => new TextEncoder().encode(text)
const said = (text: string) => writeMessage({ role: 'user', content: [{ type: 'text', text }] })
const textsIn = ({ messages }: ModelCall) =>
  messages.map(({ role, content }) => `${role}: ${content.map(part => ('text' in part ? part.text : '')).join('')}`)

it('bug 22: interrupts end the call under way and are delivered in order of arrival, before a steer', async () => {
  const calls: ModelCall[] = []
  let began = (): void => {}
  const first = new Promise<void>(resolve => {
    began = resolve
  })
  // Hangs until it is ended; answers everything after that.
  const models: ChatModel = {
    call(call, { signal }) {
      calls.push(call)
      const answer = {
        status: 'ok',
        text: 'Noted.',
        toolCalls: [],
        finishReason: { reason: 'stop' },
        usage: null,
        warnings: [],
        providerId: 'test',
      } as const
      if (calls.length > 1) return Promise.resolve(answer)
      began()
      return new Promise(resolve =>
        signal.addEventListener('abort', () => resolve({ status: 'cancelled', code: 'provider_cancelled', message: 'it was ended' })),
      )
    },
  }
  const store = memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)
  const validator = sharedValidator()
  const work = sessionWork({
    store,
    models,
    secrets: () => ({ get: async () => null }),
    validator,
    bindings: new Map(),
    grants: [],
    hostCatalog: null,
    policy: () => [],
    wait: async () => {},
    now: Date.now,
    newId: randomUUID,
    failed: error => {
      throw error
    },
  })
  const leave = (kind: 'interrupt' | 'steer', id: string) =>
    work.submit(place, { type: 'receive', command: { kind, id, message: digestText(said(id)) } }, { objects: [encode(said(id))] })
  await work.submit(place, { type: 'create', session: 'writer', config: { ...emptyConfig, provider: 'test', model: 'small' } })
  await work.submit(place, { type: 'requestRun', input: digestText(said('go')) }, { objects: [encode(said('go'))] })
  await first
  await leave('steer', 'steer')
  await Promise.all([leave('interrupt', 'one'), leave('interrupt', 'two')])
  await work.quiet('acme', 'writer')
  expect(calls.map(textsIn)).toEqual([['user: go'], ['user: go', 'user: one', 'user: two', 'user: steer']])
  const { state } = await loadSession(store, 'acme', 'writer')
  expect([state.ended, state.interrupts, state.run]).toEqual(['completed', [], null])
  await work.close()
  await validator.close()
})
