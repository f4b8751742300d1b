// Where two requests part, and what is said of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockSegment } from '../compose/parts.ts'
import { digestText } from '../digest/digest.ts'
import { brokenSpan, bytesOf, commonBytes, decidedBy, keptOf, type SentPart, type SentPiece } from './prefix.ts'
import { type Breaker, type ComparedStep, lostTokens, summaryOf } from './summary.ts'

const piece = (text: string, part: SentPart = 'history'): SentPiece => ({
  part,
  name: null,
  digest: digestText(text),
  bytes: Buffer.byteLength(text),
})
const segment = (text: string, more: Partial<BlockSegment> = {}): BlockSegment => ({
  text,
  block: 'role',
  part: 'system',
  template: 'prompt:x@1.0.0',
  layer: 'node',
  from: null,
  at: null,
  trust: 'trusted',
  secret: null,
  ...more,
})

it('what is kept is what the bytes have in common, however they are cut', () => {
  const texts = fc.array(
    fc.record({ a: fc.string(), b: fc.constantFrom('é', '漢', '🚢', '') }).map(value => JSON.stringify(value)),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(texts, texts, texts, (same, before, after) => {
      const [one, other] = [
        [...same, ...before],
        [...same, ...after],
      ]
      const { bytes, broken } = keptOf(
        one.map(text => piece(text)),
        other.map(text => piece(text)),
      )
      const within = broken === null || broken.after === null ? 0 : commonBytes(one[broken.index]!, other[broken.index]!)
      const [first, second] = [one, other].map(all => Buffer.from(all.join(''))) as [Buffer, Buffer]
      const differs = first.findIndex((byte, index) => byte !== second[index])
      expect(bytes + within).toBe(differs < 0 ? first.length : differs)
      expect(broken === null).toBe(differs < 0)
    }),
  )
})

it('a longer request breaks nothing, a shorter one does', () => {
  const [one, two] = [piece('{"a":1}'), piece('{"a":2}')]
  expect(keptOf([one], [one, two])).toEqual({ bytes: bytesOf([one]), broken: null })
  expect(keptOf([one, two], [one])).toEqual({ bytes: bytesOf([one]), broken: { before: two, after: null, index: 1 } })
})

describe('the span that differs', () => {
  const at = (start: number) => ({ start, end: start + 1 })
  const header = [
    segment('Write for ', { at: at(0) }),
    segment('Ann', { from: 'reader', at: at(10) }),
    segment('.', { at: at(20) }),
    segment('\n\n', { block: null, part: null }),
    segment('PLAN', { block: 'mode', part: 'mode' }),
  ]
  const changed = (index: number, text: string) => header.map((one, place) => (place === index ? { ...one, text } : one))

  it.each([
    [1, 'Eva', { block: 'role', variable: 'reader', at: 10, of: 20 }],
    [1, 'Anna', { block: 'role', variable: 'reader', at: 10, of: 21 }],
    [1, 'An', { block: 'role', variable: 'reader', at: 10, of: 19 }],
    [4, 'DO', { block: 'mode', variable: null, at: 16, of: 18 }],
  ])('is whose words stand there now: %i %s', (index, text, expected) => {
    expect(brokenSpan(header, changed(index, text))).toMatchObject(expected)
  })

  it('is of the template that stands there now, where another took its place', () => {
    const [planning, acting] = ['prompt:plan@1.0.0', 'prompt:act@1.0.0'].map(template =>
      header.map(one => (one.block === 'mode' ? { ...one, template, text: template } : one)),
    )
    expect(brokenSpan(planning!, acting!)).toMatchObject({ block: 'mode', template: 'prompt:act@1.0.0' })
  })

  it('is a value that is not there any more', () => {
    expect(brokenSpan(header, header.toSpliced(1, 1))).toMatchObject({ variable: 'reader', at: 10 })
    expect(brokenSpan(header.toSpliced(1, 1), header)).toMatchObject({ variable: 'reader', at: 10 })
  })

  it('is the earlier one, where the later has ended; and there is none where nothing differs', () => {
    expect(brokenSpan(header, header.slice(0, 1))).toMatchObject({ variable: 'reader' })
    expect(brokenSpan(header, [...header, segment('Do it.', { block: 'task' })])).toBeNull()
  })
})

it('words that come and go do so for the variable of the block they stand in', () => {
  const source = 'Always. {{#if style}}Style: {{style}}{{#each rules}}- {{this}}{{else}}none{{/each}}{{/if}} End.'
  const by = (words: string) => decidedBy(source, source.indexOf(words))
  expect(['Always', 'Style: ', '{{style}}', '- ', 'none', ' End.'].map(by)).toEqual([null, 'style', 'style', 'rules', 'rules', null])
})

describe('a summary', () => {
  const breaker: Breaker = {
    part: 'system',
    index: 0,
    name: null,
    block: 'role',
    template: 'prompt:x@1.0.0',
    layer: 'node',
    variable: 'now',
    at: 10,
    of: 90,
  }
  const step = (previous: number, kept: number, broken: Breaker | null): ComparedStep => ({
    previous,
    kept,
    broken,
    lost: lostTokens(previous - kept, previous, null, null),
  })

  it('names what cost most, and how often', () => {
    const mode = { ...breaker, block: 'mode', variable: null } as const
    const steps = [step(100, 100, null), step(100, 60, mode), step(100, 70, breaker), step(100, 70, breaker)]
    expect(summaryOf(steps)).toMatchObject({
      compared: 4,
      share: 0.75,
      lost: { tokens: 26, estimated: true },
      worst: { variable: 'now', times: 2, bytes: 60 },
    })
  })

  it.each<readonly [Partial<Breaker>, string]>([
    [{}, '{{now}} of prompt:x@1.0.0 is in the system message after 10 of 90 bytes'],
    [{ variable: null }, 'The system message has another text after 10 of 90 bytes'],
    [{ block: 'system', variable: 'lineTools.[0]' }, 'Tools that are called by line are in the host’s contract after 10 of 90 bytes'],
    [{ block: 'mode' }, 'The mode changed'],
    [{ part: 'tools', name: 'probe' }, 'while probe comes and goes'],
    [{ part: 'prelude' }, 'Another version of the workspace'],
  ])('%j gets a hint that follows from it', (more, hint) => {
    expect(summaryOf([step(100, 10, { ...breaker, ...more })]).hint).toContain(hint)
  })

  it('says nothing where nothing was compared', () => {
    expect(summaryOf([])).toEqual({ compared: 0, share: null, lost: { tokens: 0, estimated: false }, worst: null, hint: null })
  })
})

it('tokens are the provider’s where it tells them, and reckoned otherwise', () => {
  const usage = (prompt: number, cached?: number) => ({ prompt, completion: 1, ...(cached === undefined ? {} : { cached }) })
  expect(lostTokens(400, 400, usage(90), usage(120, 30))).toEqual({ tokens: 60, estimated: false })
  expect(lostTokens(400, 400, usage(90), usage(120, 95))).toEqual({ tokens: 0, estimated: false })
  expect(lostTokens(400, 400, usage(90), usage(120))).toEqual({ tokens: 100, estimated: true })
  expect(lostTokens(400, 400, null, null)).toEqual({ tokens: 100, estimated: true })
  // Nothing was kept, but only a tenth was broken.
  expect(lostTokens(40, 400, usage(90), usage(120, 0))).toEqual({ tokens: 9, estimated: true })
})
