import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { emptyConfig } from '../session/config.ts'
import { type RunEvent, runDraft, runEvent } from './events.ts'

const started = {
  type: 'node.started',
  nodeId: 'a',
  typeId: 'onbook.agent',
  visit: 1,
  session: null,
  home: null,
  config: { ...emptyConfig, provider: 'p', model: 'm' },
  interactive: false,
  snapshot: null,
  apply: 0,
  input: null,
  handoffs: null,
  again: [],
} as const satisfies RunEvent

const recorded = (event: RunEvent): Json => runDraft(event, 'ada').payload
const again = (event: RunEvent): RunEvent => runEvent({ type: event.type, payload: JSON.parse(JSON.stringify(recorded(event))) as Json })

describe('an event of a run', () => {
  it('is on record without fields that say nothing', () =>
    expect(recorded(started)).toEqual({ nodeId: 'a', typeId: 'onbook.agent', visit: 1, config: { provider: 'p', model: 'm' } }))

  it.each<RunEvent>([
    started,
    { ...started, session: 's', home: 's', interactive: true, apply: 2, again: ['b'], left: [] },
    { ...started, config: { ...started.config, maxTokens: 7, limits: { maxSteps: 1, maxCalls: null }, temperature: 0 } },
    { type: 'run.paused', reason: 'asked', nodeId: null },
  ])('is read as it was decided: %j', event => expect(again(event)).toEqual(event))
})
