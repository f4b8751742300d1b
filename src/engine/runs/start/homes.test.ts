// An agent's home session and its children in runs: what is adopted at home reaches a run at its next step, at its next run, or not at all.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestText } from '../../../core/digest/digest.ts'
import { emptyConfig } from '../../../core/session/config.ts'
import type { ApplyWhen } from '../../../core/session/events.ts'
import { EVERYTHING } from '../../../core/workspace/policy.ts'
import { type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { publishAgent } from '../../definitions/agents.ts'
import { loadSession } from '../../sessions/load.ts'
import { commitChanges } from '../../workspaces/commit.ts'

const HOME = { tenant: TENANT, session: 'desk', actor: 'ada' }
const AGENT = 'local.desk.writer'
const WORKFLOW = { id: 'one', objective: 'Write.', nodes: [{ id: 'writer', agent: AGENT }] }

let house: RunHouse
/** Called before each reply; the first asks for a tool, so that there is a second step. */
let between: (step: number) => Promise<void>
beforeEach(async () => {
  between = async () => {}
  let step = 0
  house = runHouse(async () => {
    step += 1
    await between(step)
    return step % 2 === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: 'Done.' }
  })
  await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, { agentId: AGENT, persona: 'Writer', session: 'desk' })
  const config = { ...emptyConfig, provider: 'scripted', model: 'small' }
  await house.runs.sessions.submit(HOME, { type: 'create', session: 'desk', agentId: AGENT, config })
  await adopt('One.', 'immediate_if_idle')
})
afterEach(async () => {
  await house.close()
  await house.store.close()
})

async function adopt(text: string, when: ApplyWhen): Promise<void> {
  const write = new TextEncoder().encode(JSON.stringify([{ role: 'system', content: text }]))
  const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }
  await commitChanges(house.store, writer, { workspace: 'desk', changes: [{ path: 'prompts/packs/default.json', write }] })
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  await house.runs.sessions.submit(HOME, { type: 'requestSync', selection })
  await house.runs.sessions.quiet(TENANT, 'desk')
  await house.runs.sessions.submit(HOME, { type: 'requestApply', when })
  await house.runs.sessions.quiet(TENANT, 'desk')
}

const versions = async (runId: string) =>
  (await house.events(runId)).flatMap(event => (event.type === 'step.started' ? [event.snapshot?.version ?? null] : []))

describe('what home adopts while a run is under way', () => {
  it.each([
    ['next_step_boundary', [1, 2], [2, 2]],
    ['next_run', [1, 1], [2, 2]],
    ['immediate_if_idle', [1, 1], [2, 2]],
  ] as const)('%s: the steps of this run, and of the next', async (when, now, then) => {
    between = async step => {
      if (step === 1) await adopt('Two.', when)
    }
    expect((await house.go(WORKFLOW, {}, 'r1')).phase).toBe('completed')
    expect(await versions('r1')).toEqual(now)
    expect((await house.go(WORKFLOW, {}, 'r2')).phase).toBe('completed')
    expect(await versions('r2')).toEqual(then)
  })
})

it.each(['next_run', 'immediate_if_idle'] as const)(
  'agentos D4: %s does not reach into a run that is under way, whenever its nodes start',
  async when => {
    between = async step => {
      if (step === 1) await adopt('Two.', when)
    }
    const nodes = ['a', 'b'].map(id => ({ id, agent: AGENT }))
    expect((await house.go({ id: 'two', objective: 'Write.', nodes, edges: [{ from: 'a', to: 'b' }] }, {}, 'r4')).phase).toBe('completed')
    expect(new Set(await versions('r4'))).toEqual(new Set([1]))
  },
)

it('agentos D13: an input that reads as JSON is refused, and the session goes on', async () => {
  const say = (text: string, runId: string) => {
    const objects = [new TextEncoder().encode(text)]
    const asked = { session: 'desk', input: digestText(text), overrides: null, interactive: false, objects }
    return house.runs.ask({ tenant: TENANT, runId, actor: 'ada' }, asked)
  }
  await expect(say('42', 'first')).rejects.toMatchObject({ code: 'object_malformed' })
  await say('hello', 'second')
  await house.runs.quiet(TENANT, 'second')
  expect((await house.state('second')).phase).toBe('completed')
  expect((await loadSession(house.store, TENANT, 'desk')).state).toMatchObject({ open: null, runs: 1 })
})

it('a node takes config and snapshot from home, starts with an empty transcript, and says nothing there', async () => {
  await house.go(WORKFLOW, {}, 'r1')
  const started = (await house.events('r1')).find(event => event.type === 'node.started')
  expect(started).toMatchObject({ session: null, home: 'desk', config: { provider: 'scripted' }, snapshot: { version: 1 } })
  const home = (await loadSession(house.store, TENANT, 'desk')).state
  expect([home.history.count, home.open, home.workspace.active?.version]).toEqual([0, null, 1])
})

it('many runs of one agent at once do not wait for one another', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map(runId => house.go(WORKFLOW, {}, runId)))
  for (const runId of ['a', 'b', 'c', 'd']) expect((await house.state(runId)).phase).toBe('completed')
})
