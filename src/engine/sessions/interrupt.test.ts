// An interrupt ends the current model call, and its messages come before all others, in order of arrival. Bug 22 of the list.
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { emptyConfig } from '../../core/session/config.ts'
import type { ChatModel } from '../../ports.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { loadRun } from '../runs/load.ts'
import { runWork } from '../runs/work.ts'
import { commandSession } from './command-session.ts'
import { loadSession } from './load.ts'

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
  const work = runWork({
    store,
    owner: 'test',
    world: WORLD,
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
    commandSession({ work: work.sessions, runs: work }, store, place, {
      kind,
      id,
      message: digestText(said(id)),
      objects: [encode(said(id))],
    })
  await work.sessions.submit(place, { type: 'create', session: 'writer', config: { ...emptyConfig, provider: 'test', model: 'small' } })
  const asked = { session: 'writer', input: digestText(said('go')), overrides: null, interactive: false, objects: [encode(said('go'))] }
  await work.ask({ tenant: 'acme', runId: 'r1', actor: 'ada' }, asked)
  await first
  await leave('steer', 'steer')
  await Promise.all([leave('interrupt', 'one'), leave('interrupt', 'two')])
  await work.quiet('acme', 'r1')
  expect(calls.map(textsIn)).toEqual([['user: go'], ['user: go', 'user: one', 'user: two', 'user: steer']])
  const { state } = await loadSession(store, 'acme', 'writer')
  expect([(await loadRun(store, 'acme', 'r1')).state.phase, state.left, state.open]).toEqual(['completed', [], null])
  await work.close()
  await validator.close()
})
