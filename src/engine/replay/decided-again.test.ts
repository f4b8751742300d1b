// Decisions that level 2 repeats besides prompts and verdicts: the origin of a step's parts, and nodes that agents add to the graph. A
// changed record of either is detected.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { runStream } from '../../core/run/events.ts'
import { GRAPH_DESCRIPTORS } from '../../core/tools/graph-descriptors.ts'
import type { Store } from '../../ports.ts'
import { withHistory } from '../../testing/mutations/changed-store.ts'
import { type Desk, openDesk } from '../../testing/stories/proposed-desk.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { replayRun } from './replay.ts'

/** As if every event of a type said this too, and everything after it had been written so. */
const saying = (store: Store, stream: string, type: string, changes: (payload: JsonObject) => object): Store =>
  withHistory(store, [stream], event =>
    event.type === type ? { ...event, payload: { ...(event.payload as JsonObject), ...changes(event.payload as JsonObject) } } : event,
  )

describe('of a step', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await openDesk()
    await desk.run('run-then')
  })
  afterAll(() => desk.close())

  it.each([
    ['where the tools of a step come from', () => ({ toolSource: 'host' })],
    ['where the prelude of a step comes from', () => ({ source: 'none' })],
    ['which version of a workspace was active', ({ snapshot }: JsonObject) => ({ snapshot: { ...(snapshot as JsonObject), version: 99 } })],
  ] as const)('%s', async (_, changes: (payload: JsonObject) => object) => {
    expect((await replayRun(desk.house.store, TENANT, 'run-then')).identical).toBe(true)
    const { divergences } = await replayRun(saying(desk.house.store, runStream('run-then'), 'step.started', changes), TENANT, 'run-then')
    expect(divergences[0]?.field).toBe(Object.keys(changes({ snapshot: {} }))[0])
  })
})

describe('of a graph that agents change', () => {
  const CALLS = [
    {
      toolName: 'spawn_node',
      arguments: { label: 'The helper', alias: 'helper', roleTemplate: 'investigator', instructions: 'Look.' },
    },
    { toolName: 'create_edge', arguments: { from: 'lead', to: 'clerk', label: 'a way' } },
    { toolName: 'send_handoff', arguments: { to: 'clerk', message: 'Write it down.' } },
  ]
  let house: RunHouse
  beforeAll(async () => {
    house = runHouse(({ node, time }) => (node === 'lead' && time <= 3 ? { tools: [CALLS[time - 1]!] } : 'Done.'), {
      hostCatalog: Object.values(GRAPH_DESCRIPTORS),
      grants: [{ tools: ['*'] }],
      rules: { planningCommands: [], orchestratorAsks: false, approvalMs: null },
    })
    await house.go({ id: 'grows', objective: 'Find out.', nodes: [{ id: 'lead', role: 'orchestrator' }, { id: 'clerk' }] })
  })
  afterAll(async () => {
    await house.close()
    await house.store.close()
  })

  it('is made again as it was', async () => {
    const types = (await house.events('r1')).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['node.spawned', 'edge.created', 'handoff.sent', 'handoff.delivered']))
    expect((await replayRun(house.store, TENANT, 'r1')).divergences).toEqual([])
  })

  it.each([
    ['node.spawned', { by: 'clerk' }],
    ['node.spawned', { depth: 2 }],
    ['node.spawned', { asks: true }],
    ['node.spawned', { model: { provider: 'other', model: 'other', maxTokens: null, reasoningEffort: null } }],
    ['node.spawned', { label: 'Another' }],
    ['edge.created', { nodeId: 'clerk' }],
    ['edge.created', { edgeId: 'made-9' }],
    ['edge.created', { label: 'another way' }],
    ['handoff.sent', { nodeId: 'clerk' }],
    ['handoff.sent', { expectation: 'required' }],
    ['handoff.sent', { handoff: 'handoff-9' }],
    ['handoff.delivered', { nodeId: 'lead' }],
  ])('%s that says %j is found', async (type, changes) => {
    const { divergences } = await replayRun(
      saying(house.store, runStream('r1'), type, () => changes),
      TENANT,
      'r1',
    )
    expect(divergences).toContainEqual(expect.objectContaining({ point: type, field: Object.keys(changes)[0] }))
  })
})
