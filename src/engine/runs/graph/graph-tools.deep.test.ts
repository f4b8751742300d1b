// A run whose agents change its graph, stopped after every single one of its commits: the next host finishes it as if nothing had happened.
import { expect, it } from 'vitest'
import { workerValidator } from '../../../adapters/validator/worker-validator.ts'
import type { Json } from '../../../core/digest/digest.ts'
import { GRAPH_DESCRIPTORS } from '../../../core/tools/graph-descriptors.ts'
import type { Store } from '../../../ports.ts'
import type { Asked, Said } from '../../../testing/models/talking-chat.ts'
import { freshStore, type RunHouse, runHouse } from '../../../testing/stories/run-house.ts'

const RUN: Json = { id: 'grows', objective: 'Find out.', nodes: [{ id: 'lead', role: 'orchestrator' }] }
const NAMES = ['left', 'right']
const ASK = { expectation: 'required' }

/** The reply depends only on the messages of the call: a repeated step gets the same reply. */
function say({ node, call }: Asked): Said {
  const results = call.messages.flatMap(({ role }) => (role === 'tool' ? [role] : [])).length
  if (node !== 'lead') return `${node} knows.`
  const spawn = NAMES.map(alias => ({
    toolName: 'spawn_node',
    arguments: { label: alias, alias, roleTemplate: 'investigator', instructions: 'Look.' },
  }))
  const edges = NAMES.map(to => ({ toolName: 'create_edge', arguments: { from: 'lead', to } }))
  if (results === 0) return { tools: [...spawn, ...edges] }
  if (results === 4) return { tools: NAMES.map(to => ({ toolName: 'send_handoff', arguments: { to, message: 'Well?', response: ASK } })) }
  return `${results} answers.`
}

/** After `after` commits the store writes nothing and answers no call, as if the process were gone. */
function stopping(store: Store, after: number): { readonly store: Store; readonly gone: Promise<void>; readonly count: () => number } {
  let count = 0
  let go = (): void => {}
  const gone = new Promise<void>(resolve => {
    go = resolve
  })
  const commit: Store['commit'] = change => {
    count += 1
    if (count <= after) return store.commit(change)
    go()
    return new Promise(() => {})
  }
  return { store: { ...store, commit }, gone, count: () => count }
}

it('stopped anywhere, it comes to the same end, and nothing is made or sent twice', { timeout: 600_000 }, async () => {
  const validator = workerValidator()
  const parts = {
    validator,
    hostCatalog: Object.values(GRAPH_DESCRIPTORS),
    grants: [{ tools: ['*'] }],
    rules: { planningCommands: [], orchestratorAsks: false, approvalMs: null },
  }
  const over = (house: RunHouse) => expect.poll(async () => (await house.state()).phase, { timeout: 30_000 }).toBe('completed')
  let most = Number.POSITIVE_INFINITY
  for (let after = 1; after <= most; after += 1) {
    const under = freshStore()
    const { store, gone, count } = stopping(under, after)
    const first = runHouse(say, parts, store)
    await first.create(RUN)
    const isOver = await Promise.race([gone.then(() => false), over(first).then(() => true)])
    if (isOver) most = count()
    const next = runHouse(say, { ...parts, owner: 'next' }, under)
    await next.runs.resume()
    await over(next)
    const events = await next.events()
    const times = (type: string) => events.filter(event => event.type === type).length
    expect([after, times('node.spawned'), times('edge.created'), times('handoff.sent'), times('call.settled')]).toEqual([after, 2, 2, 4, 6])
    const statuses = events.flatMap(event => (event.type === 'call.settled' ? [event.status] : []))
    expect(new Set(statuses)).toEqual(new Set(['succeeded']))
    const { outputs, inbox, awaited } = await next.state()
    expect([inbox, awaited]).toEqual([[], []])
    const listed = JSON.parse(await next.text(outputs!)) as { readonly nodes: { readonly lead: never } }
    expect(JSON.parse(await next.text(listed.nodes.lead))).toMatchObject({ output: '6 answers.' })
    await next.runs.sessions.close()
  }
  expect(most).toBeGreaterThan(20)
  await validator.close()
})
