// Output in the documented form of agents, and in undocumented forms: the result does not depend on how it is cut into pieces.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../errors.ts'
import type { Delta } from '../../ports.ts'
import { jsonlReader } from './jsonl-reader.ts'
import type { Reader, ReaderOptions, Said } from './reader.ts'
import { streamJsonReader } from './stream-json-reader.ts'

const READERS = { jsonl: jsonlReader, 'stream-json': streamJsonReader } as const

function read(make: (options: ReaderOptions) => Reader, pieces: readonly string[]): Said & { shown: string; finished: boolean | null } {
  const deltas: Delta[] = []
  const reader = make({ show: delta => deltas.push(delta), stray: () => {}, resumed: null })
  for (const piece of pieces) reader.push(piece)
  const said = reader.end()
  return { ...said, shown: deltas.map(({ kind, text }) => `${kind}:${text}`).join('|'), finished: reader.finished }
}
const lines = (...events: unknown[]): string => events.map(event => `${JSON.stringify(event)}\n`).join('')
const assistant = (id: string, ...content: unknown[]) => ({ type: 'assistant', message: { id, content } })
const text = (text: string) => ({ type: 'text', text })

describe('stream-json', () => {
  const of = (...events: unknown[]) => read(streamJsonReader, [lines(...events)])

  it('packs D1: shows whole messages where there are no pieces, and keeps all of them', () => {
    const said = of(assistant('a', text('Let me look.')), assistant('b', text('It is ')), assistant('b', text('done.')), {
      ...{ type: 'result', subtype: 'success', is_error: false },
    })
    expect(said).toMatchObject({
      ...{ texts: ['Let me look.', 'It is done.'], finished: true, failure: null },
      shown: 'text:Let me look.|text:\n\nIt is |text:done.',
    })
  })

  it('hears nothing of what agents of the agent say', () => {
    const theirs = { ...assistant('x', text('Not for you.')), parent_tool_use_id: 'toolu_1' }
    expect(of(assistant('a', text('Mine.')), theirs, { type: 'result' })).toMatchObject({ texts: ['Mine.'], shown: 'text:Mine.' })
  })

  it('keeps the first result beside the messages, unless it repeats their end', () => {
    const result = (result: string) => ({ type: 'result', result })
    expect(of(assistant('a', text('pieces')), result('whole'), result('later'))).toMatchObject({ texts: ['pieces', 'whole'] })
    expect(of(assistant('a', text('One.\n')), assistant('b', text(' Two. ')), result('Two.'))).toMatchObject({
      texts: ['One.\n', ' Two. '],
    })
  })

  it('begins another message after a tool, and where a piece says so', () => {
    const piece = (text: string) => ({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } } })
    const start = { type: 'stream_event', event: { type: 'message_start' } }
    const say = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
    expect(of(start, piece('a'), piece('b'), start, piece('c'))).toMatchObject({ texts: ['ab', 'c'], shown: 'text:a|text:b|text:\n\nc' })
    expect(of(say('a'), say('b'), { type: 'tool_use' }, { type: 'tool_result' }, say('c'))).toMatchObject({ texts: ['ab', 'c'] })
    expect(of(assistant('a', text('x'), { type: 'tool_use' }, text('y')))).toMatchObject({ texts: ['x', 'y'] })
  })

  it.each([
    [{ is_error: true, result: 'API Error' }, 'API Error'],
    [{ is_error: true, subtype: 'success' }, 'success'],
    [{ subtype: 'error_max_turns', is_error: false }, 'error_max_turns'],
    [{ status: 'error', error: { type: 'X', message: 'Turns are over' } }, 'Turns are over'],
    [{ is_error: true, errors: ['one', 2, 'three'] }, 'one; three'],
    [{ is_error: true }, 'it did not say why'],
  ])('knows a result that is none: %j', (result, failure) => {
    expect(of({ type: 'result', ...result })).toMatchObject({ failure, finished: true })
  })

  it('takes an error for a warning once there is a result', () => {
    const error = { type: 'error', severity: 'warning', message: 'Loop detected' }
    expect(of(error)).toMatchObject({ failure: 'Loop detected', finished: false })
    expect(of(error, { type: 'result', status: 'success' })).toMatchObject({ failure: null })
  })

  it.each([{ usage: null }, { usage: { input_tokens: -1, output_tokens: 2 } }, { usage: { input_tokens: 1 } }, { stats: 'many' }])(
    'counts nothing it was not told: %j',
    told => {
      expect(of({ type: 'result', result: 'a', ...told }).usage).toBeNull()
    },
  )
})

describe('jsonl', () => {
  const of = (...events: unknown[]) => read(jsonlReader, [lines(...events)])
  const item = (id: string, type: string, text: string, at = 'completed') => ({ type: `item.${at}`, item: { id, type, text } })

  it('shows an item as it grows, and anew when it was written anew', () => {
    const said = of(
      item('1', 'agent_message', 'Good', 'started'),
      item('1', 'agent_message', 'Good day', 'updated'),
      item('1', 'agent_message', 'Good day'),
      item('2', 'reasoning', 'Hm', 'updated'),
      item('2', 'reasoning', 'Well'),
      item('3', 'agent_message', 'Done.'),
      { type: 'turn.completed' },
    )
    expect(said).toMatchObject({
      ...{ texts: ['Good day', 'Done.'], reasoning: ['Well'], usage: null, finished: true },
      shown: 'text:Good|text: day|reasoning:Hm|reasoning:Well|text:\n\nDone.',
    })
  })

  it('goes on after an error that the turn survives', () => {
    expect(of({ type: 'error', message: 'Reconnecting' }, item('1', 'agent_message', 'Yes'), { type: 'turn.completed' })).toMatchObject({
      ...{ texts: ['Yes'], failure: null },
    })
    expect(of({ type: 'error', message: 'Reconnecting' })).toMatchObject({ failure: 'Reconnecting', finished: false })
  })

  it('goes on with no other thread than the one it was told to', () => {
    const reader = jsonlReader({ show: () => {}, stray: () => {}, resumed: 'a' })
    reader.push(lines({ type: 'thread.started', thread_id: 'a' }))
    expect(() => reader.push(lines({ type: 'thread.started', thread_id: 'b' }))).toThrow(Fault)
  })
})

describe.each(Object.entries(READERS))('any output, as %s', (_, make) => {
  const words = [
    'type',
    'result',
    'assistant',
    'message',
    'content',
    'item',
    'item.completed',
    'agent_message',
    'text',
    'turn.completed',
    'é🌅',
  ]
  const event = fc.letrec(tie => ({
    json: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, 1, true, ...words), tie('list'), tie('object')),
    list: fc.array(tie('json'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom(...words), tie('json'), { maxKeys: 5 }),
  })).object
  const output = fc
    .array(fc.oneof({ weight: 4, arbitrary: event.map(one => JSON.stringify(one)) }, fc.string()), { maxLength: 8 })
    .map(all => all.join('\n'))

  it('is read alike however it is cut up, and hurts nobody', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(400)), (whole, cuts) => {
        const places = [0, ...cuts.filter(cut => cut <= whole.length).sort((a, b) => a - b), whole.length]
        const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end))
        expect(read(make, pieces)).toEqual(read(make, [whole]))
      }),
    )
  })
})
