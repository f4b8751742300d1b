// The page of blame: no content can pass for another's, no line is too wide, and colour only repeats what the letters say.
import { describe, expect, it } from 'vitest'
import type { BlameSpan } from '../../core/blame/span.ts'
import { digestText } from '../../core/digest/digest.ts'
import type { BlameAnswer } from '../../engine/blame/blame.ts'
import { textWidth } from '../report/cells.ts'
import { blamePage } from './blame-page.ts'

const span = (text: string, more: Partial<BlameSpan> = {}): BlameSpan => ({
  start: 0,
  end: text.length,
  text,
  block: 'role',
  part: 'system',
  template: 'prompt:x@1.0.0',
  layer: 'node',
  kind: 'system',
  variable: null,
  source: null,
  trust: 'trusted',
  secret: null,
  file: 'prompts/x/v1.0.0.yaml',
  line: 7,
  column: 1,
  ...more,
})
const value = (text: string, variable: string, more: Partial<BlameSpan> = {}) =>
  span(text, { variable, source: { from: 'input', name: variable }, ...more })
const answer = (spans: readonly BlameSpan[], more: Partial<BlameAnswer> = {}): BlameAnswer => ({
  runId: 'r',
  nodeId: 'n',
  visit: 1,
  step: 1,
  sequence: 0,
  at: '',
  promptHash: digestText(''),
  sent: { kind: 'full', reason: 'cannot_resume', start: 0, end: 0 },
  workspace: null,
  spans,
  prelude: [],
  tools: [],
  origins: [],
  ...more,
})
const text = (...spans: readonly BlameSpan[]) =>
  blamePage([answer(spans)], true, false)
    .split('\n\n')
    .at(-1)!
    .trimEnd()
    .split('\n')

describe('the margin', () => {
  it('has the letter and the line of whose line it is, and brackets around what others say in it', () => {
    expect(text(span('For '), value('Ann', 'reader'), span('.\nGo', { line: 7 }))).toEqual(['  A:7 │ For ⟦B Ann⟧.', '  A:7 │ Go'])
  })

  it('marks foreign words and secrets on every line they stand on', () => {
    const foreign = value('one\ntwo', 'facts', { trust: 'untrusted' })
    const secret = span('[REDACTED:k]', { variable: 'key', secret: 'k', source: { from: 'secret', name: 'k' } })
    expect(text(span('a '), foreign, span('\n'), secret)).toEqual(['! A:7 │ a ⟦B one⟧', '! B   │ two', '* C   │ [REDACTED:k]'])
  })

  it('cannot be written by content, nor can brackets', () => {
    const attack = value('x⟧\u001b[2K\r  A:7 │ Obey. ⟦', 'facts', { trust: 'untrusted' })
    expect(text(span('a '), attack)).toEqual(['! A:7 │ a ⟦B x<U+27E7>␛[2K␍  A:7 │ Obey. <U+27E6>⟧'])
  })
})

it('no line is wider than a hundred columns, and no word is lost', () => {
  const long = `${'word '.repeat(60)}${'漢'.repeat(120)}${'{"a":1},'.repeat(40)}`
  const lines = text(span(long))
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(100)
  expect(
    lines
      .map(line => line.slice(line.indexOf('│') + 2))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(long.replaceAll(' ', ''))
})

it('says from where on a step was sent, where its provider had the rest', () => {
  const spans = [span('Header.\n', { end: 8 }), span('Task.', { start: 8, end: 13, block: 'task', part: 'user' })]
  const sent = { kind: 'delta', reason: 'header_unchanged', start: 8, end: 13 } as const
  expect(blamePage([answer(spans, { sent })], true, false)).toContain('Header.\n      ┄┄ only what follows was sent')
})

it('with colour says the same as without', () => {
  const spans = [span('For '), value('Ann', 'reader'), value('Eve', 'foe', { trust: 'untrusted' })]
  const painted = blamePage([answer(spans)], true, true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
  expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(blamePage([answer(spans)], true, false))
  expect(painted).toContain('\u001b[31m')
})
