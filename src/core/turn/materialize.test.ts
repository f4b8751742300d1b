// Tests the request of a step: the layers of prompts and tools, the history by one name, and no unset field (section B of
// AgentOS's tests).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { config, named } from '../../testing/stories/session-story.ts'
import { type Digest, digestJson, digestText, type Json } from '../digest/digest.ts'
import { appendMessage, closedPieces, emptyHistory, type History, historyHead, PIECE, readHistory } from '../session/history.ts'
import type { Snapshot } from '../session/snapshot.ts'
import { type MaterializedStep, materializeStep, messagesOf, type StepInput } from './materialize.ts'

const [P, Q, T, U, V, M, N] = ['p', 'q', 't', 'u', 'v', 'm', 'n'].map(named) as [Digest, Digest, Digest, Digest, Digest, Digest, Digest]
const snapshot: Snapshot = {
  workspace: 'writer',
  version: 1,
  root: named('root'),
  index: null,
  prelude: { name: 'default', digest: P, options: null },
  catalog: { name: 'default', digest: T },
  legacy: false,
}

/** A history with what must be stored to read it. */
function said(messages: readonly Digest[]): { readonly history: History; readonly texts: Map<Digest, string> } {
  const texts = new Map(closedPieces(emptyHistory, messages).map(({ digest, text }) => [digest, text]))
  return { history: messages.reduce(appendMessage, emptyHistory), texts }
}

function made(input: Partial<StepInput>): MaterializedStep {
  const result = materializeStep({ config: config(), snapshot: null, history: said([M, N]).history, ...input })
  if (!result.ok) throw new Error(result.code)
  return result
}

describe('messages', () => {
  it('are the prelude, then the history, oldest first', () => {
    const { history, texts } = said([M, N])
    const { request, stored, source } = made({ snapshot, history })
    texts.set(stored!.digest, stored!.text)
    expect(messagesOf(request, digest => texts.get(digest) ?? null)).toEqual([P, M, N])
    expect(source).toBe('workspace')
  })

  it('stand between the system message and the new one', () => {
    const { request } = made({ snapshot, history: emptyHistory, system: U, user: V })
    expect(messagesOf(request, () => null)).toEqual([U, P, V])
  })

  it.each<[string, Partial<StepInput>, readonly Digest[], string]>([
    [
      'its own digests before the prelude, in order and as often as they are named',
      { snapshot, config: config({ promptDigests: [Q, M, Q] }) },
      [Q, M, Q],
      'direct',
    ],
    ['its own digests without a workspace', { config: config({ promptDigests: [Q] }) }, [Q], 'direct'],
    ['nothing for an empty list', { snapshot, config: config({ promptDigests: [] }) }, [], 'direct'],
    ['the prelude of the snapshot', { snapshot }, [P], 'workspace'],
    ['nothing without a prelude', { snapshot: { ...snapshot, prelude: null } }, [], 'none'],
    ['nothing without a snapshot', {}, [], 'none'],
  ])('begin with what the run has: %s', (_, input, prelude, source) => {
    expect(made(input)).toMatchObject({ request: { prelude }, source })
  })

  it.each<[string, Partial<StepInput>]>([
    ['a prelude alone', { snapshot, history: emptyHistory }],
    ['a history alone', {}],
  ])('are enough with %s', (_, input) => expect(made(input).request).toBeDefined())

  it('must be there', () => {
    const empty = { history: emptyHistory, snapshot: { ...snapshot, prelude: null }, config: config({ promptDigests: [] }) }
    expect(materializeStep(empty)).toMatchObject({ ok: false, code: 'message_refs_empty' })
    expect(materializeStep({ ...empty, config: config({ provider: ' ' }) })).toMatchObject({ code: 'provider_unset' })
    expect(materializeStep({ ...empty, config: config({ model: '' }) })).toMatchObject({ code: 'model_unset' })
  })
})

describe('tools', () => {
  const rung = { snapshot, config: config({ toolDigests: [U] }), toolDigests: [V], hostCatalog: Q }
  it.each<[string, Partial<StepInput>, readonly Digest[] | null]>([
    ['step', rung, [V]],
    ['step', { ...rung, toolDigests: [] }, []],
    ['run', { ...rung, toolDigests: null }, [U]],
    ['run', { ...rung, toolDigests: null, config: config({ toolDigests: [] }) }, []],
    ['run', { config: config({ toolDigests: [U] }) }, [U]],
    ['snapshot', { ...rung, toolDigests: null, config: config() }, [T]],
    ['snapshot', { ...rung, toolDigests: null, config: config({ promptDigests: [Q] }) }, [T]],
    ['host', { hostCatalog: Q, snapshot: { ...snapshot, catalog: null } }, [Q]],
    ['none', {}, null],
  ])('come from the %s', (toolSource, input, tools) => expect(made(input)).toMatchObject({ toolSource, request: { tools } }))
})

describe('parameters', () => {
  it('are only those that somebody set', () => {
    expect(made({ config: config({ provider: ' scripted ', model: ' small ' }) }).request.parameters).toEqual({
      provider: 'scripted',
      model: 'small',
    })
  })

  it('are all of those', () => {
    const options = { temperature: 0, topP: 1, toolChoice: { tool: 'look' }, stopSequences: [], responseFormat: Q } as const
    const set = config({ maxTokens: 0, reasoningEffort: 'medium' })
    const withOptions = { ...snapshot, prelude: { ...snapshot.prelude!, options: V } }
    expect(made({ config: set, options, snapshot: withOptions }).request.parameters).toEqual({
      provider: 'scripted',
      model: 'small',
      maxTokens: 0,
      reasoningEffort: 'medium',
      defaults: V,
      ...options,
    })
  })

  it('of a prelude go with it: direct digests leave both out', () => {
    const withOptions = { ...snapshot, prelude: { ...snapshot.prelude!, options: V } }
    expect(made({ snapshot: withOptions, config: config({ promptDigests: [Q] }) }).request.parameters).not.toHaveProperty('defaults')
  })

  it('make another request with every change', () => {
    const inputs: Partial<StepInput>[] = [
      {},
      { snapshot },
      { system: U },
      { user: U },
      { toolDigests: [] },
      { options: { temperature: 1 } },
      { config: config({ model: 'other' }) },
      { history: said([N, M]).history },
    ]
    const digests = inputs.map(input => made(input).requestDigest)
    expect(new Set(digests).size).toBe(inputs.length)
    expect(made({}).requestDigest).toBe(digestJson(made({}).request as unknown as Json))
  })
})

describe('history', () => {
  it('reads back as it was said, however long', () => {
    fc.assert(
      fc.property(fc.nat(200), count => {
        const messages = Array.from({ length: count }, (_, index) => named(`message ${index}`))
        const { history, texts } = said(messages)
        const { stored, ...head } = historyHead(history)
        if (stored !== null) texts.set(stored.digest, stored.text)
        expect(readHistory(head, digest => texts.get(digest) ?? null)).toEqual(messages)
        expect(head.count).toBe(count)
        for (const [digest, text] of texts) {
          expect(digestText(text)).toBe(digest)
          expect(text.startsWith('{"$node":"history",')).toBe(true)
        }
      }),
    )
  })

  it('is the same by name only when the same was said', () => {
    const messages = Array.from({ length: 100 }, (_, index) => named(`message ${index}`))
    const heads = messages.map((_, count) => historyHead(said(messages.slice(0, count)).history).head)
    expect(new Set(heads).size).toBe(messages.length)
    expect(historyHead(said([M, ...messages]).history).head).not.toBe(historyHead(said([N, ...messages]).history).head)
  })

  it('holds no more than a piece, whatever its length: a step costs the same', () => {
    const { history } = said(Array.from({ length: 10_000 }, () => M))
    const { stored } = historyHead(history)
    expect(history.open.length).toBeLessThan(PIECE)
    expect(stored!.text.length).toBeLessThan((PIECE + 2) * 80)
    expect(JSON.stringify(made({ history }).request).length).toBeLessThan(1000)
  })

  it('is not read from anything else', () => {
    const head = { head: M, count: 1 }
    for (const text of [
      null,
      '',
      '[]',
      '{"$node":"tree"}',
      '{"$node":"history","messages":["x"]}',
      '{"$node":"history","messages":[],"previous":1}',
    ])
      expect(readHistory(head, () => text)).toBeNull()
  })
})
