// A run against a provider on 127.0.0.1 that answers as a test says: the real adapter, real HTTP, a real record. Waits between attempts are noted, not waited.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import { aiSdkChat } from '../../adapters/chat/ai-sdk-chat.ts'
import type { AnswerLimits } from '../../adapters/chat/watched-fetch.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import type { RunState } from '../../core/run/state.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import type { Delta } from '../../ports.ts'
import { type LoopbackChat, loopbackChat } from '../models/loopback-chat.ts'
import { clock, freshPath } from '../stores/sqlite-place.ts'
import { type RunHouse, runHouse } from './run-house.ts'
import { WORLD } from './test-runs.ts'

export const KEY = 'sk-key-of-the-provider'
export const ONE: Json = { id: 'one', compose: 'graph', objective: 'Go.', nodes: [{ id: 'a' }] }

/** The events of a run of one node, up to where the provider is asked. */
export const ASKED: readonly string[] = [
  ...['run.created', 'node.started a'],
  ...['system', 'few-shot', 'user', 'schema-hint'].map(() => 'prompt.traced a'),
  'step.started a',
]

export type Answering = Parameters<typeof loopbackChat>[1]

export interface ProviderRun {
  readonly server: LoopbackChat
  readonly house: RunHouse
  readonly deltas: readonly Delta[]
  /** Called with each of them. */
  onDelta: (delta: Delta) => void
  readonly waits: readonly number[]
  go(document?: Json): Promise<RunState>
  receipts(): Promise<readonly Receipt[]>
  /** The messages of the last request after the prompt. */
  lastTold(): readonly Json[]
  /** All that is on disk and all that was shown, as text, once everything is closed. */
  end(): Promise<string>
}

export async function providerRun(answer: Answering, limits: Partial<AnswerLimits> = {}): Promise<ProviderRun> {
  const server = await loopbackChat('openai', answer)
  vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', server.url)
  vi.stubEnv('OPENAI_COMPATIBLE_API_KEY', KEY)
  const path = freshPath()
  const deltas: Delta[] = []
  const waits: number[] = []
  const house = runHouse(
    () => '',
    {
      models: aiSdkChat(limits),
      world: { ...WORLD, model: { provider: 'openai-compatible', model: 'tiny' } },
      wait: async ms => void waits.push(ms),
      onDelta(_, delta) {
        deltas.push(delta)
        run.onDelta(delta)
      },
    },
    sqliteStore(path, clock, PRODUCT_PROJECTIONS),
  )
  const run: ProviderRun = {
    server,
    house,
    deltas,
    onDelta: () => {},
    waits,
    go: (document = ONE) => house.go(document),
    async receipts() {
      const settled = (await house.events()).flatMap(event =>
        event.type === 'step.settled' && event.receipt !== null ? [event.receipt] : [],
      )
      return Promise.all(settled.map(async digest => JSON.parse(await house.text(digest)) as Receipt))
    },
    lastTold: () => (JSON.parse(server.heard.at(-1)!.body) as { readonly messages: readonly Json[] }).messages.slice(2),
    async end() {
      await house.close()
      await house.store.close()
      await server.close()
      vi.unstubAllEnvs()
      const folder = dirname(path)
      const files = readdirSync(folder).map(name => readFileSync(join(folder, name), 'latin1'))
      return [...files, JSON.stringify(deltas)].join('\n')
    },
  }
  return run
}
