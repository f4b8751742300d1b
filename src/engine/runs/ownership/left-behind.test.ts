// Notifications that a host owed and could not send, because it stopped right after the commit that caused them. The next host must send them.
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../../core/digest/digest.ts'
import { emptyConfig } from '../../../core/session/config.ts'
import { EVERYTHING } from '../../../core/workspace/policy.ts'
import type { Said } from '../../../testing/models/talking-chat.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { publishAgent } from '../../definitions/agents.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'
import { commitChanges } from '../../workspaces/commit.ts'

/** Each on a connection of its own: nothing but the record is left of the one before. */
const opens = (path: string) => (owner: string, say: () => Said | Promise<Said>) =>
  runHouse(say, { owner }, sqliteStore(path, clock, PRODUCT_PROJECTIONS))

/** Stops while what was asked is being committed; nothing that it calls for is begun. */
async function stopDuring(house: RunHouse, asked: Promise<unknown>): Promise<void> {
  await Promise.all([asked, house.close()])
  await house.store.close()
}

async function goOn(house: RunHouse): Promise<void> {
  await house.runs.resume()
  await house.runs.quiet(TENANT, 'r1')
}

it('a node that waits for an approval is told by the next host what a person said', async () => {
  const open = opens(freshPath())
  const asking: Said[] = [{ tools: [{ toolName: 'request_implementation', arguments: { reason: 'It must change.' } }] }, 'I wait.']
  const first = open('first', () => asking.shift()!)
  const document: Json = { id: 'one', mode: 'planning', orchestration: 'interactive', objective: 'Plan.', nodes: [{ id: 'a' }] }
  const { approvals } = await first.go(document)
  const answer = { type: 'resolveMode', approval: approvals[0]!.approval, decision: 'approved', by: 'ada', note: null } as const
  await stopDuring(first, first.runs.submit(placeOf('r1'), answer))

  const second = open('second', () => 'Now I implement.')
  await goOn(second)
  const { mode, nodes } = await second.state()
  await stopDuring(second, Promise.resolve())
  expect([mode, nodes.a!.steps]).toEqual(['implementation', 3])
})

it('what home applies at a step boundary reaches the nodes of a run that the next host goes on with', async () => {
  const open = opens(freshPath())
  const home = { tenant: TENANT, session: 'desk', actor: 'ada' }
  const first = open('first', () => new Promise<Said>(() => {}))
  const publish = async (text: string) => {
    const changes = [
      { path: 'prompts/packs/default.json', write: new TextEncoder().encode(JSON.stringify([{ role: 'system', content: text }])) },
    ]
    await commitChanges(first.store, { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }, { workspace: 'desk', changes })
    await first.runs.sessions.submit(home, { type: 'requestSync' })
    await first.runs.sessions.quiet(TENANT, 'desk')
  }
  await publishAgent(first.store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.writer', persona: 'Writer', session: 'desk' })
  const config = { ...emptyConfig, provider: 'scripted', model: 'small', workspace: { name: 'desk', version: null }, prelude: 'default' }
  await first.runs.sessions.submit(home, { type: 'create', session: 'desk', config })
  await publish('One.')
  await first.runs.sessions.submit(home, { type: 'requestApply', when: 'immediate_if_idle' })
  await first.create({ id: 'one', objective: 'Write.', nodes: [{ id: 'writer', agent: 'local.desk.writer' }] })
  await first.chat.until('writer')
  await publish('Two.')
  await stopDuring(first, first.runs.sessions.submit(home, { type: 'requestApply', when: 'next_step_boundary' }))

  const saying: Said[] = [{ tools: [{ toolName: 'probe', arguments: {} }] }, 'Done.']
  const second = open('second', () => saying.shift()!)
  await goOn(second)
  const versions = (await second.events()).flatMap(event => (event.type === 'step.started' ? [event.snapshot?.version] : []))
  const { phase } = await second.state()
  await stopDuring(second, Promise.resolve())
  expect([phase, versions]).toEqual(['completed', [1, 2]])
})
