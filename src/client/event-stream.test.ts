// Tests the parser of event streams, with input split anywhere.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eventParser, type ServerEvent } from './event-stream.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string, after?: string): readonly ServerEvent[] => eventParser(after).push(bytesOf(text))

it.each<[string, string, readonly Partial<ServerEvent>[]]>([
  ['an event', 'data: a\n\n', [{ id: '', type: 'message', data: 'a' }]],
  ['lines are joined, one blank is dropped', 'data: a\ndata:  b\ndata:c\n\n', [{ data: 'a\n b\nc' }]],
  ['all three ends of line', 'data: a\r\ndata: b\rdata: c\n\r\n', [{ data: 'a\nb\nc' }]],
  ['an unfinished event is no event', 'data: a\n', []],
  ['comments and unknown fields', ': hello\nfoo: bar\ndata: a\n\n', [{ data: 'a' }]],
  ['an unknown type', 'event: future.happened\ndata\n\n', [{ type: 'future.happened', data: '' }]],
  ['an id stays', 'id: 7\ndata: a\n\ndata: b\n\n', [{ id: '7' }, { id: '7', data: 'b' }]],
  ['an id with NUL is none', 'id: 1\0\ndata: a\n\n', [{ id: '' }]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
  ['a second byte order mark belongs to the field name', '\uFEFF\uFEFFdata: a\n\ndata: b\n\n', [{ data: 'b' }]],
  ['a type without data is forgotten', 'event: x\n\ndata: a\n\n', [{ type: 'message', data: 'a' }]],
])('%s', (_, text, events) => expect(parse(text)).toMatchObject(events))

it('moves on with an id that comes without data, and hears retry', () => {
  const parser = eventParser('3')
  expect(parser.lastId()).toBe('3')
  expect(parser.push(bytesOf('id: 9\nretry: 250\n\nretry: 1x\n'))).toEqual([])
  expect([parser.lastId(), parser.retryMs()]).toEqual(['9', 250])
})

it('removes one byte order mark, also when its bytes come in two pieces', () => {
  const parser = eventParser()
  const bytes = bytesOf('\uFEFF\uFEFFdata: a\n\ndata: b\n\n')
  expect(parser.push(bytes.slice(0, 1))).toEqual([])
  expect(parser.push(bytes.slice(1))).toMatchObject([{ data: 'b' }])
})

it('any split of the bytes gives the same events', () => {
  const piece = fc.constantFrom(
    'data: ',
    'data',
    'id: ',
    'event: ',
    'retry: 5',
    ':',
    'x',
    'é',
    '\u{1F600}',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\r',
    '\uFEFF',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 20 }), (pieces, cuts) => {
      const bytes = bytesOf(pieces.join(''))
      const places = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const [whole, split] = [eventParser(), eventParser()]
      const expected = whole.push(bytes)
      const found = places.slice(1).flatMap((end, index) => split.push(bytes.slice(places[index], end)))
      expect(found).toEqual(expected)
      expect(split.lastId()).toBe(whole.lastId())
    }),
    { numRuns: 2_000 },
  )
})
