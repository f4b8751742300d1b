// Tests the lines of a streaming reply.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyLines } from './reply-lines.ts'

const squeezed = (text: string): string => text.replace(/\s/g, '')

describe('a reply while it is being said', () => {
  it('shows whole lines as they come, and the rest at the end', () => {
    const reply = replyLines()
    expect(reply.feed('One\nTw')).toEqual(['One'])
    expect(reply.feed('o')).toEqual([])
    expect(reply.end('One\nTwo.')).toEqual(['Two.'])
  })

  it('breaks long lines at a blank, and inside a word only where it must', () => {
    expect(replyLines().end(`${'word '.repeat(20)}end`)).toEqual([Array(19).fill('word').join(' '), 'word end'])
    expect(
      replyLines()
        .end('x'.repeat(200))
        .map(line => line.length),
    ).toEqual([96, 96, 8])
  })

  it('shows the whole again when pieces of it were missed', () => {
    const reply = replyLines()
    reply.feed('the middle\n')
    expect(reply.end('The start, the middle\nand the end')).toEqual(['The start, the middle', 'and the end'])
  })

  it('leaves out lines that are calls, and shows those that are not run', () => {
    const run = '{"tool_call":{"id":"t","name":"probe","args":{"a":"b"}}}'
    const wrong = '{"tool_call":{"id":"t","name":"rm","args":{}}}'
    const whole = `One\n${run}\n\n${wrong}\n\`\`\`\n${run}\n\`\`\``
    const expected = ['One', '', wrong, '```', run, '```']
    expect(replyLines(new Set(['probe'])).end(whole)).toEqual(expected)
    for (const size of [1, 7, 60]) {
      const reply = replyLines(new Set(['probe']))
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g'))!
      expect([...pieces.flatMap(piece => reply.feed(piece)), ...reply.end(whole)]).toEqual(expected)
    }
  })

  it('loses no word, however the reply is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 150 }), { maxLength: 8 }), pieces => {
        const reply = replyLines()
        const shown = pieces.flatMap(piece => reply.feed(piece))
        const all = [...shown, ...reply.end(pieces.join(''))]
        expect(squeezed(all.join(''))).toBe(squeezed(pieces.join('')))
        expect(all.every(line => line.length <= 96)).toBe(true)
      }),
    )
  })
})
