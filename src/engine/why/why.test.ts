// Why a node used a prompt: every layer with its result, and the events that made the rest active. On real runs in SQLite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { libraryStream } from '../../core/library/events.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyConfig } from '../../core/session/config.ts'
import type { ApplyWhen } from '../../core/session/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { StoredEvent } from '../../ports.ts'
import { template } from '../../testing/hosts/start-host.ts'
import { withReads } from '../../testing/mutations/changed-store.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { publishAgent } from '../definitions/agents.ts'
import { createFork } from '../fork/create.ts'
import { moveLabel } from '../library/labels.ts'
import { publishTemplates } from '../library/publish.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { HOST_POLICY, recordConfig } from '../policy/record-config.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { type WhyAnswer, type WhyQuestion, whyRun } from './why.ts'

const WRITER = { tenant: TENANT, libraryId: 'onbook', actor: 'ada' }
const AGENT = 'local.desk.writer'
const SOURCED = [{ id: 'writer', agent: AGENT, systemPromptRef: 'prompt:brave@live' }]
const WORKFLOW = { id: 'one', objective: 'Write.', nodes: SOURCED }

let house: RunHouse
/** Called before each reply; the first of a visit asks for a tool, so that there is a second step. */
let between: (step: number) => Promise<void>
beforeEach(async () => {
  between = async () => {}
  let step = 0
  house = runHouse(async () => {
    step += 1
    await between(step)
    return step % 2 === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: 'Done.' }
  })
  const templates = [template('brave'), template('brave', { version: '1.1.0' }), template('plain')]
  for (const one of templates)
    await publishTemplates(house.store, WRITER, [{ ...one, variables: [], text: 'Write.' }], { mode: 'create', origin: 'user' })
  await label('1.0.0')
  await label('1.1.0', 'better')
  const agent = { agentId: AGENT, persona: 'Writer', session: 'desk', role: 'reviewer', promptOverrides: { system: 'prompt:plain' } }
  await publishAgent(house.store, WRITER, agent)
})
afterEach(async () => {
  await house.close()
  await house.store.close()
})

const label = (to: string, why: string | null = null) =>
  moveLabel(house.store, WRITER, { templateId: 'brave', label: 'live', to, why, mayMoveProtected: false })
const policy = (offer: readonly string[]) => recordConfig(house.store, 'operator', { offer: offer as Json[] }, { offer: [] }, HOST_POLICY)
const why = (question?: WhyQuestion) => whyRun(house.store, TENANT, 'r1', question)
const system = async (question: WhyQuestion = {}): Promise<WhyAnswer> => (await why({ kind: 'system', ...question }))[0]!

const HOME = { tenant: TENANT, session: 'desk', actor: 'ada' }
async function openHome(): Promise<void> {
  const config = { ...emptyConfig, provider: 'scripted', model: 'small' }
  await house.runs.sessions.submit(HOME, { type: 'create', session: 'desk', agentId: AGENT, config })
}
async function adopt(text: string, when: ApplyWhen): Promise<void> {
  const write = new TextEncoder().encode(JSON.stringify([{ role: 'system', content: text }]))
  const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }
  await commitChanges(house.store, writer, { workspace: 'desk', changes: [{ path: 'prompts/packs/default.json', write }] })
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  for (const command of [{ type: 'requestSync', selection } as const, { type: 'requestApply', when } as const]) {
    await house.runs.sessions.submit(HOME, command)
    await house.runs.sessions.quiet(TENANT, 'desk')
  }
}

describe('the chain', () => {
  it('says of what won who published it, and who published the document that names it', async () => {
    const republish = { ...template('brave', { version: '1.2.0' }), variables: [], text: 'Later.' }
    await house.go(WORKFLOW)
    await publishTemplates(house.store, { ...WRITER, actor: 'eve' }, [republish], { mode: 'create', origin: 'user' })
    const { chain } = await system()
    const told = chain.filter(({ published, definition }) => published !== undefined || definition !== undefined)
    expect(told).toMatchObject([
      {
        layer: 'node',
        published: { stream: 'library/onbook', sequence: 1, type: 'template.published', actor: 'ada', at: expect.any(String) },
      },
    ])
  })

  it('says who published the agent that names it, as it was when the run began, and nothing of a text that nobody published so', async () => {
    await house.go({ ...WORKFLOW, nodes: [{ id: 'writer', agent: AGENT }] })
    const at = async () => (await system()).chain.find(({ applied }) => applied)
    const before = await at()
    expect(before).toMatchObject({
      layer: 'agent-overrides',
      published: { sequence: 2, actor: 'ada' },
      definition: { stream: `agent/${AGENT}`, sequence: 0, type: 'agent.published', actor: 'ada' },
    })
    await publishAgent(house.store, { ...WRITER, actor: 'eve' }, { agentId: AGENT, persona: 'Another' })
    expect(await at()).toEqual(before)
  })

  it('has every layer once, with what it offered, as it was written and as it was pinned', async () => {
    await house.go(WORKFLOW)
    const { nodeId, agentId, resolved, chain } = await system()
    expect([nodeId, agentId, resolved]).toEqual(['writer', AGENT, 'prompt:brave@1.1.0'])
    expect(chain.map(({ layer, applied, source, written, code }) => [layer, applied, source, written, code])).toEqual([
      ['run-configurable', false, undefined, undefined, 'nothing_here'],
      ['node', true, 'prompt:brave@1.1.0', 'prompt:brave@live', 'applied'],
      ['agent-intrinsic', false, undefined, undefined, 'nothing_here'],
      ['agent-overrides', false, 'prompt:plain@1.0.0', 'prompt:plain', 'superseded'],
      ['agent-library-default', false, undefined, undefined, 'agent_library_unset'],
      ['workflow-defaults', false, undefined, undefined, 'nothing_here'],
      ['host-defaults', false, undefined, undefined, 'nothing_here'],
    ])
    expect(chain[1]).toMatchObject({ library: 'onbook', digest: expect.stringMatching(/^sha256:/) })
  })

  it('says where a label stood until the run was created, and nothing of what came after', async () => {
    between = async step => {
      if (step === 1) await label('1.0.0', 'back')
    }
    await house.go(WORKFLOW)
    const { resolved, chain } = await system()
    expect(resolved).toBe('prompt:brave@1.1.0')
    expect(chain[1]!.label).toEqual({
      label: 'live',
      moves: [
        { from: null, to: '1.0.0', why: null, at: expect.any(String), actor: 'ada' },
        { from: '1.0.0', to: '1.1.0', why: 'better', at: expect.any(String), actor: 'ada' },
      ],
    })
    expect(chain.filter(entry => entry.label !== undefined)).toHaveLength(1)
  })

  it('says nothing of a label that is the operator’s, though library, template and label have the same names', async () => {
    const payload = { templateId: 'brave', label: 'live', from: null, to: '9.9.9', why: 'for us' }
    const entries = [{ type: 'label.moved', actor: 'operator', payload }]
    await house.store.commit({ tenant: HOST_TENANT, objects: [], appends: [{ stream: libraryStream('onbook'), expected: -1, entries }] })
    await house.go(WORKFLOW)
    const { chain } = await system()
    expect(chain.flatMap(({ label }) => label?.moves ?? []).map(({ to }) => to)).toEqual(['1.0.0', '1.1.0'])
  })

  it('of a fork says where a label stood when the choice was made, and of steps taken over no policy', async () => {
    await policy(['probe'])
    await house.go(WORKFLOW)
    const { seq } = await house.store.head(TENANT, runStream('r1'))
    await label('1.0.0', 'later')
    await createFork(house.store, TENANT, { runId: 'r1', forkId: 'f1', mode: 'branch', fromSeq: seq, actor: 'ada' })
    const [answer] = await whyRun(house.store, TENANT, 'f1', { kind: 'system' })
    expect(answer!.chain.flatMap(({ label }) => label?.moves ?? []).map(({ to }) => to)).toEqual(['1.0.0', '1.1.0'])
    expect(answer!.active).toMatchObject([{ policy: null, takenFrom: 'r1' }])
    expect((await system()).active).toMatchObject([{ policy: { revision: 1 } }])
  })

  it('says nothing of other labels, nor of the same label of another template', async () => {
    const move = (templateId: string, name: string) =>
      moveLabel(house.store, WRITER, { templateId, label: name, to: '1.0.0', why: null, mayMoveProtected: false })
    await move('brave', 'next')
    await move('plain', 'live')
    await house.go(WORKFLOW)
    expect((await system()).chain[1]!.label?.moves.map(({ to }) => to)).toEqual(['1.0.0', '1.1.0'])
  })

  it('of a few-shot entry is its own', async () => {
    const node = { id: 'writer', fewShotPromptRefs: ['prompt:plain', 'prompt:brave@live'], additionalPromptRefs: ['prompt:brave'] }
    await house.go({ ...WORKFLOW, nodes: [node] })
    const answers = await why({ kind: 'few-shot' })
    expect(answers.map(({ slot, chain }) => [slot, chain.find(({ applied }) => applied)?.written])).toEqual([
      [0, 'prompt:plain'],
      [1, 'prompt:brave@live'],
      [2, 'prompt:brave'],
    ])
  })

  it('begins with what the run itself was given', async () => {
    await house.go(WORKFLOW, { configurable: { promptOverrides: { system: 'prompt:plain@1.0.0' } } })
    const { resolved, chain } = await system()
    expect([resolved, chain[0]!.source, chain[1]!.reason]).toEqual([
      'prompt:plain@1.0.0',
      'prompt:plain@1.0.0',
      'superseded by run-configurable',
    ])
    expect(chain[0]).not.toHaveProperty('written')
  })

  it('of a node that could not be told anything says at which layer it broke off', async () => {
    await house.go({ ...WORKFLOW, nodes: [{ id: 'writer', agent: AGENT, systemPromptRef: 'prompt:nobody' }] })
    const { resolved, chain, active } = await system()
    expect([resolved, chain[1]!.code, chain[3]!.code, active]).toEqual([null, 'prompt_template_not_found', 'superseded', []])
  })
})

describe('what was in force', () => {
  it('is told by step: a snapshot that was applied in between, with the events that brought each', async () => {
    await openHome()
    await adopt('One.', 'immediate_if_idle')
    between = async step => {
      if (step === 1) await adopt('Two.', 'next_step_boundary')
    }
    await house.go(WORKFLOW)
    const { active } = await system()
    expect(active.map(({ steps, snapshot }) => [steps, snapshot?.version])).toEqual([
      [[1, 1], 1],
      [[2, 2], 2],
    ])
    const told = active.map(({ adopted }) => adopted.map(({ stream, type }) => `${stream} ${type}`))
    expect(told[0]).toEqual(['session/desk workspace.snapshotReady', 'session/desk workspace.applied'])
    expect(told[1]![0]).toBe('session/desk workspace.snapshotReady')
    expect(told[1]!.at(-1)).toMatch(/workspace\.applied$/)
    expect(told[1]!.length).toBeGreaterThan(1)
  })

  it('names the role that was frozen, and one group is enough where nothing changed', async () => {
    await house.go(WORKFLOW)
    const { active } = await system()
    expect(active).toHaveLength(1)
    expect(active[0]).toMatchObject({
      steps: [1, 2],
      snapshot: null,
      adopted: [],
      role: { name: 'reviewer', source: 'shipped', since: { stream: 'run/r1', sequence: 0, type: 'run.created' } },
      mode: { mode: 'implementation', since: { type: 'run.created' } },
      policy: null,
    })
  })

  it('follows the mode of the run and the policy of the host', async () => {
    await policy(['a'])
    between = async step => {
      if (step !== 1) return
      await house.runs.submit({ tenant: TENANT, runId: 'r1', actor: 'bob' }, { type: 'setMode', mode: 'planning' })
      await policy(['a', 'b'])
    }
    await house.go(WORKFLOW)
    const { active } = await system()
    expect(active.map(({ mode, policy: held }) => [mode.mode, mode.since.actor, held?.revision, held?.since.actor])).toEqual([
      ['implementation', 'ada', 1, 'operator'],
      ['planning', 'bob', 2, 'operator'],
    ])
  })
})

describe('the question', () => {
  const BACK = {
    ...WORKFLOW,
    nodes: [...SOURCED, { id: 'reader' }],
    edges: [
      { from: 'writer', to: 'reader' },
      { from: 'reader', to: 'writer', repeats: 1 },
    ],
  }

  it('is about the newest visit of every node, and every kind, unless it says otherwise', async () => {
    await house.go(BACK)
    const told = (answers: readonly WhyAnswer[]) => answers.map(({ nodeId, visit, kind }) => `${nodeId} ${visit} ${kind}`)
    const kinds = ['system', 'few-shot', 'user', 'schema-hint']
    expect(told(await why())).toEqual(['writer', 'reader'].flatMap(node => kinds.map(kind => `${node} 2 ${kind}`)))
    expect(told(await why({ nodeId: 'reader', kind: 'user' }))).toEqual(['reader 2 user'])
    expect(told(await why({ visit: 1, kind: 'user' }))).toEqual(['writer 1 user', 'reader 1 user'])
  })

  it.each([
    [{ nodeId: 'nobody' }, 'Run r1 has no node nobody. It has: writer.'],
    [{ nodeId: 'writer', visit: 7 }, 'Node writer of run r1 has received no prompt in visit 7.'],
    [{ visit: 7 }, 'No node of run r1 has received a prompt in visit 7.'],
  ])('%o finds nobody, and says so', async (question, message) => {
    await house.go(WORKFLOW)
    await expect(why(question)).rejects.toMatchObject({ code: 'node_missing', message })
  })

  it('is about the newest visit in which the node was told something', async () => {
    await house.go(WORKFLOW)
    const store = withReads(house.store, async function* (tenant, name, after) {
      let started: StoredEvent | null = null
      for await (const stored of house.store.read(tenant, name, after)) {
        if (stored.event.type === 'node.started') started = stored
        yield stored
      }
      if (name !== runStream('r1') || started === null) return
      const payload = { ...(started.event.payload as object), visit: 2 } as Json
      yield { ...started, event: { ...started.event, seq: 999, payload } }
    })
    expect(await whyRun(store, TENANT, 'r1', { nodeId: 'writer', kind: 'system' })).toMatchObject([{ visit: 1 }])
  })

  it('about a run that is not there, or is another tenant’s, is refused', async () => {
    await house.go(WORKFLOW)
    await expect(whyRun(house.store, TENANT, 'nobody')).rejects.toMatchObject({ code: 'run_missing' })
    await expect(whyRun(house.store, 'umbrella', 'r1')).rejects.toMatchObject({ code: 'run_missing' })
  })
})
