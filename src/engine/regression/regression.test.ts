// The effect of a proposed workspace version on recorded prompts: every cause named, and only those. Real store, real runs, one of them after the change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import type { Store } from '../../ports.ts'
import { withEvent, withObject, withoutObject } from '../../testing/mutations/changed-store.ts'
import { mispredicted } from '../../testing/mutations/mispredicted.ts'
import { activePack, DESK, type Desk, type DeskFiles, openDesk, pack, role } from '../../testing/stories/proposed-desk.ts'
import { TENANT } from '../../testing/stories/run-house.ts'
import { regressionOf } from './regression.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
  await desk.run('before-1')
  await desk.run('before-2', 'the harbour')
})
afterAll(() => desk.close())

const ask = async (files: DeskFiles) => desk.ask(await desk.propose({ ...DESK, ...files }), 'before-1', 'before-2')
const changed = (path: string, from: string, to: string): DeskFiles => {
  if (!DESK[path]!.includes(from)) throw new Error(`${path} has no ${from}`)
  return { [path]: DESK[path]!.replace(from, to) }
}

it('a proposal that is what was in force changes nothing', async () => {
  const { against, ...rest } = await ask({})
  expect(against.workspace).toBe('desk')
  expect(rest).toEqual({
    runs: 2,
    prompts: 6,
    unchanged: 6,
    changed: 0,
    failing: 0,
    gone: 0,
    untold: 0,
    unsound: 0,
    unsoundRuns: [],
    causes: [],
    workspaces: ['desk'],
    unreached: [],
  })
})

interface Case {
  readonly name: string
  readonly files: () => DeskFiles
  readonly changed: number
  readonly failing?: number
  readonly gone?: number
  readonly causes: readonly object[]
}

const at = (nodeId: string, block: string | null, expected: string | null, found: unknown) => [
  expect.objectContaining({ runId: 'before-1', nodeId, visit: 1, step: 1, block, expected, found }),
  expect.anything(),
]
const said = (text: string) => expect.stringContaining(text)

const CASES: readonly Case[] = [
  {
    name: 'a new version that is active reaches refs that name none',
    files: () => ({ ...activePack('house', '1.1.0', 'Write for phones.') }),
    changed: 4,
    causes: [
      {
        cause: 'template',
        name: 'house',
        file: 'prompts/house/v1.1.0.yaml',
        from: '1.0.0',
        to: '1.1.0',
        runs: 2,
        prompts: 4,
        failing: 0,
        examples: [...at('writer', 'role', 'in the house style', 'for phones'), expect.anything()],
      },
    ],
  },
  {
    name: 'a new version that is not active reaches nobody',
    files: () => ({ 'prompts/house/v1.1.0.yaml': pack('house', '1.1.0', 'Write for phones.') }),
    changed: 0,
    causes: [],
  },
  {
    name: 'a new version does not reach a ref that is pinned',
    files: () => ({ 'prompts/strict/v1.1.0.yaml': pack('strict', '1.1.0', 'Be kind.') }),
    changed: 0,
    causes: [],
  },
  {
    name: 'a version that is on record with another text is said to be one',
    files: () => ({ 'prompts/strict/v1.0.0.yaml': pack('strict', '1.0.0', 'Be kind.') }),
    changed: 2,
    causes: [{ cause: 'template', name: 'strict', from: '1.0.0', to: '1.0.0', sameVersion: true, runs: 2, prompts: 2 }],
  },
  {
    name: 'a template that wants what nobody gives keeps its steps from being composed',
    files: () => ({
      ...activePack('house', '2.0.0', 'Write in a {{tone}} tone.', 'tone'),
    }),
    changed: 0,
    failing: 4,
    causes: [
      {
        cause: 'template',
        name: 'house',
        prompts: 4,
        failing: 4,
        examples: [...at('writer', null, null, said('tone')), expect.anything()],
      },
    ],
  },
  {
    name: 'a file of a prelude',
    files: () => ({ 'context/desk.md': 'We print at seven.\n' }),
    changed: 6,
    causes: [
      {
        cause: 'prelude',
        name: 'desk',
        file: 'context/desk.md',
        prompts: 6,
        examples: [...at('writer', 'prelude', 'ix', 'even'), expect.anything()],
      },
    ],
  },
  {
    name: 'a prelude that is gone',
    files: () => ({ 'prompts/packs/desk.json': '{' }),
    changed: 0,
    failing: 6,
    causes: [{ cause: 'prelude', name: 'desk', to: null, failing: 6 }],
  },
  {
    name: 'a descriptor of a catalog',
    files: () => changed('tools/descriptors/probe.json', 'Tries.', 'Tries hard.'),
    changed: 6,
    causes: [
      {
        cause: 'catalog',
        name: 'desk',
        file: 'tools/descriptors/probe.json',
        prompts: 6,
        examples: [...at('writer', 'tools', '', ' hard'), expect.anything()],
      },
    ],
  },
  {
    name: 'an agent that names another prompt',
    files: () => changed('agents/writer.yaml', 'prompt:house', 'prompt:strict'),
    changed: 4,
    causes: [{ cause: 'agent', name: 'local.desk.writer', file: 'agents/writer.yaml', prompts: 4 }],
  },
  {
    name: 'an agent that takes another role, which only the roster of others shows',
    files: () => changed('agents/critic.yaml', 'role: reviewer', 'role: planner'),
    changed: 6,
    causes: [{ cause: 'agent', name: 'local.desk.critic', prompts: 6 }],
  },
  {
    name: 'a role that there is not',
    files: () => ({
      ...changed('agents/critic.yaml', 'role: reviewer', 'role: nobody'),
      'onbook.config.yaml': 'rules: { workflow-role: off }\n',
    }),
    changed: 4,
    failing: 2,
    causes: [{ cause: 'agent', name: 'local.desk.critic', prompts: 6, failing: 2 }],
  },
  {
    name: 'a role of the workspace itself',
    files: () => ({ 'docs/templates/reviewer.md': role('Be kind.') }),
    changed: 2,
    causes: [{ cause: 'role', name: 'reviewer', file: 'docs/templates/reviewer.md', prompts: 2 }],
  },
  {
    name: 'a node that names a template of the proposal',
    files: () => ({
      ...changed('workflows/story.yaml', 'strict@1.0.0', 'strict@2.0.0'),
      'prompts/strict/v2.0.0.yaml': pack('strict', '2.0.0', 'Be kind.'),
    }),
    changed: 2,
    causes: [{ cause: 'workflow', name: 'story', part: 'nodes/critic', file: 'workflows/story.yaml', prompts: 2, failing: 0 }],
  },
  {
    name: 'a node that names a template that there is not',
    files: () => changed('workflows/story.yaml', 'strict@1.0.0', 'strict@3.0.0'),
    changed: 0,
    failing: 2,
    causes: [
      { cause: 'workflow', part: 'nodes/critic', failing: 2, examples: at('critic', null, null, said('prompt_template_not_found')) },
    ],
  },
  {
    name: 'the objective of a workflow',
    files: () => changed('workflows/story.yaml', 'objective: A story.', 'objective: A long story.'),
    changed: 6,
    causes: [{ cause: 'workflow', part: 'objective', prompts: 6, examples: [...at('writer', 'task', '', 'long '), expect.anything()] }],
  },
  {
    name: 'defaults of a workflow, where no other layer speaks',
    files: () => changed('workflows/story.yaml', 'variables:', 'defaults: { promptRefs: { user: "prompt:house" } }\nvariables:'),
    changed: 6,
    causes: [{ cause: 'workflow', part: 'promptRefs', prompts: 6 }],
  },
  {
    name: 'a node that is gone',
    files: () => ({ 'workflows/story.yaml': DESK['workflows/story.yaml']!.replace(/\n {2}- \{ id: critic.*\nedges:[\s\S]*/, '\n') }),
    changed: 4,
    gone: 2,
    causes: [
      { cause: 'workflow', part: 'nodes/critic', prompts: 6, failing: 0, gone: 2 },
      { cause: 'workflow', part: 'edges', prompts: 6, failing: 0, gone: 0 },
    ],
  },
  {
    name: 'a node that is switched off',
    files: () => changed('workflows/story.yaml', '{ id: critic,', '{ id: critic, disabled: true,'),
    changed: 0,
    gone: 2,
    causes: [{ cause: 'workflow', part: 'nodes/critic', failing: 0, gone: 2, examples: at('critic', null, null, said('node_disabled')) }],
  },
  {
    name: 'how a workflow is orchestrated, which every task says',
    files: () => changed('workflows/story.yaml', 'objective: A story.', 'objective: A story.\norchestration: interactive'),
    changed: 6,
    causes: [{ cause: 'workflow', part: 'orchestration', prompts: 6 }],
  },
  {
    name: 'what a prelude sets beside its messages',
    files: () => ({
      'prompts/packs/desk.json': JSON.stringify({ id: 'desk', templates: [], context: ['context/desk.md'], options: { temperature: 0 } }),
    }),
    changed: 6,
    causes: [{ cause: 'prelude', file: 'prompts/packs/desk.json', prompts: 6 }],
  },
  {
    name: 'what no model is told is no cause, whatever else changes',
    files: () => ({
      ...changed('agents/writer.yaml', 'label: Writer', 'label: The writer\ndescription: Writes.'),
      ...activePack('house', '1.1.0', 'Write for phones.'),
    }),
    changed: 4,
    causes: [{ cause: 'template', name: 'house', prompts: 4 }],
  },
  {
    name: 'a template, and the variable that it cannot do without',
    files: () => ({
      ...changed('workflows/story.yaml', 'required: true }\n', 'required: true }\n  - { name: tone, type: string, defaultValue: calm }\n'),
      ...activePack('house', '2.0.0', 'Write in a {{tone}} tone.', 'tone'),
    }),
    changed: 6,
    causes: [
      { cause: 'workflow', part: 'variables', prompts: 6, failing: 0 },
      { cause: 'template', name: 'house', prompts: 4, failing: 0 },
    ],
  },
  {
    name: 'two causes in one prompt: it stands under both',
    files: () => ({
      'context/desk.md': 'We print at seven.\n',
      ...activePack('house', '1.1.0', 'Write for phones.'),
    }),
    changed: 6,
    causes: [
      { cause: 'prelude', prompts: 6 },
      { cause: 'template', prompts: 4 },
    ],
  },
]

describe('every cause', () => {
  it.each(CASES)('$name', async ({ files, changed, failing = 0, gone = 0, causes }) => {
    const { causes: found, ...counts } = await ask(files())
    expect(found).toMatchObject(causes as never)
    expect(found).toHaveLength(causes.length)
    expect(counts).toMatchObject({ runs: 2, prompts: 6, changed, failing, gone, unchanged: 6 - changed - failing - gone, unsound: 0 })
  })
})

it('a new version that is not active is said to change nothing yet', async () => {
  const files = { 'prompts/house/v1.1.0.yaml': pack('house', '1.1.0', 'Write for phones.') }
  expect((await ask(files)).unreached).toEqual([
    { templateId: 'house', version: '1.1.0', file: 'prompts/house/v1.1.0.yaml', label: 'active', stays: '1.0.0' },
  ])
  expect((await ask(activePack('house', '1.1.0', 'Write for phones.'))).unreached).toEqual([])
})

it('a proposal for another workspace leaves preludes and catalogs as they are', async () => {
  const other = await desk.propose({ ...DESK, 'context/desk.md': 'We print at seven.\n' }, 'elsewhere')
  expect(await desk.ask(other, 'before-1', 'before-2')).toMatchObject({ runs: 2, unchanged: 6, causes: [] })
})

describe('a run that is not as it was recorded', () => {
  it('is left out and named, and the others are compared', async () => {
    const proposal = await desk.propose({ ...DESK, 'context/desk.md': 'We print at seven.\n' })
    const events = await desk.house.events('before-1')
    const { frozen } = events.find(event => event.type === 'run.created')!
    const { workflow } = JSON.parse(await desk.house.text(frozen)) as { workflow: Digest }
    const broken = withObject(desk.house.store, workflow, text => text.replace('A story.', 'Another story.'))
    const erased = withoutObject(desk.house.store, events.find(event => event.type === 'step.started')!.request.system!, null)
    const chained = withEvent(desk.house.store, runStream('before-1'), event => (event.seq === 1 ? { ...event, actor: 'eve' } : event))
    for (const [store, problem] of [
      [broken, /differs/],
      [chained, /event 1 of run\/before-1/],
    ] as const) {
      const { unsoundRuns, ...counts } = await regressionOf(proposal, runs([store, 'before-1'], [desk.house.store, 'before-2']))
      expect(counts).toMatchObject({ runs: 1, prompts: 3, changed: 3, unsound: 1 })
      expect(unsoundRuns).toEqual([{ runId: 'before-1', problem: expect.stringMatching(problem) }])
    }
    const unfit = withEvent(desk.house.store, runStream('before-1'), event =>
      event.type === 'step.started' ? { ...event, payload: { ...(event.payload as object), request: null } } : event,
    )
    const { unsoundRuns } = await regressionOf(proposal, runs([unfit, 'before-1'], [desk.house.store, 'before-2']))
    expect(unsoundRuns).toEqual([{ runId: 'before-1', problem: expect.any(String) }])
    // An erased object that no prompt is made from does not matter.
    expect(await regressionOf(proposal, runs([erased, 'before-1']))).toMatchObject({ runs: 1, changed: 3, unsound: 0 })
  })

  it('that there is not is a fault', async () => {
    await expect(desk.ask(await desk.propose(DESK), 'nothing')).rejects.toMatchObject({ code: 'run_missing' })
  })
})

async function* runs(...given: readonly (readonly [Store, string])[]) {
  for (const [store, runId] of given) yield { store, tenant: TENANT, runId }
}

it('what is predicted is what a run is told once the proposal is adopted; and then nothing would change any more', async () => {
  expect(await mispredicted(2, 7)).toEqual([])
})
