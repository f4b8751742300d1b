// Tests which part of a prompt is sent, and that the record always has the whole prompt.
import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import { type ComposedPrompt, composePrompt, type PromptParts } from './blocks.ts'
import { type ProviderSession, planSending, promptMessages } from './delta.ts'

function compose(parts: Partial<PromptParts>): ComposedPrompt {
  const tools = { lineTools: [], nativeTools: true }
  const result = composePrompt({ tools, role: null, mode: 'planning', task: null, templates: [], override: null, ...parts })
  if (!result.ok) throw new Error('refused')
  return result.prompt
}

const text = (given: string) => ({ name: null, text: given, trust: 'trusted' }) as const
const key = { name: 'key', type: 'string', required: true, source: 'secret' } as const
const user = {
  ref: 'prompt:ask@1.0.0',
  digest: digestText('ask'),
  kind: 'user',
  layer: 'node',
  template: { text: 'Use {{key}} now.', variables: [key] },
  bind: { sources: { secret: { key: 'vault.1' } } },
} as const
const prompt = compose({ role: text('ROLE'), templates: [user], override: text('LAST') })
const { headerHash } = planSending(prompt, { resumes: false, needsReplay: false, headerHash: null })
const warm: ProviderSession = { resumes: true, needsReplay: false, headerHash }

describe('sending', () => {
  it.each<[string, Partial<ProviderSession>]>([
    ['replay_needed', { needsReplay: true, resumes: false }],
    ['cannot_resume', { resumes: false, headerHash: null }],
    ['nothing_sent', { headerHash: null }],
    ['header_changed', { headerHash: digestText('another') }],
  ])('is full with %s, the first that holds', (reason, session) => {
    expect(planSending(prompt, { ...warm, ...session })).toEqual({
      kind: 'full',
      reason,
      text: prompt.full,
      segments: prompt.segments,
      headerHash,
    })
  })

  it('is a delta of task and override when the provider holds the header', () => {
    const { kind, reason, text: sent, segments } = planSending(prompt, warm)
    expect([kind, reason, sent]).toEqual(['delta', 'header_unchanged', 'Use [REDACTED:vault.1] now.\n\nLAST'])
    expect(segments.map(segment => segment.text).join('')).toBe(sent)
    expect(prompt.full.endsWith(`\n\n${sent}`)).toBe(true)
  })

  it.each<[string, Partial<PromptParts>]>([
    ['role', { role: text('ROLE ') }],
    ['mode', { mode: 'implementation' }],
    ['tools', { tools: { lineTools: [{ name: 'x' }], nativeTools: true } }],
  ])('is full when the %s is another', (_, parts) => {
    const next = compose({ role: text('ROLE'), templates: [user], ...parts })
    expect(planSending(next, warm)).toMatchObject({ kind: 'full', reason: 'header_changed', text: next.full })
  })

  it('is full rather than empty', () => {
    const bare = compose({ role: text('ROLE') })
    expect(planSending(bare, warm)).toMatchObject({ kind: 'full', reason: 'nothing_new' })
  })
})

describe('messages', () => {
  it('are the header and the rest, with secrets as slots', () => {
    const { system, user: asked } = promptMessages(prompt)
    expect(system).toEqual({
      role: 'system',
      content: [{ type: 'text', text: `${prompt.blocks.system}\n\nROLE\n\n${prompt.blocks.mode}` }],
    })
    expect(asked).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Use ' },
        { type: 'secret', id: 'vault.1' },
        { type: 'text', text: ' now.\n\nLAST' },
      ],
    })
  })

  it('are left out where there is nothing to say', () => {
    expect(promptMessages(compose({})).user).toBeNull()
  })

  it('have no slot for what only looks like one', () => {
    const { user: asked } = promptMessages(compose({ override: text('[REDACTED:vault.1]') }))
    expect(asked?.content).toEqual([{ type: 'text', text: '[REDACTED:vault.1]' }])
  })
})
