// Several causes together, and proposals that remove something: which causes are blamed, and which are not. Real store, real runs.
import { afterAll, describe, expect, it } from 'vitest'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { GRAPH_DESCRIPTORS } from '../../core/tools/graph-descriptors.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { Store } from '../../ports.ts'
import { activePack, DESK, type Desk, type DeskFiles, openDesk, pack, role } from '../../testing/stories/proposed-desk.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { publishAgent } from '../definitions/agents.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { readProposal } from './proposal.ts'
import { regressionOf } from './regression.ts'

const changed = (path: string, from: string, to: string, files: DeskFiles = DESK): DeskFiles => {
  if (!files[path]!.includes(from)) throw new Error(`${path} has no ${from}`)
  return { ...files, [path]: files[path]!.replace(from, to) }
}

async function* only(store: Store, ...runIds: readonly string[]) {
  for (const runId of runIds) yield { store, tenant: TENANT, runId }
}

/** A desk of these files, with one run of it. */
async function deskOf(files: DeskFiles): Promise<Desk> {
  const desk = await openDesk()
  await desk.commit(files)
  await desk.adopt()
  await desk.run('run-then')
  return desk
}

async function withDesk<T>(files: DeskFiles, work: (desk: Desk) => Promise<T>): Promise<T> {
  const desk = await deskOf(files)
  try {
    return await work(desk)
  } finally {
    await desk.close()
  }
}

describe('causes that only work together', () => {
  it('a step that only several together keep from being composed is counted under at least one of them as failing', async () => {
    const base = changed(
      'workflows/story.yaml',
      'required: true }\n',
      'required: true }\n  - { name: tone, type: string, defaultValue: calm }\n',
    )
    await withDesk(base, async desk => {
      const proposal = await desk.propose({
        ...DESK,
        ...activePack('house', '2.0.0', 'Write in a {{tone}} tone.', 'tone'),
      })
      const { failing, causes } = await desk.ask(proposal, 'run-then')
      expect(failing).toBe(2)
      expect(causes.reduce((sum, one) => sum + one.failing, 0)).toBeGreaterThan(0)
    })
  })

  it('where two pairs of causes each keep a step from being composed, one of them is named as failing', async () => {
    let base = changed(
      'workflows/story.yaml',
      'required: true }\n',
      'required: true }\n  - { name: tone, type: string, defaultValue: calm }\n',
    )
    base = changed('workflows/story.yaml', 'agent: local.desk.writer }', 'agent: local.desk.writer, role: implementer }', base)
    await withDesk(base, async desk => {
      const proposal = await desk.propose({
        ...changed('agents/writer.yaml', 'role: implementer', 'role: nobody'),
        ...activePack('house', '2.0.0', 'Write in a {{tone}} tone.', 'tone'),
        'onbook.config.yaml': 'rules: { workflow-role: off }\n',
      })
      const { failing, causes } = await desk.ask(proposal, 'run-then')
      expect(failing).toBe(2)
      const named = causes.filter(one => one.failing > 0).map(({ name, part }) => part ?? name)
      expect(named.sort()).toEqual(['house', 'variables'])
    })
  })

  it('what changes a prompt only once another cause is in place is a cause too', async () => {
    const base = changed('workflows/story.yaml', 'agent: local.desk.writer }', 'agent: local.desk.writer, role: implementer }')
    await withDesk(base, async desk => {
      let files = changed('agents/writer.yaml', 'role: implementer', 'role: planner')
      files = changed('workflows/story.yaml', 'agent: local.desk.writer }', 'agent: local.desk.writer, objective: Write it. }', files)
      const { causes } = await desk.ask(await desk.propose(files), 'run-then')
      // Two of the writer, whose role text changes, and one of the critic, who sees it in the roster.
      expect(causes.find(({ cause }) => cause === 'agent')?.prompts).toBe(3)
    })
  })

  it('what no model is told is no cause, also where only two others together change a prompt', async () => {
    const base = changed('workflows/story.yaml', 'agent: local.desk.writer }', 'agent: local.desk.writer, role: implementer }')
    await withDesk(base, async desk => {
      let files = changed('agents/writer.yaml', 'role: implementer', 'role: planner')
      files = changed('agents/critic.yaml', 'label: Critic', 'label: Critic\ndescription: Nobody is told this.', files)
      const { causes } = await desk.ask(await desk.propose(files), 'run-then')
      expect(causes.map(({ cause, name, part }) => [cause, part ?? name])).toEqual([
        ['workflow', 'nodes/writer'],
        ['agent', 'local.desk.writer'],
      ])
    })
  })
})

it('an example is of the run that it names, to the byte', async () => {
  const node = '{ id: critic, agent: local.desk.critic,'
  const base = changed('workflows/story.yaml', node, `${node} objective: Judge.,`)
  await withDesk(base, async desk => {
    await desk.run('run-then-but-with-a-longer-name')
    const proposal = await desk.propose(changed('workflows/story.yaml', 'objective: Judge.', 'objective: Praise.', base))
    const both = await desk.ask(proposal, 'run-then', 'run-then-but-with-a-longer-name')
    const alone = await desk.ask(proposal, 'run-then-but-with-a-longer-name')
    expect(both.causes[0]!.examples[1]).toEqual(alone.causes[0]!.examples[0])
  })
})

it('a role that the proposal takes away is what the next run is told without it', async () => {
  await withDesk({ ...DESK, 'docs/templates/reviewer.md': role('Be kind.') }, async desk => {
    const proposal = await desk.propose(DESK)
    const asked = await desk.ask(proposal, 'run-then')
    await desk.adopt()
    await desk.run('run-now')
    const [then, now] = [await desk.told('run-then'), await desk.told('run-now')]
    const differing = Object.keys(then).filter(place => JSON.stringify(then[place]) !== JSON.stringify(now[place]))
    expect(differing).toHaveLength(1)
    expect(asked.changed).toBe(differing.length)
  })
})

it('what tasks say of a workflow that is orchestrated otherwise is what the next run says', async () => {
  await withDesk(DESK, async desk => {
    const proposal = await desk.propose(changed('workflows/story.yaml', 'variables:', 'orchestration: interactive\nvariables:'))
    const predicted = await desk.predicted(proposal, 'run-then')
    await desk.adopt()
    // It waits for a person after its first node.
    await expect(desk.run('run-now')).rejects.toThrow('running')
    const now = await desk.told('run-now')
    expect(now['writer 1 1']).toBeDefined()
    for (const [place, told] of Object.entries(now)) expect(predicted[place]).toEqual(told)
  })
})

it('a ref to the active version and a ref that names it change together when its text does', async () => {
  const base = changed('workflows/story.yaml', 'prompt:strict@1.0.0', 'prompt:house@1.0.0')
  await withDesk(base, async desk => {
    const proposal = await desk.propose({
      ...base,
      'prompts/house/v1.0.0.yaml': pack('house', '1.0.0', 'Write in the old style.'),
    })
    const { causes } = await desk.ask(proposal, 'run-then')
    expect(causes.map(({ from, to, prompts }) => [from, to, prompts])).toEqual([['1.0.0', '1.0.0', 3]])
  })
})

describe('beside a workspace', () => {
  const WRITER = { tenant: TENANT, actor: 'ada', policy: EVERYTHING }
  const validator = workerValidator()
  afterAll(() => validator.close())

  async function propose(house: RunHouse, files: DeskFiles) {
    const changes = Object.entries(files).map(([path, text]) => ({ path, write: new TextEncoder().encode(text) }))
    const { version } = await commitChanges(house.store, WRITER, { workspace: 'desk', changes })
    const library = { store: house.store, tenant: TENANT, libraryId: 'onbook' }
    return readProposal({ store: house.store, user: WRITER, choice: { workspace: 'desk', version }, library, validator })
  }

  it('the role of a node that an agent spawned is the role of the proposal too', async () => {
    const spawn = {
      tools: [
        {
          toolName: 'spawn_node',
          arguments: { label: 'The helper', alias: 'helper', roleTemplate: 'investigator', instructions: 'Look.' },
        },
      ],
    }
    const house = runHouse(({ node, time }) => (node === 'lead' && time === 1 ? spawn : 'Done.'), {
      hostCatalog: Object.values(GRAPH_DESCRIPTORS),
      grants: [{ tools: ['*'] }],
      rules: { planningCommands: [], orchestratorAsks: false, approvalMs: null },
    })
    try {
      const state = await house.go({
        id: 'grows',
        objective: 'Find out.',
        nodes: [
          { id: 'lead', role: 'orchestrator' },
          { id: 'scout', role: 'investigator' },
        ],
      })
      expect(state.phase).toBe('completed')
      const proposal = await propose(house, { 'docs/templates/investigator.md': role('Look twice.') })
      const { causes } = await regressionOf(proposal, only(house.store, 'r1'))
      expect(causes[0]!.examples.map(({ nodeId }) => nodeId).sort()).toEqual(['scout', 'the-helper-1'])
    } finally {
      await house.close()
      await house.store.close()
    }
  })

  it('whether an agent that may be shown more of what the host offers is shown more cannot be determined from the record', async () => {
    const house = runHouse(() => 'Done.')
    const agent = (tools: string) => `agentId: local.desk.writer\nlabel: Writer\nrole: implementer\ntoolAllowlist: ${tools}\n`
    try {
      await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, {
        agentId: 'local.desk.writer',
        label: 'Writer',
        role: 'implementer',
        toolAllowlist: ['probe'],
      } as never)
      const workflow = { id: 'one', objective: 'Find out.', nodes: [{ id: 'writer', agent: 'local.desk.writer' }] }
      await house.go(workflow, {}, 'run-then')
      const more = await propose(house, { 'agents/writer.yaml': agent('[probe, write_file]') })
      const asked = await regressionOf(more, only(house.store, 'run-then'))
      await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, {
        agentId: 'local.desk.writer',
        label: 'Writer',
        role: 'implementer',
        toolAllowlist: ['probe', 'write_file'],
      } as never)
      await house.go(workflow, {}, 'now')
      const toolsOf = async (runId: string) => (await house.events(runId)).find(event => event.type === 'step.started')!.request.tools
      expect(await toolsOf('now')).not.toEqual(await toolsOf('run-then'))
      expect(asked).toMatchObject({ changed: 0, unchanged: 0, untold: 1 })
      expect(asked.causes).toMatchObject([{ cause: 'agent', prompts: 1, untold: 1, examples: [{ block: 'tools', found: null }] }])
      const fewer = await regressionOf(await propose(house, { 'agents/writer.yaml': agent('[]') }), only(house.store, 'run-then'))
      expect(fewer).toMatchObject({ changed: 1, untold: 0 })
    } finally {
      await house.close()
      await house.store.close()
    }
  })
})
