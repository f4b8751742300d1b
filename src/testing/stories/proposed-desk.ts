// A desk whose content lies in a workspace: published, adopted and run for real, and then changed by a proposal. For tests of what a proposal would do.

import { digestText } from '../../core/digest/digest.ts'
import { readPack, semanticDigest } from '../../core/pack/pack.ts'
import { activate, emptyRegistry, printRegistry } from '../../core/pack/registry.ts'
import { rolePath } from '../../core/role/role-name.ts'
import { nodeOf } from '../../core/run/state.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { definitionsIn } from '../../engine/definitions/folder.ts'
import { publishDefinitions } from '../../engine/definitions/publish.ts'
import { loadWorkflow } from '../../engine/definitions/workflows.ts'
import { openWorkspace, REGISTRY_FILE } from '../../engine/packs/pack-folder.ts'
import { compilePacks, publishFresh } from '../../engine/packs/publish-packs.ts'
import { makeUnder } from '../../engine/regression/make-under.ts'
import { type Proposal, readProposal } from '../../engine/regression/proposal.ts'
import { proposedSnapshots } from '../../engine/regression/proposed-snapshots.ts'
import { proposedWorlds } from '../../engine/regression/proposed-worlds.ts'
import { eachRecordedStep, type RecordedStep } from '../../engine/regression/recorded-steps.ts'
import { type Regression, regressionOf, withProposal } from '../../engine/regression/regression.ts'
import { loadFrozen } from '../../engine/runs/start/frozen.ts'
import { commitChanges } from '../../engine/workspaces/commit.ts'
import { storedFiles } from '../../engine/workspaces/stored-files.ts'
import { headOf } from '../../engine/workspaces/versions.ts'
import type { RoleFiles, Store, Validator } from '../../ports.ts'
import type { Asked } from '../models/talking-chat.ts'
import { sharedValidator } from '../shared-validator.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from './run-house.ts'
import { WORLD } from './test-runs.ts'

export type DeskFiles = Readonly<Record<string, string>>

const TEXT = 'https://desk.example/schemas/text.json'
/** A pack whose system prompt has this sentence. @param required a variable that it uses */
/** A pack and the registry that makes it the active version of its agent. */
export function activePack(id: string, version: string, sentence: string, required?: string): DeskFiles {
  const [first, text] = [DESK[`prompts/${id}/v1.0.0.yaml`]!, pack(id, version, sentence, required)]
  let registry = emptyRegistry
  for (const [each, content] of [
    ['1.0.0', first],
    [version, text],
  ] as const) {
    const entry = {
      path: `prompts/${id}/v${each}.yaml`,
      digest: digestText(content),
      semantic: semanticDigest(readPack(content).pack!),
      schemas: {},
    }
    const outcome = activate(registry, { agentId: id, version: each, entry, at: '2026-03-02T08:00:00.000Z' })
    if (!outcome.ok) throw new Error(outcome.refusal.message)
    registry = outcome.registry
  }
  return { [`prompts/${id}/v${version}.yaml`]: text, [REGISTRY_FILE]: printRegistry(registry) }
}

export const pack = (id: string, version: string, sentence: string, required?: string): string =>
  `id: "prompt-${id}-v${version}"
agentId: "${id}"
version: "${version}"
meta: { name: "${id}", description: "What ${id} does", lastUpdated: "2026-03-02T08:00:00Z" }
systemPrompt: |
  ## OBJECTIVE
  ${sentence}

  ## INPUT
  A task, as ${TEXT}.

  ## OUTPUT
  One JSON object that matches ${TEXT}.

  ## CONSTRAINTS
  Short sentences.

  ## REFUSAL RULES
  Say so when there are no facts.
${required === undefined ? '' : `variables:\n  - { name: ${required}, type: string, required: true, description: "It" }\n`}inputSchema: "${TEXT}"
outputSchema: "${TEXT}"
examples:
  - name: "Empty text"
    input: { text: "" }
    expectedOutput: { text: "There are no facts." }
${required === undefined ? '' : `    variables: { ${required}: "calm" }\n`}`

const SECTIONS = '## Identity\n\nA\n\n## Responsibilities\n\nB\n\n## Constraints\n\nC\n\n## Output style\n\nD\n'
export const role = (line: string): string => `${SECTIONS}\n${line}\n`

/** A writer, whose agent names its prompt without a version; a critic, whose node pins it. One prelude, one catalog. */
export const DESK: DeskFiles = {
  'agent.workspace.json': JSON.stringify({
    schema_version: 1,
    prompt_packs: { desk: 'prompts/packs/desk.json' },
    tool_catalogs: { desk: 'tools/catalogs/desk.json' },
    defaults: { prompt_pack: 'desk', tool_catalog: 'desk' },
  }),
  'context/desk.md': 'We print at six.\n',
  'prompts/packs/desk.json': JSON.stringify({ id: 'desk', templates: [], context: ['context/desk.md'] }),
  'tools/catalogs/desk.json': JSON.stringify({ tools: ['probe'] }),
  'tools/descriptors/probe.json': JSON.stringify({ name: 'probe', description: 'Tries.', parameters: { type: 'object' } }),
  'schemas/text.schema.json': JSON.stringify({ $id: TEXT, type: 'object', required: ['text'], properties: { text: { type: 'string' } } }),
  'prompts/house/v1.0.0.yaml': pack('house', '1.0.0', 'Write in the house style.'),
  'prompts/strict/v1.0.0.yaml': pack('strict', '1.0.0', 'Find what is wrong.'),
  'agents/writer.yaml':
    'agentId: local.desk.writer\nlabel: Writer\nrole: implementer\nsession: desk\npromptOverrides: { system: "prompt:house" }\n',
  'agents/critic.yaml': 'agentId: local.desk.critic\nlabel: Critic\nrole: reviewer\nsession: desk\n',
  'workflows/story.yaml':
    'id: story\nobjective: A story.\nvariables:\n  - { name: topic, type: string, required: true }\n' +
    'nodes:\n  - { id: writer, agent: local.desk.writer }\n' +
    '  - { id: critic, agent: local.desk.critic, systemPromptRef: "prompt:strict@1.0.0" }\nedges:\n  - { from: writer, to: critic }\n',
}

const WRITER = { tenant: TENANT, actor: 'ada', policy: EVERYTHING }
const HOME = { tenant: TENANT, session: 'desk', actor: 'ada' }

/** By node, visit and step; of texts, without the id of the run. */
export type Told = Readonly<Record<string, readonly unknown[]>>

export interface Desk {
  readonly house: RunHouse
  /** As the next version of the workspace, and nothing more. */
  commit(files: DeskFiles, workspace?: string): Promise<number>
  /** The newest version into use: packs, agents and workflows published, the rest synced and applied. */
  adopt(): Promise<void>
  run(runId: string, topic?: string): Promise<void>
  /** The prompt of every step: the text, the prelude, the tools. */
  told(runId: string): Promise<Told>
  /** The same, as the proposal would have it. */
  predicted(proposal: Proposal, runId: string): Promise<Told>
  propose(files: DeskFiles, workspace?: string): Promise<Proposal>
  ask(proposal: Proposal, ...runIds: readonly string[]): Promise<Regression>
  close(): Promise<void>
}

/** With `DESK` adopted. */
export async function openDesk(store?: Store): Promise<Desk> {
  let files = DESK
  const roles: RoleFiles = { read: async name => files[rolePath(name)] ?? null, list: async () => [] }
  const say = ({ node, time }: Asked) => (node === 'writer' && time % 2 === 1 ? ASKS : 'Said.')
  const house = runHouse(say, { world: { ...WORLD, roles } }, store)
  const validator = sharedValidator()
  await house.runs.sessions.submit(HOME, {
    type: 'create',
    session: 'desk',
    agentId: null,
    config: { ...emptyConfig, provider: 'scripted', model: 'small' },
  })
  const desk = deskOf(house, validator, committed => {
    files = committed
  })
  await desk.commit(DESK)
  await desk.adopt()
  return desk
}

/** So that there is a second step. */
const ASKS = { text: 'I look.', tools: [{ toolName: 'probe', arguments: {} }] }

function deskOf(house: RunHouse, validator: Validator, adopted: (files: DeskFiles) => void): Desk {
  let newest = DESK
  const { store } = house
  const library = { store, tenant: TENANT, libraryId: 'onbook' }
  const commit: Desk['commit'] = async (files, workspace = 'desk') => {
    newest = files
    const head = await headOf(store, TENANT, workspace)
    const before = head === null ? [] : await (await storedFiles(store, WRITER, { workspace })).list('')
    const gone = before.filter(path => !(path in files)).map(path => ({ path, write: null }))
    const written = Object.entries(files).map(([path, text]) => ({ path, write: new TextEncoder().encode(text) }))
    return (await commitChanges(store, WRITER, { workspace, changes: [...gone, ...written] })).version
  }
  return {
    house,
    commit,
    async adopt() {
      adopted(newest)
      const opened = await openWorkspace(await storedFiles(store, WRITER, { workspace: 'desk' }))
      await publishFresh(store, { ...library, actor: 'ada' }, await compilePacks(opened, opened.packs, validator))
      await publishDefinitions(store, WRITER, await definitionsIn(opened, () => true))
      const selection = { workspace: { name: 'desk', version: null }, prelude: 'desk', catalog: 'desk' }
      for (const command of [
        { type: 'requestSync', selection },
        { type: 'requestApply', when: 'immediate_if_idle' },
      ] as const) {
        await house.runs.sessions.submit(HOME, command)
        await house.runs.sessions.quiet(TENANT, 'desk')
      }
    },
    async run(runId, topic = 'the ferry') {
      const { workflow } = (await loadWorkflow(store, TENANT, 'story'))!
      await house.runs.create(placeOf(runId), { workflow, inputs: { topic } })
      await house.runs.quiet(TENANT, runId)
      const { phase, failure } = await house.state(runId)
      if (phase !== 'completed') throw new Error(`Run ${runId} is ${phase}: ${JSON.stringify(failure)}`)
    },
    async propose(files, workspace = 'desk') {
      const version = await commit(files, workspace)
      return readProposal({ store, user: WRITER, choice: { workspace, version }, library, validator })
    },
    async told(runId) {
      const found: [string, readonly unknown[]][] = []
      await eachRecordedStep(store, TENANT, runId, async step => {
        const { prompt, request } = step.event
        found.push([placeIn(step), [(await house.text(prompt.full)).replaceAll(runId, 'RUN'), request.prelude, request.tools]])
      })
      return Object.fromEntries(found)
    },
    async predicted(proposal, runId) {
      const over = withProposal(store, proposal)
      const found: [string, readonly unknown[]][] = []
      await eachRecordedStep(store, TENANT, runId, async step => {
        const frozen = await loadFrozen(store, TENANT, step.run.state.frozen!)
        const worlds = await proposedWorlds(proposal, { ...frozen, spawned: step.frozen.spawned })
        const snapshots = await proposedSnapshots(store, TENANT, proposal, step.turn.snapshot)
        const made = await makeUnder(over, TENANT, step, { worlds, snapshots }, [...worlds.causes, ...snapshots.causes])
        if (!made.ok) throw new Error(`${made.code}: ${made.detail}`)
        const { text } = made.texts.find(({ digest }) => digest === made.prompt.full)!
        found.push([placeIn(step), [text.replaceAll(runId, 'RUN'), made.request.prelude, made.request.tools]])
      })
      return Object.fromEntries(found)
    },
    ask: (proposal, ...runIds) => regressionOf(proposal, runsOf(store, runIds)),
    async close() {
      await validator.close()
      await house.close()
      await store.close()
    },
  }
}

const placeIn = ({ event: { nodeId, step }, run: { state } }: RecordedStep): string => `${nodeId} ${nodeOf(state, nodeId).visits} ${step}`

async function* runsOf(store: Store, runIds: readonly string[]) {
  for (const runId of runIds) yield { store, tenant: TENANT, runId }
}
