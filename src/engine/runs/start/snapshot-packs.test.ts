// Packs in a workspace: synced and applied, they decide which version a ref means for the agent, at the boundary that apply names.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../../../adapters/models/scripted-model.ts'
import { digestText } from '../../../core/digest/digest.ts'
import { scriptOf } from '../../../core/pack/identity.ts'
import { readPack, semanticDigest } from '../../../core/pack/pack.ts'
import { activate, emptyRegistry, printRegistry } from '../../../core/pack/registry.ts'
import { emptyConfig } from '../../../core/session/config.ts'
import type { ApplyWhen } from '../../../core/session/events.ts'
import { EVERYTHING } from '../../../core/workspace/policy.ts'
import { type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { publishAgent } from '../../definitions/agents.ts'
import { publishTemplates } from '../../library/publish.ts'
import { replayRun } from '../../replay/replay.ts'
import { loadSession } from '../../sessions/load.ts'
import { whyRun } from '../../why/why.ts'
import { commitChanges } from '../../workspaces/commit.ts'

const HOME = { tenant: TENANT, session: 'desk', actor: 'ada' }
const AGENT = 'local.desk.writer'
const scaffold = (path: string): string => readFileSync(new URL(`../../../../scaffold/${path}`, import.meta.url), 'utf8')
const SCHEMAS = ['schemas/article.schema.json', 'schemas/summary.schema.json']
const INPUTS = { inputs: { title: 'Trams', body: 'They run.' } }
const workflowWith = (ref: string) => ({
  id: 'one',
  objective: 'Write.',
  nodes: [{ id: 'writer', agent: AGENT, config: { systemPromptRef: ref } }],
})

/** The registry after these versions were activated, one after the other. */
function registryOf(files: Readonly<Record<string, string>>, ...versions: readonly string[]): string {
  let registry = emptyRegistry
  for (const version of versions) {
    const path = `prompts/summarizer/v${version}.yaml`
    const entry = { path, digest: digestText(files[path]!), semantic: semanticDigest(readPack(files[path]!).pack!), schemas: {} }
    const outcome = activate(registry, { agentId: 'summarizer', version, entry, at: '2026-01-01T00:00:00Z' })
    registry = outcome.ok ? outcome.registry : registry
  }
  return printRegistry(registry)
}
const withRegistry = (files: Readonly<Record<string, string>>, ...versions: readonly string[]) => ({
  ...files,
  'onbook.registry.json': registryOf(files, ...versions),
})

/** The scaffold's pack in another version, with other words. */
const packFiles = (version: string, word: string, script = scaffold('prompts/summarizer/v1.0.0.script.yaml')) => {
  const path = `prompts/summarizer/v${version}.yaml`
  return {
    [path]: scaffold('prompts/summarizer/v1.0.0.yaml').replaceAll('1.0.0', version).replace('one article', word),
    ...(script === '' ? {} : { [scriptOf(path)]: script }),
  }
}
const BASE = { ...Object.fromEntries(SCHEMAS.map(path => [path, scaffold(path)])), ...packFiles('1.0.0', 'one article') }

const REPLY = '{"summary":"Trams run.","keyPoints":[]}'

let house: RunHouse
let reply: string
let between: (step: number) => Promise<void>
beforeEach(async () => {
  between = async () => {}
  reply = REPLY
  let step = 0
  house = runHouse(
    async () => {
      step += 1
      await between(step)
      return step % 2 === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: reply }
    },
    {
      packModel: async (files, path) => {
        const read = await files.readText(scriptOf(path), 1e6)
        return scriptedModel(scriptOf(path), read.ok ? read.text : '')
      },
    },
  )
  await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, { agentId: AGENT, persona: 'Writer', session: 'desk' })
  const config = { ...emptyConfig, provider: 'scripted', model: 'small' }
  await house.runs.sessions.submit(HOME, { type: 'create', session: 'desk', agentId: AGENT, config })
})
afterEach(async () => {
  await house.close()
  await house.store.close()
})

async function sync(files: Readonly<Record<string, string | null>>): Promise<void> {
  const changes = Object.entries(files).map(([path, text]) => ({ path, write: text === null ? null : new TextEncoder().encode(text) }))
  await commitChanges(house.store, { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }, { workspace: 'desk', changes })
  const selection = { workspace: { name: 'desk', version: null }, prelude: null, catalog: null }
  await house.runs.sessions.submit(HOME, { type: 'requestSync', selection })
  await house.runs.sessions.quiet(TENANT, 'desk')
}
const apply = async (when: ApplyWhen = 'immediate_if_idle', untested = false) => {
  const done = await house.runs.sessions.submit(HOME, { type: 'requestApply', when, untested })
  await house.runs.sessions.quiet(TENANT, 'desk')
  return done
}
const home = async () => (await loadSession(house.store, TENANT, 'desk')).state
const homeEvents = async (type: string) => {
  const found: { readonly actor: string; readonly payload: unknown }[] = []
  for await (const { event } of house.store.read(TENANT, 'session/desk', -1)) if (event.type === type) found.push(event)
  return found
}
/** The version that each step of the run was given. */
const versionsIn = async (runId: string) =>
  (await house.events(runId)).flatMap(event =>
    event.type === 'step.started' ? [event.prompt.templates.find(({ kind }) => kind === 'system')?.ref.split('@')[1] ?? null] : [],
  )
const chosenIn = async (runId: string) => {
  const [answer] = await whyRun(house.store, TENANT, runId, { kind: 'system' })
  return answer!.chain.find(({ applied }) => applied)
}

describe('an applied snapshot with packs', () => {
  it.each([
    ['next_step_boundary', ['1.0.0', '1.1.0'], ['1.1.0', '1.1.0']],
    ['next_run', ['1.0.0', '1.0.0'], ['1.1.0', '1.1.0']],
    ['immediate_if_idle', ['1.0.0', '1.0.0'], ['1.1.0', '1.1.0']],
  ] as const)('%s: the versions in this run, and in the next', async (when, now, then) => {
    await sync(BASE)
    await apply()
    between = async step => {
      if (step !== 1) return
      await sync(withRegistry({ ...BASE, ...packFiles('1.1.0', 'one report') }, '1.0.0', '1.1.0'))
      await apply(when)
    }
    expect((await house.go(workflowWith('prompt:summarizer'), INPUTS, 'r1')).phase).toBe('completed')
    expect(await versionsIn('r1')).toEqual(now)
    expect((await house.go(workflowWith('prompt:summarizer'), INPUTS, 'r2')).phase).toBe('completed')
    expect(await versionsIn('r2')).toEqual(then)
    expect((await house.prompts('writer', 'r2'))[0]).toContain('Summarize one report')
    for (const runId of ['r1', 'r2']) expect((await replayRun(house.store, TENANT, runId)).divergences, runId).toEqual([])
  })

  it('is named by the trace, and why says which events put it there', async () => {
    await sync(BASE)
    await apply('next_run')
    await house.go(workflowWith('prompt:summarizer'), INPUTS)
    const { root } = (await home()).workspace.active!
    expect(await chosenIn('r1')).toMatchObject({
      source: 'prompt:summarizer@1.0.0',
      meant: 'snapshot',
      snapshot: { workspace: 'desk', version: 1, root },
      adopted: [
        { type: 'workspace.approved', stream: 'session/desk', actor: 'ada' },
        { type: 'workspace.applied', stream: 'session/desk' },
      ],
    })
  })

  it('decides only where a ref names neither version, nor label, nor library', async () => {
    await sync(BASE)
    await apply()
    const writer = { tenant: TENANT, libraryId: 'local', actor: 'ada' }
    const published = { templateId: 'summarizer', version: '2.0.0', kind: 'system', text: 'From the library.' } as const
    const active = new Map([['summarizer', { version: '2.0.0', onlyFirst: false, why: null }]])
    await publishTemplates(house.store, writer, [published], { mode: 'create', origin: 'user', active })
    const chosen = async (ref: string | { readonly templateId: string; readonly libraryId: string }, runId: string) => {
      await house.go(workflowWith(ref as string), INPUTS, runId)
      const { source, meant, snapshot } = (await chosenIn(runId))!
      return [source, meant, snapshot?.workspace]
    }
    expect(await chosen('prompt:summarizer', 'r1')).toEqual(['prompt:summarizer@1.0.0', 'snapshot', 'desk'])
    expect(await chosen('prompt:summarizer@2.0.0', 'r2')).toEqual(['prompt:summarizer@2.0.0', 'version', undefined])
    expect(await chosen('prompt:summarizer@active', 'r3')).toEqual(['prompt:summarizer@2.0.0', 'label', undefined])
    expect(await chosen({ templateId: 'summarizer', libraryId: 'local' }, 'r4')).toEqual(['prompt:summarizer@2.0.0', 'active', undefined])
    // A version that only the snapshot has is found there.
    expect(await chosen('prompt:summarizer@1.0.0', 'r5')).toEqual(['prompt:summarizer@1.0.0', 'version', 'desk'])
  })

  it('gives the schemas that input and reply must fit', async () => {
    await sync(BASE)
    await apply()
    reply = 'Trams run.'
    expect(await house.go(workflowWith('prompt:summarizer'), INPUTS, 'r2')).toMatchObject({ phase: 'failed' })
    expect(await house.story('r2')).toContain('node.failed writer')
    await expect(house.go(workflowWith('prompt:summarizer'), { inputs: { title: 7 } })).rejects.toMatchObject({ code: 'input_misfit' })
  })

  it('goes by the active version of the registry; without one, by the first version', async () => {
    const both = { ...BASE, ...packFiles('1.1.0', 'one report') }
    await sync(both)
    expect((await home()).workspace.pending?.packs).toMatchObject([{ pack: 'summarizer', from: null, to: '1.0.0', proof: 'passed' }])
    await sync(withRegistry(both, '1.0.0', '1.1.0'))
    expect((await home()).workspace.pending?.packs).toMatchObject([{ pack: 'summarizer', from: null, to: '1.1.0' }])
  })
})

describe('a sync', () => {
  it('fails where a pack has an error, and names file and line', async () => {
    await sync({
      ...BASE,
      'prompts/summarizer/v1.0.0.yaml': scaffold('prompts/summarizer/v1.0.0.yaml').replace('{{audience}}', '{{nobody}}'),
    })
    expect((await homeEvents('workspace.syncFailed')).at(-1)?.payload).toMatchObject({
      stage: 'packs',
      code: 'packs_invalid',
      detail: expect.stringMatching(/^prompts\/summarizer\/v1\.0\.0\.yaml: .*nobody.*line \d+/),
    })
  })

  it('leaves YAML alone that does not lie where packs lie', async () => {
    await sync({ 'deploy/values.yaml': 'a: [', 'prompts/packs/default.json': '[{"role":"system","content":"Hi."}]' })
    expect((await home()).workspace.pending?.snapshot).not.toHaveProperty('packs')
  })

  it('names a pack that the workspace no longer has', async () => {
    await sync(BASE)
    await apply()
    await sync({ 'prompts/summarizer/v1.0.0.yaml': null, 'prompts/summarizer/v1.0.0.script.yaml': null })
    expect((await home()).workspace.pending?.packs).toMatchObject([{ pack: 'summarizer', from: '1.0.0', to: null, proof: 'removed' }])
    expect((await apply()).refusal).toBeNull()
  })
})

describe('an apply', () => {
  it.each([
    ['untested', ''],
    ['failed', scaffold('prompts/summarizer/v1.0.0.script.yaml').replace('Tram line 7', 'Tram line 8')],
  ])('of a pack that is %s is refused, unless it is asked for', async (proof, script) => {
    await sync(withRegistry({ ...BASE, ...packFiles('1.1.0', 'one report', script) }, '1.1.0'))
    expect((await home()).workspace.pending?.packs).toMatchObject([{ to: '1.1.0', proof }])
    expect((await apply()).refusal).toMatchObject({ code: 'pack_untested', message: expect.stringContaining('summarizer@1.1.0') })
    expect((await home()).workspace.active).toBeNull()
    expect((await apply('immediate_if_idle', true)).refusal).toBeNull()
    expect((await homeEvents('workspace.applyRequested')).map(({ actor, payload }) => ({ actor, payload }))).toEqual([
      { actor: 'ada', payload: { when: 'immediate_if_idle' } },
      { actor: 'ada', payload: { when: 'immediate_if_idle', untested: ['summarizer@1.1.0'] } },
    ])
  })

  it('keeps the report on exactly those templates', async () => {
    await sync(BASE)
    const [change] = (await home()).workspace.pending!.packs!
    expect(change).toMatchObject({ tests: { pass: 2, fail: 0, skip: 0, error: 0 }, errors: 0, proof: 'passed' })
    expect(JSON.parse(await house.text(change!.report!))).toMatchObject({ pack: 'summarizer', version: '1.0.0', cases: [{}, {}] })
  })
})
