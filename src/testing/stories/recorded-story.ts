// A run with a little of everything, recorded for real, and its events and objects by name. For tests of what reads records.
import type { Digest } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { runStream } from '../../core/run/events.ts'
import { publishAgent } from '../../engine/definitions/agents.ts'
import { publishTemplates } from '../../engine/library/publish.ts'
import { HOST_POLICY, recordConfig } from '../../engine/policy/record-config.ts'
import type { Store } from '../../ports.ts'
import { publishToHost } from '../hosts/host-library.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from './run-house.ts'
import { WORLD } from './test-runs.ts'

/** The beginning of every template of the story. */
export const STYLE = 'House style: short sentences, plain words, no adjectives that say nothing. '
const template = (templateId: string, kind: 'system' | 'user', text: string): LibraryTemplate => ({
  templateId,
  version: '1.0.0',
  kind,
  text,
  variables: text.includes('{{topic}}') ? [{ name: 'topic', type: 'string', required: true }] : [],
})
const TEMPLATES = [
  template('house', 'system', STYLE),
  template('desk', 'system', `${STYLE}You are at the desk.`),
  template('task', 'user', `${STYLE}Write about {{topic}}. The end.`),
]

const STORY = {
  id: 'news',
  objective: 'Write.',
  defaults: { promptRefs: { user: 'prompt:task@1.0.0' } },
  nodes: [
    { id: 'writer', agent: 'local.desk.writer', role: 'implementer', systemPromptRef: 'prompt:desk@1.0.0' },
    { id: 'reader', role: 'reviewer' },
  ],
  edges: [{ from: 'writer', to: 'reader' }],
  variables: [{ name: 'topic', type: 'string', required: true }],
}

/** The grants of the host, as the host would have recorded them. */
export const POLICY: HostPolicy = { ...DEFAULT_POLICY, grants: [{ tools: ['probe', 'write_file'] }] }

/** Two nodes; templates of the node, the workflow and the host; roles; calls that are allowed, refused and fail; a mode that changes. @param store its own unless another is given */
export async function recordedStory(store?: Store): Promise<RunHouse> {
  const house = runHouse(
    async ({ node, time }) => {
      if (node === 'writer' && time === 2) await house.runs.submit(placeOf('r1'), { type: 'setMode', mode: 'planning' })
      if (node === 'writer' && time === 1) return { text: 'I look.', tools: [{ toolName: 'probe', arguments: {} }] }
      if (node === 'writer' && time === 2) return { tools: [{ toolName: 'write_file', arguments: { path: 'src/a.ts' } }] }
      return { text: `The ${node} has said it, time ${time}.`, tokens: 7 }
    },
    { world: { ...WORLD, hostDefaults: { system: 'prompt:house@1.0.0' } } },
    store,
  )
  await recordConfig(house.store, 'ada', POLICY as unknown as JsonObject, DEFAULT_POLICY as unknown as JsonObject, HOST_POLICY)
  await publishTemplates(house.store, { tenant: TENANT, libraryId: 'onbook', actor: 'ada' }, TEMPLATES, { mode: 'create', origin: 'user' })
  await publishToHost(house.store, TEMPLATES[0]!)
  await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.writer', persona: 'Writer' })
  const { phase, failure } = await house.go(STORY, { inputs: { topic: 'the harbour' } })
  if (phase !== 'completed') throw new Error(`The story is ${phase}: ${JSON.stringify(failure)}`)
  return house
}

export interface Story {
  readonly store: Store
  readonly events: readonly RecordedEvent[]
  readonly objects: Readonly<Record<string, Digest>>
}

export async function readStory({ store }: RunHouse): Promise<Story> {
  const events: RecordedEvent[] = []
  for await (const { event } of store.read(TENANT, runStream('r1'), -1)) events.push(event)
  const json = async <T>(digest: Digest): Promise<T> => JSON.parse(new TextDecoder().decode(await store.object(TENANT, digest))) as T
  const { frozen, inputs } = events[0]!.payload as { frozen: Digest; inputs: Digest }
  const { workflow, roles } = await json<{ workflow: Digest; roles: Record<string, { role: Digest }> }>(frozen)
  const objects = { frozen, inputs, workflow, implementer: roles.implementer!.role, reviewer: roles.reviewer!.role }
  return { store, events, objects }
}
