// The fixture for tests of runs: a store of its own, a model whose replies the test gives, and one tool that works or fails on demand.
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import type { RunState } from '../../core/run/state.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { loadRun } from '../../engine/runs/load.ts'
import type { CreateRun } from '../../engine/runs/start/create.ts'
import type { RunParts } from '../../engine/runs/work.ts'
import { Fault } from '../../errors.ts'
import type { Binding, Store } from '../../ports.ts'
import { type Asked, type Said, type TalkingChat, talkingChat } from '../models/talking-chat.ts'
import { clock, freshPath } from '../stores/sqlite-place.ts'
import { type TestRuns, testRuns, workflowOf } from './test-runs.ts'

export const TENANT = 'acme'
export const placeOf = (runId: string, actor = 'ada') => ({ tenant: TENANT, runId, actor })

/** Fails if it is asked to. */
const binding = (name: string): Binding => ({
  descriptor: { name, description: 'Tries.', inputSchema: { type: 'object' } },
  repeatable: true,
  async run({ arguments: given }) {
    if ((given as { readonly fail?: boolean }).fail === true) throw new Fault('validation_error', { problem: 'It was asked to fail' })
    return { done: true }
  },
})
const TOOLS = ['probe', 'write_file'].map(binding)

export interface RunHouse {
  readonly store: Store
  readonly chat: TalkingChat
  readonly runs: TestRuns
  create(document: Json, more?: Partial<CreateRun>, runId?: string): Promise<void>
  /** Runs it until nothing is under way. */
  go(document: Json, more?: Partial<CreateRun>, runId?: string): Promise<RunState>
  state(runId?: string): Promise<RunState>
  events(runId?: string): Promise<readonly RunEvent[]>
  /** Events with their node, as a test reads them. */
  story(runId?: string): Promise<readonly string[]>
  text(digest: Digest): Promise<string>
  /** The prompts of a node's steps, as they are on record. */
  prompts(nodeId: string, runId?: string): Promise<readonly string[]>
  close(): Promise<void>
}

export function runHouse(say: (asked: Asked) => Said | Promise<Said>, more: Partial<RunParts> = {}, store = freshStore()): RunHouse {
  const chat = talkingChat(say)
  const runs = testRuns(store, undefined, {
    models: chat,
    bindings: new Map(TOOLS.map(tool => [tool.descriptor.name, tool])),
    grants: [{ tools: TOOLS.map(({ descriptor }) => descriptor.name) }],
    hostCatalog: TOOLS.map(({ descriptor }) => descriptor),
    ...more,
  })
  const text = async (digest: Digest) => new TextDecoder().decode(await store.object(TENANT, digest))
  const events = async (runId = 'r1') => {
    const found: RunEvent[] = []
    for await (const { event } of store.read(TENANT, runStream(runId), -1)) found.push(runEvent(event))
    return found
  }
  const create = async (document: Json, request: Partial<CreateRun> = {}, runId = 'r1') => {
    await runs.create(placeOf(runId), { workflow: workflowOf(document), ...request })
  }
  const state = async (runId = 'r1') => (await loadRun(store, TENANT, runId)).state
  return {
    store,
    chat,
    runs,
    create,
    async go(document, request, runId = 'r1') {
      await create(document, request, runId)
      await runs.quiet(TENANT, runId)
      return state(runId)
    },
    state,
    events,
    story: async runId =>
      (await events(runId)).map(event => ('nodeId' in event && event.nodeId !== null ? `${event.type} ${event.nodeId}` : event.type)),
    text,
    async prompts(nodeId, runId) {
      const steps = (await events(runId)).flatMap(event => (event.type === 'step.started' && event.nodeId === nodeId ? [event] : []))
      return Promise.all(steps.map(({ prompt }) => text(prompt.full)))
    },
    close: () => runs.close(),
  }
}

export const freshStore = (): Store => sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
