// Tests AgentOS's names against the cases of spec/agentos/dialect.json.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestText, type Json } from '../../core/digest/digest.ts'
import type { StoryEvent } from '../../core/run/reading/session-story.ts'
import { emptyConfig, type SessionConfig } from '../../core/session/config.ts'
import { emptySession } from '../../core/session/state.ts'
import { toAosCallStatus } from './call-status.ts'
import { fromAosSessionConfig, toAosRunConfig, toAosSessionConfig, withUnnamed } from './config.ts'
import { fromAosEvent } from './from-event.ts'
import { placeAt } from './place.ts'
import { toAosState } from './state.ts'
import { type AosSessionEvent, toAosEvents } from './to-event.ts'

interface Cases {
  readonly configs: readonly { readonly name: string; readonly ours: SessionConfig; readonly theirs: Json }[]
  readonly requests: readonly { readonly event: Json; readonly request: unknown }[]
  readonly refused: readonly { readonly event: Json; readonly because: string }[]
  readonly stories: readonly {
    readonly name: string
    readonly ours: readonly StoryEvent[]
    readonly theirs: readonly Json[]
    readonly envelopes?: Readonly<Record<string, object>>
  }[]
}

const CASES = JSON.parse(readFileSync('spec/agentos/dialect.json', 'utf8')) as Cases
const json = (value: unknown): Json => JSON.parse(JSON.stringify(value))

describe('configs', () => {
  it.each(CASES.configs)('$name', ({ ours, theirs }) => {
    expect(json(toAosSessionConfig(ours))).toEqual(theirs)
    expect(fromAosSessionConfig(theirs)).toEqual(ours)
  })

  it('come back as they were', () => {
    const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
    const digests = option(fc.array(fc.string().map(digestText)))
    const anyConfig = fc.record({
      provider: fc.string(),
      model: fc.string(),
      reasoningEffort: option(fc.constantFrom('low' as const, 'medium' as const, 'high' as const)),
      maxTokens: option(fc.maxSafeNat()),
      workspace: option(fc.record({ name: fc.string(), version: option(fc.maxSafeNat()) })),
      prelude: option(fc.string()),
      promptDigests: digests,
      catalog: option(fc.string()),
      toolDigests: digests,
      limits: fc.constant(emptyConfig.limits),
    })
    fc.assert(
      fc.property(anyConfig, config => {
        expect(fromAosSessionConfig(json(toAosSessionConfig(config)))).toEqual(config)
      }),
    )
  })

  it('of a run have no prefix', () => {
    expect(Object.keys(toAosRunConfig(emptyConfig)).slice(-4)).toEqual(['prompt_pack', 'prompt_refs', 'tool_catalog', 'tool_refs'])
  })

  it('leave limits and sampling as they were', () => {
    const before = { ...emptyConfig, limits: { maxSteps: 3, maxCalls: null }, temperature: 0.5 }
    expect(withUnnamed({ ...emptyConfig, model: 'large' }, before)).toEqual({ ...before, model: 'large' })
  })
})

const eventOf = (event: Json): Json => ({ session_id: 'writer', run_id: null, event })

describe('requests', () => {
  it.each(CASES.requests)('$event.$tag $#', ({ event, request }) => {
    expect(fromAosEvent(eventOf(event), 'writer')).toEqual(request)
  })

  it.each(CASES.refused)('refused: $because $#', ({ event, because }) => {
    expect(fromAosEvent(eventOf(event), 'writer')).toContain(because)
  })

  it('are not made of another session or of anything else', () => {
    expect(fromAosEvent({ session_id: 'other', event: { $tag: 'RunCompleted' } }, 'writer')).toContain('session_id is not writer')
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(fromAosEvent(value as Json, 'writer')).toBeTypeOf('string')
        expect(fromAosSessionConfig(value as Json)).toBeNull()
      }),
    )
  })
})

describe('stories', () => {
  it.each(CASES.stories)('$name', ({ ours, theirs, envelopes = {} }) => {
    let place = placeAt('writer')
    const events: AosSessionEvent[] = []
    for (const entry of ours) {
      const next = toAosEvents(place, entry)
      place = next.place
      events.push(...next.events)
    }
    expect(events.map(({ event }) => json(event))).toEqual(theirs)
    for (const [index, envelope] of Object.entries(envelopes)) expect(json(events[Number(index)])).toMatchObject(envelope)
  })
})

it('an interrupted call has failed, and a cancelled one is cancelled', () => {
  expect(toAosCallStatus({ status: 'interrupted' })).toEqual({ $tag: 'Failed', $value: { code: 'interrupted', detail: '' } })
  expect(toAosCallStatus({ status: 'cancelled' })).toEqual({ $tag: 'Cancelled' })
})

it('a session has one snapshot that waits, and the mode that it was approved with', () => {
  const snapshot = { workspace: 'w', version: 2, root: digestText('r'), index: null, prelude: null, catalog: null, legacy: false }
  const selection = { workspace: { name: 'w', version: null }, prelude: null, catalog: null }
  const state = { ...emptySession, session: 'writer' }
  const approved = { snapshot, selection, at: 'step' as const, firstRun: 1 }
  expect(toAosState({ ...state, workspace: { ...state.workspace, approved } }, 'waiting', null)).toMatchObject({
    lifecycle: { $tag: 'WaitingInput' },
    active_run_id: null,
    pending_workspace_snapshot: { workspace: 'w', version: 2 },
    pending_workspace_apply_mode: { $tag: 'NextStepBoundary' },
  })
  expect(toAosState({ ...state, workspace: { ...state.workspace, pending: { snapshot, selection } } }, 'idle', null)).toMatchObject({
    pending_workspace_snapshot: { workspace: 'w' },
    pending_workspace_apply_mode: null,
  })
})
