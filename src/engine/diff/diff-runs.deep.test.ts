// Real runs made twice with one difference, and many changes to one run. The diff finds each change and names it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { What } from '../../core/diff/difference.ts'
import type { Json } from '../../core/digest/digest.ts'
import { publishToHost } from '../../testing/hosts/host-library.ts'
import { template } from '../../testing/hosts/start-host.ts'
import { missedByDiff } from '../../testing/mutations/diff-mutations.ts'
import { readStory, recordedStory } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { publishTemplates } from '../library/publish.ts'
import type { CreateRun } from '../runs/start/create.ts'
import type { RunWorld } from '../runs/start/frozen.ts'
import { diffRuns } from './diff-runs.ts'

interface Variant {
  readonly node?: object
  readonly workflow?: object
  readonly inputs?: Record<string, Json>
  readonly create?: Partial<CreateRun>
  readonly world?: Partial<RunWorld>
  readonly parts?: object
  readonly says?: string
}

const houses: RunHouse[] = []
afterAll(async () => {
  for (const house of houses) {
    await house.close()
    await house.store.close()
  }
})

async function made({ node, workflow, inputs, create, world, parts, says = 'Done.' }: Variant) {
  const house = runHouse(
    ({ time }) => (time === 1 ? { tools: [{ toolName: 'write_file', arguments: { path: 'src/a.ts' } }] } : { text: says }),
    {
      world: { ...WORLD, hostDefaults: { 'schema-hint': 'prompt:hint@1.0.0' }, ...world },
      ...parts,
    },
  )
  houses.push(house)
  const topic = [{ name: 'topic', type: 'string', required: true }] as const
  const templates = [
    template('task', { kind: 'user', text: 'Write about {{topic}}.', variables: topic }),
    template('task', { kind: 'user', version: '1.1.0', text: 'Write well about {{topic}}.', variables: topic }),
    template('hint', { kind: 'schema-hint', text: 'One line.', variables: [] }),
    template('hint', { kind: 'schema-hint', version: '2.0.0', text: 'Two lines.', variables: [] }),
  ]
  for (const one of templates)
    await publishTemplates(house.store, { tenant: TENANT, libraryId: 'onbook', actor: 'ada' }, [one], { mode: 'create', origin: 'user' })
  await publishToHost(house.store, ...templates.filter(({ templateId }) => templateId === 'hint'))
  const document = {
    id: 'one',
    objective: 'Write.',
    defaults: { promptRefs: { user: 'prompt:task@1.0.0' } },
    variables: [{ name: 'topic', type: 'string', required: true }],
    nodes: [{ id: 'writer', role: 'implementer', ...node }],
    ...workflow,
  }
  const { phase, failure } = await house.go(document as Json, { inputs: { topic: 'the harbour', ...inputs }, ...create })
  if (phase !== 'completed') throw new Error(`The run is ${phase}: ${JSON.stringify(failure)}`)
  return { store: house.store, tenant: TENANT, runId: 'r1' }
}

describe('a run, made again with one thing otherwise', () => {
  let first: Awaited<ReturnType<typeof made>>
  beforeAll(async () => {
    first = await made({})
  })

  const variants: readonly (readonly [name: string, variant: Variant, whats: readonly What[], blocks: readonly string[]])[] = [
    ['nothing', {}, [], []],
    ['the input', { inputs: { topic: 'the tram' } }, ['input', 'variable'], ['task']],
    [
      'the version of a template',
      { workflow: { defaults: { promptRefs: { user: 'prompt:task@1.1.0' } } } },
      ['workflow', 'template'],
      ['task'],
    ],
    ['the layer', { node: { userPromptRef: 'prompt:task@1.0.0' } }, ['workflow', 'layer'], []],
    ['the host’s default', { world: { hostDefaults: { 'schema-hint': 'prompt:hint@2.0.0' } } }, ['host-default', 'template'], ['task']],
    ['the role', { node: { role: 'reviewer' } }, ['workflow', 'role', 'verdict'], ['role']],
    ['the model', { world: { model: { provider: 'scripted', model: 'large' } } }, ['model'], []],
    ['the mode', { create: { mode: 'planning' } }, ['mode', 'tools', 'verdict'], ['mode']],
    ['the grants', { parts: { grants: [] } }, ['verdict'], []],
    ['the reply', { says: 'Something else.' }, ['reply'], ['reply']],
  ]
  it.each(variants)('%s', async (_, variant, whats, blocks) => {
    const found = await diffRuns(first, await made(variant))
    const named = [...new Set(found.decisions.map(({ what }) => what))]
    // A refused call has another result, and the node receives it.
    expect(named.filter(what => what !== 'result')).toEqual(whats)
    expect([...new Set(found.texts.map(({ block }) => block))]).toEqual(expect.arrayContaining([...blocks]))
    expect(found.same).toBe(whats.length === 0)
  })
})

it('600 changes to a recorded run: each is named as what it is, and nothing else is', { timeout: 300_000 }, async () => {
  const house = await recordedStory()
  houses.push(house)
  expect(await missedByDiff(await readStory(house), 600, 2026)).toEqual([])
})
