// Where hosts are killed: a record with everything that the run needs, and a model that outlives them and looks into the record when it is asked.
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { createKey } from '../../engine/access/access.ts'
import { publishAgent } from '../../engine/definitions/agents.ts'
import { publishWorkflow } from '../../engine/definitions/workflows.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { commitChanges } from '../../engine/workspaces/commit.ts'
import type { Store } from '../../ports.ts'
import { events, type LoopbackChat, loopbackChat } from '../models/loopback-chat.ts'
import { clock, freshPath } from '../stores/sqlite-place.ts'
import { testRuns } from '../stories/test-runs.ts'
import { type HeardRequest, isOnRecord, spelled, TENANT } from './check-run.ts'
import { AGENT, askedBy, FACTS, HOME, say, type WireMessage, WORKFLOW } from './twenty-nodes.ts'

/** The longest time of a model's answer. */
const SLOWEST_MS = 40

export interface Place {
  readonly path: string
  readonly lines: string
  readonly key: string
  readonly chat: LoopbackChat
  readonly heard: HeardRequest[]
  readonly hears: EventEmitter
  /** Requests that were not on record when they came. */
  readonly early: HeardRequest[]
  /** For a host; never the same twice. */
  nextName(): string
}

export async function withStore<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** A record with a workflow, an agent whose home has adopted a workspace, and a key; and a model that outlives every host. */
export async function furnish(): Promise<Place> {
  const path = freshPath()
  const lines = `${path}.lines`
  writeFileSync(lines, '')
  const [heard, early]: [HeardRequest[], HeardRequest[]] = [[], []]
  const hears = new EventEmitter()
  let [words, hosts] = [0, 0]
  const chat = await loopbackChat('openai', (response, { path: url, body }) => {
    const { messages } = JSON.parse(body) as { readonly messages: readonly WireMessage[] }
    const request = { ...askedBy(messages), host: url.split('/')[2]!, key: spelled(messages) }
    heard.push(request)
    hears.emit('heard')
    void withStore(path, store => isOnRecord(store, request)).then(isThere => {
      if (!isThere) early.push(request)
      const said = events(
        'openai',
        say(messages, () => `word-${++words}`),
      )
      setTimeout(() => response.setHeader('content-type', 'text/event-stream').end(said), Math.random() * SLOWEST_MS)
    })
    return undefined
  })
  const key = await withStore(path, async store => {
    const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'test' }
    const changes = [{ path: FACTS.path, write: new TextEncoder().encode(FACTS.text) }]
    await commitChanges(store, writer, { workspace: 'desk', changes })
    await publishAgent(store, writer, AGENT)
    await publishWorkflow(store, writer, WORKFLOW)
    const { sessions, close } = testRuns(store)
    const home = { tenant: TENANT, session: HOME, actor: 'test' }
    await sessions.submit(home, { type: 'create', session: HOME, config: { ...emptyConfig, workspace: { name: 'desk', version: null } } })
    await sessions.submit(home, { type: 'requestSync' })
    await sessions.quiet(TENANT, HOME)
    await sessions.submit(home, { type: 'requestApply', when: 'immediate_if_idle' })
    await close()
    const made = await createKey(store, (bytes, as) => randomBytes(bytes).toString(as), {
      tenant: TENANT,
      scopes: ['runs:create', 'runs:read', 'approvals:read', 'approvals:write'],
      workspaces: ['*'],
      actor: 'test',
    })
    return made.key
  })
  return { path, lines, key, chat, heard, hears, early, nextName: () => `host-${++hosts}` }
}
