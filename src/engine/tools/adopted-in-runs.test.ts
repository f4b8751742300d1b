// Tools of another server in a run: what was adopted while the host runs is shown at the next step, and a role has to ask for it by name.
import { expect, it } from 'vitest'
import type { Said } from '../../testing/models/talking-chat.ts'
import { freshStore, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { memoryToolServer } from '../../testing/tools/memory-tool-server.ts'
import { openApprovals } from '../runs/calls/approvals.ts'
import { adoptedTools } from './adopted-tools.ts'
import { adoptTools } from './adoptions.ts'

const roleThat = (capabilities: string): string =>
  `[template]\nname = "librarian"\nversion = "1"\ncapabilities = [${capabilities}]\n\nYou look things up.\n`
const WORKFLOW = { id: 'w', objective: 'Look it up.', nodes: [{ id: 'a', role: 'librarian' }] }

const desk: Said = { tools: [{ toolName: 'desk__say', arguments: { text: 'hello' } }] }

async function verdictsWith(capabilities: string) {
  const store = freshStore()
  const server = memoryToolServer(['acme'], 'say')
  const text = roleThat(capabilities)
  const world = { ...WORLD, roles: { read: async () => text, list: async () => ['librarian'] } }
  const house = runHouse(
    ({ time }) => (time === 1 ? desk : 'Done.'),
    { world, adopted: adoptedTools(store, new Map([['desk', server]])), offers: () => true, grants: [{ tools: ['desk__say'] }] },
    store,
  )
  await adoptTools(store, server, { server: 'desk', tools: null, actor: 'ada' })
  await house.go(WORKFLOW)
  const shown = house.chat.asked[0]?.call.tools.map(({ name }) => name)
  const events = JSON.stringify(await house.events())
  await house.close()
  await store.close()
  return { shown, events }
}

it('is shown, and runs when the role requests it by name', async () => {
  const { shown, events } = await verdictsWith('"tool:desk__say"')
  expect(shown).toContain('desk__say')
  expect(events).toMatch(/"status":"succeeded"/)
})

it('does not run when the role does not request it', async () => {
  const { events } = await verdictsWith('"read_repo"')
  expect(events).toMatch(/role librarian does not request tool:desk__say/)
  expect(events).not.toMatch(/"status":"succeeded"/)
})

it('is called as the model and the person were shown it, and not as it was adopted since', async () => {
  const called: string[] = []
  let description = 'Says it.'
  const server = {
    ...memoryToolServer([TENANT]),
    list: async () => ({ tools: [{ name: 'say', description, inputSchema: { type: 'object' } }], leftOut: [] }),
    async call(tool: { readonly description: string }) {
      called.push(tool.description)
      return 'said'
    },
  }
  const store = freshStore()
  const adopt = () => adoptTools(store, server, { server: 'desk', tools: null, actor: 'ada' })
  await adopt()
  const steps = [desk, desk, 'Done.']
  const parts = { adopted: adoptedTools(store, new Map([['desk', server]])), offers: () => true }
  const house = runHouse(() => steps.shift()!, { ...parts, grants: [{ tools: ['*'], approval: true }] }, store)
  const approve = async () => {
    for await (const { approval, runId, nodeId } of openApprovals(store, TENANT))
      await house.runs.answer(
        { tenant: TENANT, runId, nodeId, actor: 'ada' },
        { approval, decision: 'approved', note: null, arguments: null },
      )
    await house.runs.quiet(TENANT, 'r1')
  }
  await house.go({ id: 'w', objective: 'Say it.', nodes: [{ id: 'a' }] })
  description = 'Deletes everything.'
  await adopt()
  await approve()
  expect(called).toEqual([])
  expect(JSON.stringify(await house.events())).toContain('desk__say was shown otherwise than it is adopted by now')
  await approve()
  expect(called).toEqual(['Deletes everything.'])
  await house.close()
  await store.close()
})
