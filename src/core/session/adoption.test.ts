// From a commit in a workspace to what a step sends: what AgentOS lists but never tested (section I), and the stories of issue 5.
import { describe, expect, it } from 'vitest'
import {
  config,
  type Files,
  must,
  named,
  runStory,
  runSync,
  type Story,
  selection,
  settleStory,
  startStory,
  syncStory,
  tell,
} from '../../testing/session-story.ts'
import { canonicalJson, digestText, type Json } from '../digest/digest.ts'
import type { StepRequest } from '../turn/materialize.ts'
import type { SessionEvent } from './events.ts'
import { foldSession } from './reduce.ts'

const prelude = (text: string) => JSON.stringify([{ role: 'system', content: text }])
const catalog = (name: string) => JSON.stringify({ tools: [{ name }] })
const files = (word: string): Files => ({
  'agent.workspace.json': '{"schema_version":1}',
  'prompts/packs/default.json': prelude(word),
  'prompts/packs/concise.json': prelude(`${word}, briefly`),
  'tools/catalogs/default.json': catalog(word),
})
const WANTED = selection({ prelude: 'default', catalog: 'default' })
const bytes = (story: Story) => canonicalJson(story.state as unknown as Json)

function lastRequest({ events }: Story): StepRequest {
  const started = events.findLast(({ type }) => type === 'step.started') as Extract<SessionEvent, { type: 'step.started' }>
  return started.request
}
const sent = (story: Story) => {
  const { prelude, tools } = lastRequest(story)
  return { prelude, tools }
}
const of = (word: string) => ({ prelude: [digestText(prelude(word))], tools: [digestText(catalog(word))] })

/** A session with version one in force, in its first step. */
function running(): { readonly story: Story; readonly workspace: { readonly name: string; readonly versions: Files[] } } {
  const workspace = { name: 'writer', versions: [files('one')] }
  const story = startStory()
  syncStory(story, workspace, WANTED)
  must(story, { type: 'requestApply' })
  runStory(story)
  return { story, workspace }
}

describe('nothing changes by itself', () => {
  it('when somebody commits to the workspace', () => {
    const { story, workspace } = running()
    expect(sent(story)).toEqual(of('one'))
    workspace.versions.push(files('two'))
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('one'))
  })

  it('when a sync is ready but nobody asks to apply it', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('one'))
    expect(story.state.workspace).toMatchObject({ active: { version: 1 }, pending: { snapshot: { version: 2 } } })
  })

  it('when a sync fails: not a byte of what is in force, pending or approved', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    workspace.versions.push(files('three'))
    syncStory(story, workspace, WANTED)
    const { workspace: before, config: defaults } = story.state
    workspace.versions.push({ ...files('four'), 'prompts/packs/default.json': 'not json' })
    expect(syncStory(story, workspace, WANTED)).toMatchObject({ outcome: 'failed', stage: 'prelude', code: 'prelude_invalid' })
    expect(story.events.at(-1)).toMatchObject({
      type: 'workspace.syncFailed',
      workspace: 'writer',
      stage: 'prelude',
      code: 'prelude_invalid',
    })
    expect([story.state.workspace, story.state.config]).toEqual([before, defaults])
  })

  it('when an invalid version follows a good one: the good one stays in force', () => {
    const { story, workspace } = running()
    workspace.versions.push({ ...files('bad'), 'tools/catalogs/default.json': '{"tools":[{"description":"nameless"}]}' })
    expect(syncStory(story, workspace, WANTED)).toMatchObject({ outcome: 'failed', stage: 'catalog' })
    expect(tell(story, { type: 'requestApply' })).toMatchObject({
      ok: false,
      code: 'nothing_pending',
      message: expect.stringContaining('version 1 is in force already'),
    })
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('one'))
  })
})

describe('a sync', () => {
  it('of what is pending is ready again: a script that applies on ready gets a second chance', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    must(story, { type: 'requestApply' })
    expect(story.state.workspace).toMatchObject({ pending: null, approved: { snapshot: { version: 2 } } })
  })

  it('that pins the version which is active is ready, so that the pin can be applied', () => {
    const { story, workspace } = running()
    expect(syncStory(story, workspace, WANTED).outcome).toBe('unchanged')
    const pinned = { ...WANTED, workspace: { name: 'writer', version: 1 } }
    expect(syncStory(story, workspace, pinned).outcome).toBe('ready')
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(story.state.config.workspace).toEqual({ name: 'writer', version: 1 })
    expect(syncStory(story, workspace, pinned).outcome).toBe('unchanged')
  })
})

describe('asked for', () => {
  it('at the next step: what that step sends changes, and the config of the run does not', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    const { config: frozen } = story.state.run!
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('two'))
    expect(story.state.run!.config).toBe(frozen)
    expect(canonicalJson(foldSession(story.events) as unknown as Json)).toBe(bytes(story))
  })

  it('a later sync cannot swap what was approved', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    workspace.versions.push(files('three'))
    syncStory(story, workspace, WANTED)
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('two'))
    expect(story.state.workspace.pending).toMatchObject({ snapshot: { version: 3 } })
  })

  it('what was asked for is set in the session when it is applied, not before', () => {
    const { story, workspace } = running()
    const concise = selection({ prelude: 'concise', version: 1 })
    syncStory(story, workspace, concise)
    expect(story.state.config).toMatchObject({ prelude: 'default', catalog: 'default', workspace: { version: null } })
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(story.state.config.prelude).toBe('default')
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(story.state.config).toMatchObject({ prelude: 'concise', catalog: null, workspace: { name: 'writer', version: 1 } })
    expect(sent(story)).toEqual({ prelude: [digestText(prelude('one, briefly'))], tools: null })
  })

  it('what is approved can be overruled: while it waits, a sync is never without news', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_run' })
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(story.events.slice(-3).map(({ type }) => type)).toEqual([
      'workspace.applyRequested',
      'workspace.superseded',
      'workspace.approved',
    ])
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual(of('two'))
  })

  it('what is approved can be taken back: what is in force is news while something else waits', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_run' })
    expect(syncStory(story, workspace, { ...WANTED, workspace: { name: 'writer', version: 1 } }).outcome).toBe('ready')
    must(story, { type: 'requestApply', when: 'next_run' })
    settleStory(story)
    must(story, { type: 'completeRun' })
    runStory(story)
    expect(sent(story)).toEqual(of('one'))
  })

  it('next_run is what it means when nothing else is said', () => {
    const story = startStory()
    syncStory(story, { name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestApply' })
    expect(story.events.at(-1)).toMatchObject({ type: 'workspace.approved', at: 'run', firstRun: 1 })
  })

  it('a sync that another one has overtaken comes to nothing', () => {
    const story = startStory()
    const { result } = runSync({ name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestSync', selection: WANTED })
    must(story, { type: 'requestSync', selection: WANTED })
    expect(tell(story, { type: 'settleSync', sync: 1, result })).toMatchObject({ ok: false, code: 'sync_missing' })
    must(story, { type: 'settleSync', sync: 2, result })
    expect(tell(story, { type: 'settleSync', sync: 2, result })).toMatchObject({ ok: false, code: 'sync_missing' })
  })

  it('without naming anything, a sync asks for what the session names', () => {
    const story = startStory()
    expect(tell(story, { type: 'requestSync' })).toMatchObject({ ok: false, code: 'workspace_unset' })
    must(story, { type: 'configure', config: config({ workspace: { name: 'writer', version: null }, prelude: 'default' }) })
    must(story, { type: 'requestSync' })
    expect(story.effects.at(-1)).toMatchObject({ type: 'workspace.sync', selection: selection({ prelude: 'default' }), known: null })
  })
})

describe('direct digests', () => {
  it('need no workspace, and hide the prelude but not the tools of one', () => {
    const alone = startStory({ promptDigests: [named('p')] })
    runStory(alone)
    expect(sent(alone)).toEqual({ prelude: [named('p')], tools: null })

    const { story, workspace } = running()
    settleStory(story)
    must(story, { type: 'completeRun' })
    must(story, { type: 'requestRun', overrides: config({ promptDigests: [named('p')] }), input: named('Write.') })
    must(story, { type: 'startRun', run: 2 })
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual({ prelude: [named('p')], tools: of('one').tools })
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual({ prelude: [named('p')], tools: of('two').tools })
    settleStory(story)
    must(story, { type: 'completeRun' })
    expect(canonicalJson(foldSession(story.events) as unknown as Json)).toBe(bytes(story))
  })

  it('an empty list hides the prelude too', () => {
    const { story } = running()
    settleStory(story)
    must(story, { type: 'completeRun' })
    must(story, { type: 'requestRun', overrides: config({ promptDigests: [], toolDigests: [] }), input: named('Write.') })
    must(story, { type: 'startRun', run: 2 })
    must(story, { type: 'startStep' })
    expect([sent(story), story.state.run!.source]).toEqual([{ prelude: [], tools: [] }, 'direct'])
  })
})

describe('a run that names something else', () => {
  const own = () => {
    const { story, workspace } = running()
    settleStory(story)
    must(story, { type: 'completeRun' })
    workspace.versions.push(files('two'))
    const overrides = config({ workspace: { name: 'writer', version: 2 }, prelude: 'concise' })
    must(story, { type: 'requestRun', overrides, input: named('Write.') })
    const effect = story.effects.at(-1)!
    if (effect.type !== 'workspace.sync') throw new Error('no sync was called for')
    return { story, workspace, effect }
  }

  it('gets a snapshot of its own, and the session keeps its own', () => {
    const { story, workspace, effect } = own()
    expect(effect).toMatchObject({ for: { run: 2 }, known: null })
    expect(tell(story, { type: 'startRun', run: 2 })).toMatchObject({ ok: false, code: 'run_snapshot_missing' })
    must(story, { type: 'settleRunSync', run: 2, result: runSync(workspace, effect.selection).result })
    expect(story.effects.at(-1)).toEqual({ type: 'run.start', run: 2 })
    must(story, { type: 'startRun', run: 2 })
    must(story, { type: 'startStep' })
    expect(sent(story)).toEqual({ prelude: [digestText(prelude('two, briefly'))], tools: null })
    expect(story.state.workspace.active).toMatchObject({ version: 1 })
    expect(story.state.config).toMatchObject({ prelude: 'default' })

    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(story.state.workspace.active).toMatchObject({ version: 2 })
    expect(sent(story)).toEqual({ prelude: [digestText(prelude('two, briefly'))], tools: null })
  })

  it('is refused when that cannot be had, and consumes nothing', () => {
    const { story, workspace } = own()
    const before = story.state
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_run' })
    const { result } = runSync(workspace, selection({ prelude: 'none', version: 2 }))
    must(story, { type: 'settleRunSync', run: 2, result })
    expect(story.events.at(-1)).toMatchObject({ type: 'run.refused', run: 2, stage: 'prelude', code: 'file_missing' })
    expect([story.state.run, story.state.ended]).toEqual([null, before.ended])
    expect(story.state.workspace).toMatchObject({ active: { version: 1 }, approved: { at: 'run' } })
    runStory(story)
    expect(sent(story)).toEqual(of('two'))
  })

  it('that is refused leaves what waited for its first step to the next run', () => {
    const { story, workspace } = own()
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(story.state.workspace.approved).toMatchObject({ at: 'step' })
    must(story, { type: 'settleRunSync', run: 2, result: runSync(workspace, selection({ prelude: 'none' })).result })
    expect(story.state.workspace.approved).toMatchObject({ at: 'run' })
    must(story, { type: 'attachRun', runId: 'r', nodeId: 'n', session: 's' })
    expect(story.state.workspace).toMatchObject({ active: { version: 2 }, approved: null })
  })

  it('is refused when the snapshot is not what it named', () => {
    const { story, workspace } = own()
    must(story, { type: 'settleRunSync', run: 2, result: runSync(workspace, WANTED).result })
    expect(story.events.at(-1)).toMatchObject({ type: 'run.refused', stage: 'validate', code: 'snapshot_mismatch' })
  })

  it('needs none when it names what the session names', () => {
    const { story } = running()
    settleStory(story)
    must(story, { type: 'completeRun' })
    must(story, { type: 'requestRun', overrides: { ...story.state.config, model: 'large' }, input: named('Write.') })
    expect(story.effects.at(-1)).toEqual({ type: 'run.start', run: 2 })
  })

  it('must name a workspace with it, in names that are names', () => {
    const story = startStory()
    expect(tell(story, { type: 'requestRun', overrides: config({ prelude: 'concise' }) })).toMatchObject({ code: 'workspace_unset' })
    const wild = config({ workspace: { name: '..', version: null } })
    expect(tell(story, { type: 'requestRun', overrides: wild })).toMatchObject({ code: 'name_invalid' })
  })
})
