// Authors of a prompt in cases where the wrong one is easily named: reverted text, text that goes along with a handoff, nodes that agents added.
import { afterEach, describe, expect, it } from 'vitest'
import { canonicalJson, digestText } from '../../core/digest/digest.ts'
import { GRAPH_DESCRIPTORS } from '../../core/tools/graph-descriptors.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { publishAgent } from '../definitions/agents.ts'
import { blameRun } from './blame.ts'

let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
})

const sourcesOf = async (nodeId: string, text: string) => {
  const [answer] = await blameRun(house.store, TENANT, 'r1', { nodeId })
  return answer!.spans.filter(one => one.text.includes(text)).map(({ source }) => source)
}

describe('whose words they are', () => {
  it('what somebody gave for all nodes is theirs, also after another took back what they gave for one', async () => {
    const give = (actor: string, nodeId: string | null, said: string | null) => {
      const stored = canonicalJson({ text: said })
      const objects = said === null ? [] : [new TextEncoder().encode(stored)]
      const text = said === null ? null : digestText(stored)
      return house.runs.submit(placeOf('r1', actor), { type: 'giveOverride', nodeId, text }, { objects })
    }
    house = runHouse(async ({ time }) => {
      if (time > 1) return 'Done.'
      await give('ada', null, 'Be brief, all of you.')
      await give('bob', 'writer', 'Be long.')
      await give('bob', 'writer', null)
      return { tools: [{ toolName: 'probe', arguments: {} }] }
    })
    await house.go({ id: 'one', nodes: [{ id: 'writer', objective: 'Write.' }] })
    expect(await sourcesOf('writer', 'Be brief')).toEqual([{ from: 'person', name: 'ada' }])
  })

  it('a context pack of an edge is written in the workflow, and by no node', async () => {
    house = runHouse(() => 'Said.')
    await house.go({
      id: 'one',
      objective: 'Write.',
      nodes: [{ id: 'writer' }, { id: 'critic' }],
      edges: [{ from: 'writer', to: 'critic', contextPacks: [{ ref: 'style', text: 'Short sentences.' }] }],
    })
    expect(await sourcesOf('critic', 'Short sentences.')).toEqual([{ from: 'workflow', name: 'one' }])
    expect(await sourcesOf('critic', 'Said.')).toEqual([{ from: 'handoff', name: 'writer' }])
  })

  it('a node that an agent spawned and an edge that it made are the agent’s, and the others the workflow’s', async () => {
    const calls = [
      {
        toolName: 'spawn_node',
        arguments: { label: 'Words of an agent', alias: 'helper', roleTemplate: 'investigator', instructions: 'Look.' },
      },
      { toolName: 'create_edge', arguments: { from: 'lead', to: 'clerk', label: 'a way of an agent' } },
    ]
    house = runHouse(({ node, time }) => (node === 'lead' && time <= 2 ? { tools: [calls[time - 1]!] } : 'Done.'), {
      hostCatalog: Object.values(GRAPH_DESCRIPTORS),
      grants: [{ tools: ['*'] }],
      rules: { planningCommands: [], orchestratorAsks: false, approvalMs: null },
    })
    const nodes = [
      { id: 'lead', role: 'orchestrator' },
      { id: 'clerk', label: 'Words of the workflow' },
    ]
    await house.go({ id: 'grows', objective: 'Find out.', nodes, edges: [{ from: 'lead', to: 'clerk', label: 'a way of the workflow' }] })
    expect(await sourcesOf('lead', 'Words of an agent')).toEqual([{ from: 'agent', name: 'lead' }])
    expect(await sourcesOf('lead', 'a way of an agent')).toEqual([{ from: 'agent', name: 'lead' }])
    expect(await sourcesOf('lead', 'Words of the workflow')).toEqual([{ from: 'workflow', name: 'grows' }])
    expect(await sourcesOf('lead', 'a way of the workflow')).toEqual([{ from: 'workflow', name: 'grows' }])
  })

  it('what a node may do is said by whoever says something of it: the node, its agent, its role', async () => {
    house = runHouse(() => 'Said.')
    const agent = { agentId: 'local.desk.writer', label: 'Writer', role: 'implementer', settings: { writeCode: false } }
    await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, agent as never)
    const nodes = [{ id: 'plain' }, { id: 'own', settings: { gated: true } }, { id: 'agents', agent: 'local.desk.writer' }]
    await house.go({ id: 'one', objective: 'Write.', nodes })
    const said = (name: string | null) => [{ from: 'settings', name }]
    expect(await sourcesOf('plain', '"gated"')).toEqual(said(null))
    expect(await sourcesOf('own', '"gated"')).toEqual(said('node own'))
    expect(await sourcesOf('agents', '"gated"')).toEqual(said('agent local.desk.writer, role implementer'))
  })
})
