import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { decodeEvent, type EventDraft, emptyHead, readEvent, type StreamHead, writeEvent } from './event.ts'

const AT = '2026-01-01T00:00:00.000Z'
const anyDraft: fc.Arbitrary<EventDraft> = fc.record({
  type: fc.constantFrom('run.started', 'step.ended'),
  actor: fc.string({ unit: 'grapheme' }),
  cause: fc.option(fc.string({ unit: 'grapheme' }), { nil: null }),
  // As JSON knows it: -0 is 0, and there is no undefined.
  payload: fc.jsonValue().map(value => JSON.parse(JSON.stringify(value)) as Json),
})
const anyStream = fc.array(anyDraft, { minLength: 2, maxLength: 8 }).map(drafts => {
  let head: StreamHead = emptyHead('acme', 'run/1')
  return drafts.map(draft => {
    const written = writeEvent(head, draft, AT)
    head = written.head
    return written.bytes
  })
})

const faultOf = (stream: readonly Uint8Array[]): string | null => {
  let head = emptyHead('acme', 'run/1')
  for (const [index, bytes] of stream.entries()) {
    const read = readEvent(head, bytes)
    if (!read.ok) return `${index} ${read.fault}`
    head = read.head
  }
  return null
}

describe('events', () => {
  it('are written with their keys in one order', () => {
    const { bytes } = writeEvent(emptyHead('acme', 'run/1'), { type: 'run.started', actor: 'ada', payload: { b: 1, a: 2 } }, AT)
    expect(new TextDecoder().decode(bytes)).toBe(
      `{"v":1,"tenant":"acme","stream":"run/1","seq":0,"type":"run.started","at":"${AT}","actor":"ada","cause":null,"prev":null,"payload":{"b":1,"a":2}}`,
    )
  })

  it('read back as they were written, in an unbroken chain', () => {
    fc.assert(
      fc.property(anyStream, stream => {
        expect(faultOf(stream)).toBeNull()
      }),
    )
  })

  it('give away any changed byte: in the event itself, or in the next one', () => {
    fc.assert(
      fc.property(anyStream, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (stream, which, where, by) => {
        const index = which % (stream.length - 1)
        const changed = stream.map(bytes => Uint8Array.from(bytes))
        const bytes = changed[index]!
        bytes[where % bytes.length]! ^= by
        expect(faultOf(changed)).toMatch(new RegExp(`^(${index}|${index + 1}) `))
      }),
    )
  })

  it.each([
    ['dropped', (stream: Uint8Array[]) => stream.toSpliced(0, 1), '0 sequence_broken'],
    ['doubled', (stream: Uint8Array[]) => [stream[0]!, ...stream], '1 sequence_broken'],
    ['swapped', (stream: Uint8Array[]) => [stream[1]!, stream[0]!], '0 sequence_broken'],
  ])('give away an event that was %s', (_, change, fault) => {
    fc.assert(
      fc.property(anyStream, stream => {
        expect(faultOf(change([...stream]))).toBe(fault)
      }),
    )
  })

  it('of another stream or tenant are misplaced', () => {
    const elsewhere = writeEvent(emptyHead('acme', 'run/2'), { type: 'a.b', actor: 'x', payload: null }, AT).bytes
    const others = writeEvent(emptyHead('umbrella', 'run/1'), { type: 'a.b', actor: 'x', payload: null }, AT).bytes
    expect(faultOf([elsewhere])).toBe('0 event_misplaced')
    expect(faultOf([others])).toBe('0 event_misplaced')
  })

  it.each([
    ['white space', (text: string) => ` ${text}`],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['another key', (text: string) => text.replace('{', '{"x":1,')],
    ['a key twice', (text: string) => text.replace('"seq":0', '"seq":1,"seq":0')],
    ['another spelling', (text: string) => text.replace('"acme"', '"\\u0061cme"')],
    ['another version', (text: string) => text.replace('"v":1', '"v":2')],
    ['half a number', (text: string) => text.replace('"seq":0', '"seq":0.5')],
    ['no digest', (text: string) => text.replace('"prev":null', '"prev":"sha256:x"')],
  ])('are not read with %s', (_, change) => {
    const { bytes } = writeEvent(emptyHead('acme', 'run/1'), { type: 'a.b', actor: 'x', payload: null }, AT)
    expect(decodeEvent(bytes)).not.toBeNull()
    expect(decodeEvent(new TextEncoder().encode(change(new TextDecoder().decode(bytes))))).toBeNull()
  })

  it('are not read from bytes that are no text', () => expect(decodeEvent(Uint8Array.of(0xff, 0xfe))).toBeNull())
})
