// Calls that a person has to approve, however they are made: natively or by line. Bugs 8, 10 and 11 of the list.
import { afterEach, describe, expect, it } from 'vitest'
import { scriptedChat } from '../../../adapters/chat/scripted-chat.ts'
import type { Json } from '../../../core/digest/digest.ts'
import { GRAPH_DESCRIPTORS } from '../../../core/tools/graph-descriptors.ts'
import type { Binding } from '../../../ports.ts'
import { type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import type { RunParts } from '../work.ts'
import { type AskedApproval, openApprovals } from './approvals.ts'

let house: RunHouse
let paid: Json[] = []
afterEach(async () => {
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

const pay: Binding = {
  descriptor: { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } },
  async run({ arguments: given }) {
    paid.push(given)
    return { paid: given }
  },
}

type Call = readonly [name: string, id: string, args: Json]

/** One reply with these calls, and then one that says that it is done. */
function scriptOf(way: 'native' | 'lines', calls: readonly Call[]): string {
  const text = ['I begin.', ...calls.map(([name, id, args]) => JSON.stringify({ tool_call: { id, name, args } }))].join('\n')
  const toolCalls = calls.map(([toolName, callId, args]) => ({ toolName, callId, arguments: args }))
  const first = way === 'native' ? { text: 'I begin.', toolCalls } : { text }
  return JSON.stringify({
    calls: way,
    replies: [
      { match: { step: 1 }, ...first },
      { match: {}, text: 'Done.' },
    ],
  })
}

async function begin(way: 'native' | 'lines', calls: readonly Call[], nodes: readonly Json[], more: Partial<RunParts> = {}) {
  paid = []
  house = runHouse(() => 'Nobody asks.', {
    models: scriptedChat('script.yaml', scriptOf(way, calls)),
    bindings: new Map([['pay', pay]]),
    hostCatalog: [pay.descriptor, ...Object.values(GRAPH_DESCRIPTORS)],
    grants: [{ tools: ['pay'], approval: true }, { tools: Object.keys(GRAPH_DESCRIPTORS) }],
    ...more,
  })
  return house.go({ id: 'w', objective: 'Pay.', nodes })
}

async function asked(): Promise<readonly AskedApproval[]> {
  const found: AskedApproval[] = []
  for await (const one of openApprovals(house.store, TENANT)) found.push(one)
  return found
}

async function answer({ approval, runId, nodeId }: AskedApproval, decision: 'approved' | 'denied') {
  await house.runs.answer({ tenant: TENANT, runId, nodeId, actor: 'key:boss' }, { approval, decision, note: null, arguments: null })
  await house.runs.quiet(TENANT, 'r1')
}

const settled = async () =>
  (await house.events()).flatMap(event =>
    event.type === 'call.settled' ? [`${event.nodeId} ${event.call} ${event.tool} ${event.status}`] : [],
  )

/** The tool results that a node received: the id that the node chose, and the result. */
async function results(nodeId: string) {
  const found: unknown[] = []
  for (const event of await house.events()) {
    if (event.type !== 'call.settled' || event.nodeId !== nodeId || event.result === null) continue
    const [{ callId, output }] = JSON.parse(await house.text(event.result)).content
    found.push([callId, output])
  }
  return found
}

describe.each(['native', 'lines'] as const)('called %s', way => {
  it('of two nodes with one id for a call, each gets its own answer and its own result (8)', async () => {
    await begin(way, [['pay', 'tool-1', { to: 'ada' }]], [{ id: 'left' }, { id: 'right' }])
    const [left, right] = ['left', 'right'].map(nodeId => async () => (await asked()).find(one => one.nodeId === nodeId)!)
    await answer(await left!(), 'approved')
    expect(await settled()).toEqual(['left 1 pay succeeded'])
    await answer(await right!(), 'denied')
    expect(paid).toEqual([{ to: 'ada' }])
    expect(await results('left')).toEqual([['tool-1', { paid: { to: 'ada' } }]])
    expect(await results('right')).toEqual([['tool-1', { error: expect.stringContaining('denied') }]])
    expect((await house.state()).phase).toBe('completed')
  })

  it('after a denial every later call of the reply is settled, and told (10)', async () => {
    await begin(
      way,
      [
        ['pay', 'a', { to: 'ada' }],
        ['pay', 'b', { to: 'bob' }],
        ['send_handoff', 'c', { to: 'n', message: 'x' }],
      ],
      [{ id: 'n' }],
    )
    await answer((await asked())[0]!, 'denied')
    expect([paid, await asked()]).toEqual([[], []])
    expect(await settled()).toEqual(['n 1 pay failed', 'n 2 pay cancelled', 'n 3 send_handoff cancelled'])
    expect((await results('n')).map(one => (one as readonly unknown[])[0])).toEqual(['a', 'b', 'c'])
    expect((await house.state()).phase).toBe('completed')
  })

  it.each(['approved', 'denied'] as const)(
    'a node that may only change the graph with a person asks one, and does not hang: %s (11)',
    async decision => {
      const spawn: Call = ['spawn_node', 'tool-1', { label: 'Helper', roleTemplate: 'investigator', instructions: 'Look.' }]
      await begin(way, [spawn], [{ id: 'n', settings: { edgeManagement: 'all' } }])
      const [one, ...others] = await asked()
      expect([one?.wants.kind === 'tool' && one.wants.tool, others]).toEqual(['spawn_node', []])
      await answer(one!, decision)
      const { phase, grown } = await house.state()
      expect([phase, grown.nodes.length, await asked()]).toEqual(['completed', decision === 'approved' ? 1 : 0, []])
    },
  )
})
