// From a commit in a workspace to the request of a step: the cases that AgentOS lists but never tested (section I), and the stories of issue 5.
import { describe, expect, it } from 'vitest'
import { endRun, nextStep, replyWithCall, type SessionRun, startRun } from '../../testing/stories/session-run.ts'
import {
  config,
  type Files,
  must,
  named,
  PLACE,
  runSync,
  type Story,
  selection,
  startStory,
  syncStory,
  tell,
} from '../../testing/stories/session-story.ts'
import { canonicalJson, digestText, type Json } from '../digest/digest.ts'
import type { StepStarted } from '../turn/events.ts'
import { comingConfig, comingSnapshot, knownTo, ownSelection, unsyncedProblem } from './coming-snapshot.ts'
import { selectionOf } from './config.ts'
import { nameProblem } from './names.ts'
import { foldSession } from './reduce.ts'
import type { PackChange } from './snapshot.ts'
import { checkedResult } from './sync-effects.ts'

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

/** The prelude and the tools of the newest step. */
function sent({ turn: { events } }: SessionRun) {
  const { request } = events.findLast((event): event is StepStarted => event.type === 'step.started')!
  return { prelude: request.prelude, tools: request.tools }
}
const of = (word: string) => ({ prelude: [digestText(prelude(word))], tools: [digestText(catalog(word))] })

interface Running {
  readonly story: Story
  readonly workspace: { readonly name: string; readonly versions: Files[] }
  readonly run: SessionRun
}

/** A session with version one active, in its first step. */
function running(): Running {
  const workspace = { name: 'writer', versions: [files('one')] }
  const story = startStory()
  syncStory(story, workspace, WANTED)
  must(story, { type: 'requestApply' })
  return { story, workspace, run: startRun(story) }
}

/** The reply to the open step, and the next step. */
function goOn(run: SessionRun): void {
  replyWithCall(run)
  nextStep(run)
}

function again({ story, run }: Running): SessionRun {
  endRun(run)
  return startRun(story)
}

describe('nothing changes by itself', () => {
  it('when somebody commits to the workspace', () => {
    const { workspace, run } = running()
    expect(sent(run)).toEqual(of('one'))
    workspace.versions.push(files('two'))
    goOn(run)
    expect(sent(run)).toEqual(of('one'))
  })

  it('when a sync is ready but nobody asks to apply it', () => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    goOn(run)
    expect(sent(run)).toEqual(of('one'))
    expect(story.state.workspace).toMatchObject({ active: { version: 1 }, pending: { snapshot: { version: 2 } } })
  })

  it('when a sync fails: not a byte of the active, pending or approved snapshot', () => {
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

  it('when an invalid version follows a good one: the good one stays active', () => {
    const { story, workspace, run } = running()
    workspace.versions.push({ ...files('bad'), 'tools/catalogs/default.json': '{"tools":[{"description":"nameless"}]}' })
    expect(syncStory(story, workspace, WANTED)).toMatchObject({ outcome: 'failed', stage: 'catalog' })
    expect(tell(story, { type: 'requestApply' })).toMatchObject({
      ok: false,
      code: 'nothing_pending',
      message: expect.stringContaining('version 1 is active already'),
    })
    goOn(run)
    expect(sent(run)).toEqual(of('one'))
  })
})

describe('a sync', () => {
  it('of the pending version is ready again: a script that applies on ready gets a second chance', () => {
    const { story, workspace } = running()
    workspace.versions.push(files('two'))
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    expect(syncStory(story, workspace, WANTED).outcome).toBe('ready')
    must(story, { type: 'requestApply' })
    expect(story.state.workspace).toMatchObject({ pending: null, approved: { snapshot: { version: 2 } } })
    expect(tell(story, { type: 'requestApply' })).toMatchObject({ message: expect.stringContaining('approved already, for the next run') })
  })

  it('that pins the version which is active is ready, so that the pin can be applied', () => {
    const { story, workspace, run } = running()
    expect(syncStory(story, workspace, WANTED).outcome).toBe('unchanged')
    const pinned = { ...WANTED, workspace: { name: 'writer', version: 1 } }
    expect(syncStory(story, workspace, pinned).outcome).toBe('ready')
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    goOn(run)
    expect(story.state.config.workspace).toEqual({ name: 'writer', version: 1 })
    expect(syncStory(story, workspace, pinned).outcome).toBe('unchanged')
  })

  it('that a later one has overtaken comes to nothing', () => {
    const story = startStory()
    const { result } = runSync({ name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestSync', selection: WANTED })
    must(story, { type: 'requestSync', selection: WANTED })
    expect(tell(story, { type: 'settleSync', sync: 1, result })).toMatchObject({ ok: false, code: 'sync_missing' })
    must(story, { type: 'settleSync', sync: 2, result })
    expect(tell(story, { type: 'settleSync', sync: 2, result })).toMatchObject({ ok: false, code: 'sync_missing' })
  })

  it('without a selection asks for the one that the session names', () => {
    const story = startStory()
    expect(tell(story, { type: 'requestSync' })).toMatchObject({ ok: false, code: 'workspace_unset' })
    expect(tell(story, { type: 'requestSync', selection: selection({ name: '..' }) })).toMatchObject({ ok: false, code: 'name_invalid' })
    must(story, { type: 'configure', config: config({ workspace: { name: 'writer', version: null }, prelude: 'default' }) })
    must(story, { type: 'requestSync' })
    expect(story.state.workspace.syncing).toEqual({ sync: 1, selection: selection({ prelude: 'default' }) })
    expect(knownTo(story.state, selection({ prelude: 'default' }))).toBeNull()
  })
})

describe('a request to apply', () => {
  it('at the next step changes the request of that step, and the config of the run never', () => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    const { config: frozen } = run.turn.turn
    goOn(run)
    expect(sent(run)).toEqual(of('two'))
    expect(run.turn.turn.config).toBe(frozen)
    expect(run.turn.events.findLast(({ type }) => type === 'step.started')).toMatchObject({ snapshot: { version: 2 }, apply: 2 })
    expect(canonicalJson(foldSession(story.events) as unknown as Json)).toBe(bytes(story))
    goOn(run)
    expect(run.turn.events.findLast(({ type }) => type === 'step.started')).not.toHaveProperty('apply')
  })

  it('at a step that never comes is taken by the next run', () => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(sent(again({ story, workspace, run }))).toEqual(of('two'))
  })

  it.each(['next_run', 'immediate_if_idle'] as const)('%s during a run reaches the next run, and no step of this one', when => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when })
    goOn(run)
    expect(sent(run)).toEqual(of('one'))
    expect(sent(again({ story, workspace, run }))).toEqual(of('two'))
  })

  it.each(['next_step_boundary', 'immediate_if_idle'] as const)('%s while no run works here is applied at once', when => {
    const story = startStory()
    syncStory(story, { name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestApply', when })
    expect(story.events.at(-1)).toMatchObject({ type: 'workspace.applied', at: 'now' })
    expect(sent(startRun(story))).toEqual(of('one'))
  })

  it('is not changed by a later sync', () => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    workspace.versions.push(files('three'))
    syncStory(story, workspace, WANTED)
    goOn(run)
    expect(sent(run)).toEqual(of('two'))
    expect(story.state.workspace.pending).toMatchObject({ snapshot: { version: 3 } })
  })

  it('sets its selection in the session when it is applied, not before', () => {
    const { story, workspace, run } = running()
    const concise = selection({ prelude: 'concise', version: 1 })
    syncStory(story, workspace, concise)
    expect(story.state.config).toMatchObject({ prelude: 'default', catalog: 'default', workspace: { version: null } })
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(story.state.config.prelude).toBe('default')
    goOn(run)
    expect(story.state.config).toMatchObject({ prelude: 'concise', catalog: null, workspace: { name: 'writer', version: 1 } })
    expect(sent(run)).toEqual({ prelude: [digestText(prelude('one, briefly'))], tools: null })
  })

  it('can be overruled: while a version is approved, every sync is ready', () => {
    const { story, workspace, run } = running()
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
    goOn(run)
    expect(sent(run)).toEqual(of('two'))
  })

  it('can be taken back: the active version is ready again while another is approved', () => {
    const { story, workspace, run } = running()
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_run' })
    expect(syncStory(story, workspace, { ...WANTED, workspace: { name: 'writer', version: 1 } }).outcome).toBe('ready')
    must(story, { type: 'requestApply', when: 'next_run' })
    expect(sent(again({ story, workspace, run }))).toEqual(of('one'))
  })

  it('means the next run where it names no time', () => {
    const story = startStory()
    syncStory(story, { name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestApply' })
    expect(story.events.at(-1)).toMatchObject({ type: 'workspace.approved', at: 'run', firstRun: 1 })
  })

  it('is refused for packs whose tests did not pass, unless the caller says so; then that is on record', () => {
    const story = startStory()
    const change = (pack: string, proof: PackChange['proof']): PackChange => ({
      pack,
      from: '1.0.0',
      to: '1.1.0',
      errors: 0,
      warnings: 0,
      tests: null,
      proof,
      report: null,
    })
    const packs = [change('good', 'passed'), change('gone', 'removed'), change('bad', 'failed'), change('new', 'untested')]
    const { result } = runSync({ name: 'writer', versions: [files('one')] }, WANTED)
    must(story, { type: 'requestSync', selection: WANTED })
    must(story, { type: 'settleSync', sync: 1, result: { ...result, packs } as typeof result })
    const before = bytes(story)
    expect(tell(story, { type: 'requestApply' })).toMatchObject({
      ok: false,
      code: 'pack_untested',
      message: expect.stringContaining('bad@1.1.0, new@1.1.0'),
    })
    expect(bytes(story)).toBe(before)
    must(story, { type: 'requestApply', untested: true })
    expect(story.events.at(-2)).toMatchObject({ type: 'workspace.applyRequested', untested: ['bad@1.1.0', 'new@1.1.0'] })
    expect(sent(startRun(story))).toEqual(of('one'))
  })
})

describe('direct digests', () => {
  it('need no workspace, and hide the prelude but not the tools of one', () => {
    const alone = startRun(startStory({ promptDigests: [named('p')] }))
    expect(sent(alone)).toEqual({ prelude: [named('p')], tools: null })

    const { story, workspace, run } = running()
    endRun(run)
    const own = startRun(story, { config: config({ promptDigests: [named('p')] }) })
    expect(sent(own)).toEqual({ prelude: [named('p')], tools: of('one').tools })
    workspace.versions.push(files('two'))
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    goOn(own)
    expect(sent(own)).toEqual({ prelude: [named('p')], tools: of('two').tools })
    endRun(own)
    expect(canonicalJson(foldSession(story.events) as unknown as Json)).toBe(bytes(story))
  })

  it('hide the prelude with an empty list too', () => {
    const { story, run } = running()
    endRun(run)
    const own = startRun(story, { config: config({ promptDigests: [], toolDigests: [] }) })
    expect([sent(own), own.turn.events[0]]).toMatchObject([{ prelude: [], tools: [] }, { source: 'direct' }])
  })
})

describe('a run that names another selection', () => {
  const own = () => {
    const { story, workspace, run } = running()
    endRun(run)
    workspace.versions.push(files('two'))
    const overrides = config({ workspace: { name: 'writer', version: 2 }, prelude: 'concise' })
    return { story, workspace, overrides, wanted: ownSelection(overrides, comingSnapshot(story.state)) }
  }

  it('gets a snapshot of its own; the session keeps its own, and no apply reaches the run', () => {
    const { story, workspace, overrides, wanted } = own()
    expect(wanted).toEqual(selection({ prelude: 'concise', version: 2 }))
    const { result } = runSync(workspace, selectionOf(overrides)!)
    if (result.outcome !== 'ready') throw new Error(result.outcome)
    const run = startRun(story, { config: overrides, snapshot: result.snapshot })
    const briefly = { prelude: [digestText(prelude('two, briefly'))], tools: null }
    expect(sent(run)).toEqual(briefly)
    expect(story.state).toMatchObject({ workspace: { active: { version: 1 } }, config: { prelude: 'default' } })

    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    goOn(run)
    expect(story.state.workspace.active).toMatchObject({ version: 2 })
    expect(sent(run)).toEqual(briefly)
  })

  it('is refused when the snapshot cannot be had, and consumes nothing', () => {
    const { story, workspace } = own()
    syncStory(story, workspace, WANTED)
    must(story, { type: 'requestApply', when: 'next_run' })
    const { result } = runSync(workspace, selection({ prelude: 'none', version: 2 }))
    if (result.outcome !== 'failed') throw new Error(result.outcome)
    const { stage, code, detail } = result
    must(story, { type: 'refuseRun', stage, code, detail })
    expect(story.events.at(-1)).toMatchObject({ type: 'run.refused', run: 2, stage: 'prelude', code: 'file_missing' })
    expect(story.state).toMatchObject({ open: null, workspace: { active: { version: 1 }, approved: { at: 'run' } } })
    expect(sent(startRun(story))).toEqual(of('two'))
  })

  it('does not take a snapshot of another selection', () => {
    const { workspace, wanted } = own()
    if (wanted === null || wanted === 'unset') throw new Error('no selection')
    expect(checkedResult(runSync(workspace, WANTED).result, wanted)).toMatchObject({ stage: 'validate', code: 'snapshot_mismatch' })
  })

  it('needs no snapshot when it names the selection of the session', () => {
    const { story, run } = running()
    endRun(run)
    expect(ownSelection({ ...story.state.config, model: 'large' }, comingSnapshot(story.state))).toBeNull()
  })

  it('keeps the active version where it names another prelude of the same workspace', () => {
    const { story, workspace, run } = running()
    endRun(run)
    workspace.versions.push(files('two'))
    const wanted = ownSelection({ ...story.state.config, prelude: 'concise' }, comingSnapshot(story.state))
    expect(wanted).toMatchObject({ workspace: { name: 'writer', version: 1 }, prelude: 'concise' })
  })

  it('must name a workspace with it, in valid names', () => {
    expect(ownSelection(config({ prelude: 'concise' }), null)).toBe('unset')
    expect(ownSelection(config(), null)).toBeNull()
    const wild = ownSelection(config({ workspace: { name: '..', version: null } }), null)
    expect(wild === null || wild === 'unset' ? null : nameProblem(wild)).toContain('".."')
  })
})

describe('a session that names a prelude which was never applied', () => {
  const named = { workspace: { name: 'writer', version: null }, prelude: 'default' }

  it('cannot start a run, and says which commands to run', () => {
    const story = startStory(named)
    expect(unsyncedProblem(comingConfig(story.state), comingSnapshot(story.state), 'writer')).toContain(
      'names prelude default of workspace writer, and nothing was applied yet: run "onbook sync writer", then "onbook apply writer"',
    )
    syncStory(story, { name: 'writer', versions: [files('one')] }, selection({ prelude: 'default' }))
    must(story, { type: 'requestApply' })
    expect(unsyncedProblem(comingConfig(story.state), comingSnapshot(story.state), 'writer')).toBeNull()
  })

  it('can when it brings its own prompt and tools, or names no part of the workspace', () => {
    const problem = (fields: Parameters<typeof config>[0]) => unsyncedProblem(config(fields), null, 'writer')
    expect(problem({ ...named, promptDigests: [] })).toBeNull()
    expect(problem({ workspace: named.workspace })).toBeNull()
    expect(problem({ ...named, promptDigests: [], catalog: 'default' })).toContain('catalog default')
  })

  it('cannot once it was configured to another selection than the active one', () => {
    const { story, run } = running()
    endRun(run)
    must(story, { type: 'configure', config: config({ ...named, prelude: 'concise' }) })
    expect(unsyncedProblem(comingConfig(story.state), comingSnapshot(story.state), 'writer')).toContain('version 1 of writer is active')
  })
})

it('a run that attaches applies the version that is due, hands over what was left, and is on record in that order', () => {
  const story = startStory()
  syncStory(story, { name: 'writer', versions: [files('one')] }, WANTED)
  must(story, { type: 'requestApply' })
  must(story, { type: 'leaveMessage', message: { kind: 'steer', id: 's1', message: named('Shorter.') } })
  expect(must(story, { type: 'attachRun', ...PLACE }).map(({ type }) => type)).toEqual([
    'workspace.applied',
    'run.attached',
    'messages.handedOver',
  ])
})
