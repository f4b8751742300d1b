// What AgentOS writes comes back as it was written: configs, snapshots, modes, plan names, and events that went through a session of ours.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { emptyConfig, type SessionConfig } from '../../core/session/config.ts'
import { foldSession } from '../../core/session/reduce.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { SYNC_PLANS } from '../../core/session/sync.ts'
import { config, must, named, type Story, startStory, tell } from '../../testing/session-story.ts'
import { fromAosCallStatus, toAosCallStatus } from './call-status.ts'
import { fromAosApplyMode, fromAosRunConfig, fromAosSessionConfig, toAosApplyMode, toAosRunConfig, toAosSessionConfig } from './config.ts'
import { fromAosEvent } from './from-event.ts'
import { fromAosPlanName, fromAosSnapshot, toAosPlanName, toAosSnapshot } from './snapshot.ts'
import { type AosSessionEvent, toAosEvent } from './to-event.ts'

const json = (value: unknown): Json => JSON.parse(JSON.stringify(value))
const digest = fc.string().map(named)
const text = fc.string()
const nat = fc.maxSafeNat()
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const anyConfig: fc.Arbitrary<SessionConfig> = fc.record({
  provider: text,
  model: text,
  reasoningEffort: option(fc.constantFrom('low' as const, 'medium' as const, 'high' as const)),
  maxTokens: option(nat),
  workspace: option(fc.record({ name: text, version: option(nat) })),
  prelude: option(text),
  promptDigests: option(fc.array(digest)),
  catalog: option(text),
  toolDigests: option(fc.array(digest)),
  limits: fc.constant(emptyConfig.limits),
})

const anySnapshot: fc.Arbitrary<Snapshot> = fc.record({
  workspace: text,
  version: nat,
  root: digest,
  index: option(digest),
  prelude: option(fc.record({ name: text, digest, options: fc.constant(null) })),
  catalog: option(fc.record({ name: text, digest })),
  legacy: fc.constant(false),
})

describe('configs, snapshots and the rest', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(anyConfig, anySnapshot, (given, snapshot) => {
        expect(fromAosSessionConfig(json(toAosSessionConfig(given)))).toEqual(given)
        expect(fromAosRunConfig(json(toAosRunConfig(given)))).toEqual(given)
        const theirs = json(toAosSessionConfig(given))
        expect(json(toAosSessionConfig(fromAosSessionConfig(theirs)!))).toEqual(theirs)
        expect(fromAosSnapshot(json(toAosSnapshot(snapshot)))).toEqual(snapshot)
        const frozen = json(toAosSnapshot(snapshot))
        expect(json(toAosSnapshot(fromAosSnapshot(frozen)!))).toEqual(frozen)
      }),
    )
  })

  it('are spelled as theirs', () => {
    const given = config({ reasoningEffort: 'medium', workspace: { name: 'w', version: null }, promptDigests: [] })
    expect(json(toAosSessionConfig(given))).toEqual({
      provider: 'scripted',
      model: 'small',
      reasoning_effort: { $tag: 'Medium' },
      max_tokens: null,
      workspace_binding: { workspace: 'w', version: null },
      default_prompt_pack: null,
      default_prompt_refs: [],
      default_tool_catalog: null,
      default_tool_refs: null,
    })
    expect(Object.keys(toAosRunConfig(given))).toContain('prompt_refs')
  })

  it.each(['next_run', 'next_step_boundary', 'immediate_if_idle'] as const)('mode %s', when => {
    expect(fromAosApplyMode(json(toAosApplyMode(when)))).toBe(when)
  })

  it.each(SYNC_PLANS)('plan $name', ({ name }) => {
    expect(fromAosPlanName(toAosPlanName(name)!)).toBe(name)
  })

  it('plan names that are not known are none', () => {
    expect([toAosPlanName('x'), fromAosPlanName('x'), fromAosPlanName('aos.agent/core_workspace_sync@1')]).toEqual([
      null,
      null,
      'workspace_sync',
    ])
  })

  it.each([
    { status: 'succeeded' },
    { status: 'stale' },
    { status: 'cancelled' },
    { status: 'interrupted' },
    { status: 'failed', code: 'tool_not_found', detail: 'x' },
  ] as const)('status $status', status => expect(fromAosCallStatus(json(toAosCallStatus(status)))).toEqual(status))

  it('are not made of anything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const given = value as Json
        const state = startStory().state
        for (const read of [fromAosSessionConfig, fromAosRunConfig, fromAosSnapshot, fromAosApplyMode, fromAosCallStatus])
          expect(read(given)).toBeNull()
        expect(fromAosEvent(given, state)).toBeNull()
        expect(fromAosEvent({ event: { $tag: 'RunRequested', $value: { input_ref: 'no digest', more: given } } }, state)).toBeNull()
      }),
    )
    const whole = json(toAosSessionConfig(config())) as Record<string, Json>
    for (const [key, value] of Object.entries({
      provider: null,
      max_tokens: -1,
      reasoning_effort: { $tag: 'Extreme' },
      workspace_binding: {},
      default_prompt_refs: ['x'],
      default_prompt_pack: 1,
    }))
      expect(fromAosSessionConfig({ ...whole, [key]: value })).toBeNull()
    const frozen = { workspace: 'w', version: 1, root_hash: named('r'), prompt_pack: 'p' }
    expect(fromAosSnapshot(frozen)).toBeNull()
    expect(fromAosSnapshot({ ...frozen, prompt_pack_ref: named('p') })).not.toBeNull()
  })
})

/** Lets an AgentOS event in, and gives back all that went out. */
function pass(story: Story, event: Json, run: number | null = null): readonly AosSessionEvent[] {
  const run_id = run === null ? null : { session_id: 'writer', run_seq: run }
  const command = fromAosEvent({ session_id: 'writer', run_id, event }, story.state)
  if (command === null) throw new Error(`not read: ${JSON.stringify(event)}`)
  const from = story.events.length
  tell(story, command)
  return story.events.slice(from).flatMap((one, index) => {
    const state = foldSession(story.events.slice(0, from + index + 1))
    const found = toAosEvent(one, state)
    return found === null ? [] : [found]
  })
}

describe('events', () => {
  it('that come in go out again as they were, through a whole session', () => {
    const story = startStory({ promptDigests: [named('p')] })
    const snapshot = {
      workspace: 'writer',
      version: 3,
      root_hash: named('root'),
      index_ref: null,
      prompt_pack: 'default',
      tool_catalog: null,
      prompt_pack_ref: named('pack'),
      tool_catalog_ref: null,
    }
    const sync = {
      $tag: 'WorkspaceSyncRequested',
      $value: { workspace_binding: { workspace: 'writer', version: 3 }, prompt_pack: 'default', tool_catalog: null, known_version: 2 },
    }
    const apply = { $tag: 'WorkspaceApplyRequested', $value: { mode: { $tag: 'NextStepBoundary' } } }
    const overrides = json(toAosSessionConfig(config({ model: 'large' })))
    const inward: Json[] = [
      sync,
      { $tag: 'WorkspaceSyncFailed', $value: { workspace: 'writer', stage: 'workspace_sync_core_prompt', detail: 'could not: read' } },
      sync,
      { $tag: 'WorkspaceSnapshotReady', $value: { snapshot } },
      sync,
      { $tag: 'WorkspaceSyncUnchanged', $value: { workspace: 'writer', version: 3 } },
      { $tag: 'RunRequested', $value: { input_ref: named('input'), run_overrides: null } },
      { $tag: 'RunStarted' },
      apply,
      { $tag: 'RunCompleted' },
      { $tag: 'RunRequested', $value: { input_ref: null, run_overrides: overrides } },
      { $tag: 'RunStarted' },
      { $tag: 'LifecycleChanged', $value: { $tag: 'WaitingInput' } },
      { $tag: 'RunFailed', $value: { code: 'adapter_error', detail: 'no' } },
      { $tag: 'RunRequested', $value: { input_ref: null, run_overrides: null } },
      { $tag: 'RunCancelled', $value: { reason: null } },
    ]
    let run = 0
    for (const event of inward) {
      if ((event as { $tag: string }).$tag === 'RunRequested') run++
      const out = pass(story, event, run)
      expect(out.map(one => json(one.event))).toContainEqual(event)
    }
    expect(story.state).toMatchObject({ runs: 3, ended: 'cancelled', workspace: { active: { version: 3 } } })
  })

  it('of steps and tools carry the ids and epochs of the session', () => {
    const story = startStory()
    must(story, { type: 'requestRun', input: named('input') })
    must(story, { type: 'startRun', run: 1 })
    expect(pass(story, { $tag: 'StepBoundary' })).toEqual([])
    must(story, { type: 'settleStep', run: 1, step: 1, reply: named('reply') })
    expect(pass(story, { $tag: 'StepBoundary' })).toMatchObject([
      { event: { $tag: 'StepBoundary' }, step_id: { step_seq: 2 }, step_epoch: 2 },
    ])
    must(story, { type: 'settleStep', run: 1, step: 2, reply: named('reply') })
    must(story, { type: 'startBatch', calls: [{ id: 'c', name: 'look', arguments: named('{}') }] })
    const batch = toAosEvent(story.events.at(-1)!, story.state)!
    const run_id = { session_id: 'writer', run_seq: 1 }
    const tool_batch_id = { step_id: { turn_id: { run_id, turn_seq: 1 }, step_seq: 2 }, batch_seq: 1 }
    expect(json(batch.event)).toEqual({ $tag: 'ToolBatchStarted', $value: { tool_batch_id, expected_call_ids: ['c'] } })
    const settled = {
      $tag: 'ToolCallSettled',
      $value: { tool_batch_id, call_id: 'c', status: { $tag: 'Succeeded' }, receipt_session_epoch: 0, receipt_step_epoch: 2 },
    }
    expect(pass(story, settled, 1).map(({ event }) => json(event))).toEqual([
      settled,
      { $tag: 'ToolBatchSettled', $value: { tool_batch_id, results_ref: null } },
    ])
  })

  it('that ask for nothing are no commands', () => {
    const { state } = startStory()
    for (const $tag of ['Noop', 'HostCommandApplied', 'LeaseIssued', 'toString'])
      expect(fromAosEvent({ event: { $tag } }, state)).toBeNull()
  })
})
