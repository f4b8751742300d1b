// Tests the first page of the demo: its content, its width, and that untrusted input cannot break it.
import { describe, expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import type { Judged } from '../../core/gate/authorize.ts'
import type { Layer } from '../../core/resolve/layers.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import { expectGolden } from '../../testing/golden.ts'
import { textWidth } from '../report/cells.ts'
import type { Choice, ToolUse } from '../runs/story.ts'
import { type FirstPage, firstPage, type ShownRun } from './first-page.ts'

const HASH = `sha256:${'0a1b2c3d'.repeat(8)}` as Digest
const RUN = 'run_1m7hthexb0df6dc6vn9cvaw2'

const entry = (layer: Layer, ref: string | null, code: TraceEntry['code'], reason: string): TraceEntry => ({
  layer,
  ref,
  code,
  reason,
  applied: code === 'applied',
  template: null,
})
const none = (layer: Layer): TraceEntry => entry(layer, null, 'nothing_here', 'nothing here')

const choice = (nodeId: string, ...chain: readonly TraceEntry[]): Choice => ({
  nodeId,
  kind: 'system',
  slot: 0,
  resolved: chain.find(({ applied }) => applied)?.ref ?? null,
  chain,
})

const use = (nodeId: string, decision: ToolUse['verdict']['decision'], failed: Judged | null): ToolUse => ({
  nodeId,
  tool: 'workspace.read',
  call: 'call-1',
  verdict: { decision, conditions: failed === null ? [] : [failed] },
  status: decision === 'allowed' ? 'succeeded' : 'failed',
  failure: null,
})

const story: ShownRun = {
  runId: RUN,
  status: 'completed',
  steps: 3,
  createdAt: '2026-05-01T08:30:00.000Z',
  nodes: [
    { nodeId: 'writer', visits: 2 },
    { nodeId: 'editor', visits: 1 },
  ],
  prompts: [
    choice(
      'writer',
      none('node'),
      entry('agent-overrides', 'prompt:writer@1.1.0', 'applied', ''),
      entry('workflow-defaults', 'prompt:editor@1.0.0', 'superseded', 'superseded by agent-overrides'),
      none('host-defaults'),
    ),
    choice(
      'editor',
      none('node'),
      none('agent-intrinsic'),
      entry('workflow-defaults', 'prompt:editor@1.0.0', 'applied', ''),
      none('host-defaults'),
    ),
  ],
  sent: ['writer', 'writer', 'editor'].map(nodeId => ({ nodeId, promptHash: HASH })),
  tools: [
    use('writer', 'refused', { condition: 'granted', outcome: 'failed', reason: 'no grant names it' }),
    use('editor', 'allowed', null),
  ],
  outputs: { editor: { headline: 'Night ferry leaves half an hour later from May', paragraphs: [] } },
}

const page: FirstPage = {
  story,
  bytes: new Map([[HASH, 5_432]]),
  folder: 'onbook-demo',
  before: 0,
  host: null,
  stories: [
    { name: 'override', summary: 'another prompt for one node, and for no other' },
    { name: 'tamper', summary: 'one flipped byte, found and named' },
  ],
  again: [],
}
const host = { url: 'http://127.0.0.1:65535', loginUrl: `http://127.0.0.1:65535/login#${'x'.repeat(43)}` }

const widest = (text: string): number => Math.max(...text.split('\n').map(textWidth))

describe('the first screen', () => {
  it('says where each prompt came from, what it won over, and what was allowed', () => {
    expectGolden('demo/first-page', firstPage({ ...page, host }, false))
  })

  it('says what is there already when the demo is started again', () => {
    const text = firstPage({ ...page, before: 12 }, false)
    expect(text).toContain('onbook-demo is there already, with 12 runs')
    expect(text).toContain('on 2026-05-01 at 08:30 UTC')
    expect(text).not.toContain('The host')
  })

  it('fits eighty columns, also when the demo lies elsewhere', () => {
    expect(widest(firstPage({ ...page, host }, false))).toBeLessThanOrEqual(80)
    expect(widest(firstPage({ ...page, before: 12_345 }, false))).toBeLessThanOrEqual(80)
  })

  it('says how to get back to a demo that lies elsewhere', () => {
    expect(firstPage({ ...page, again: ['--data', 'there'] }, false)).toContain('npx onbook demo tamper --data there ')
  })

  it('has colours only where they are wanted, and says the same with them', () => {
    const plain = firstPage(page, false)
    const colored = firstPage(page, true)
    expect(colored).not.toBe(plain)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain)
  })

  it('shows what a model said without acting on it', () => {
    const outputs = { editor: { headline: '\u001b[2Jowned\nNew line\u202e' } }
    expect(firstPage({ ...page, story: { ...story, outputs } }, false)).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
  })
})
