// Tests the code frame of a finding: carets under the exact characters, and long lines.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../testing/arbitraries/sample-reports.ts'
import { cpuTimeOf } from '../../testing/cpu-time.ts'
import { textWidth } from './cells.ts'
import { codeFrame, FRAME_WIDTH, type FrameSpan } from './code-frame.ts'

const span = (line: number, column: number, endColumn: number, endLine = line): FrameSpan => ({ line, column, endLine, endColumn })
const draw = (text: string, at: FrameSpan): string =>
  codeFrame(text.split('\n'), at)
    .map(line => `${line.gutter} | ${line.text}`.trimEnd())
    .join('\n')

describe('a code frame', () => {
  it('shows the line before, the line and a caret under each column that is meant', () =>
    expect(draw('one\ntwo words', span(2, 5, 10))).toBe('  1 | one\n> 2 | two words\n    |     ^^^^^'))

  it('has no line before the first', () => expect(draw('one', span(1, 1, 4))).toBe('> 1 | one\n    | ^^^'))

  it('lines up when the number grows a digit', () =>
    expect(draw(`${'\n'.repeat(8)}nine\nten`, span(10, 1, 4))).toBe('   9 | nine\n> 10 | ten\n     | ^^^'))

  it('ends a span of several lines at the end of the first', () =>
    expect(draw('a: |-\n  b\n', span(1, 4, 2, 3))).toBe('> 1 | a: |-\n    |    ^^'))

  it('has one caret for an empty span', () => expect(draw('abc', span(1, 2, 2))).toBe('> 1 | abc\n    |  ^'))

  it('has one caret behind the line for a span on the line break', () =>
    expect(draw('abc\nd', span(1, 4, 1, 2))).toBe('> 1 | abc\n    |    ^'))

  it('has a caret even in an empty file', () => expect(draw('', span(1, 1, 2))).toBe('> 1 |\n    | ^'))

  it('ignores the return of a Windows line end', () => expect(draw('ab\r\ncd\r\n', span(2, 1, 4))).toBe('  1 | ab\n> 2 | cd\n    | ^^'))

  it('counts wide characters as two columns', () => expect(draw('日本x', span(1, 2, 4))).toBe('> 1 | 日本x\n    |   ^^^'))

  it('counts an accent with its letter', () => expect(draw('e\u0301x', span(1, 3, 4))).toBe('> 1 | e\u0301x\n    |  ^'))

  it('counts a family as one picture', () => expect(draw('👩‍👩‍👧x', span(1, 9, 10))).toBe('> 1 | 👩‍👩‍👧x\n    |   ^'))

  it('expands tabs', () => expect(draw('\tx', span(1, 2, 3))).toBe('> 1 |     x\n    |     ^'))

  it('is empty when there is no such line', () => expect(codeFrame(['a'], span(2, 1, 1))).toEqual([]))

  it('shows the part of a long line that matters', () => {
    const [line, caret] = codeFrame([`${'a'.repeat(300)}HERE${'b'.repeat(300)}`], span(1, 301, 305))
    expect(line!.text).toBe(`…${'a'.repeat(33)}HERE${'b'.repeat(63)}…`)
    expect(caret!.text).toBe(`${' '.repeat(34)}^^^^`)
  })

  it('shows the end of a long line without a mark of more', () => {
    const [line, caret] = codeFrame([`${'a'.repeat(300)}END`], span(1, 301, 304))
    expect(line!.text).toBe(`…${'a'.repeat(33)}END`)
    expect(caret!.text).toBe(`${' '.repeat(34)}^^^`)
  })

  it('cuts no character in two', () => {
    // Eleven units and two columns each: the layout ends inside one, and still fits.
    const line = '👩‍👩‍👧‍👦'.repeat(100)
    const frame = codeFrame([line, line], span(2, 1, 2))
    expect(frame.map(({ text }) => text).join('')).not.toContain('\ufffd')
  })

  it('says that there is more of the line before, even when all that was laid out fits', () => {
    const [before] = codeFrame(['👩‍👩‍👧'.repeat(100), 'x'], span(2, 1, 2))
    expect(before!.text).toBe(`${'👩‍👩‍👧'.repeat(50)}…`)
  })

  it('takes no longer for a line of ten megabytes', () => {
    const line = '日'.repeat(10_000_000)
    expect(cpuTimeOf(() => codeFrame([line, line], span(2, 5_000_000, 9_000_000)))).toBeLessThan(1000)
  })

  it('stays on one line, within its width, with carets inside, whatever the text', () => {
    const long = fc.array(anyText, { maxLength: 40 }).map(parts => parts.join('').replaceAll('\n', ''))
    fc.assert(
      fc.property(long, fc.nat(400), fc.nat(50), (line, column, length) => {
        const [marked, caret] = codeFrame([line], span(1, column + 1, column + 1 + length))
        expect(marked!.text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
        expect(textWidth(marked!.text)).toBeLessThanOrEqual(FRAME_WIDTH + 2)
        expect(caret!.text).toMatch(/^ *\^+$/)
        expect(caret!.text.length).toBeLessThanOrEqual(FRAME_WIDTH + 2)
      }),
    )
  })

  it('puts the caret under the character that stands at the column', () => {
    const parts = fc.array(fc.constantFrom('a', ' ', '日', 'e\u0301', '👍', '\t', '\u001b', '한'), { maxLength: 120 })
    fc.assert(
      fc.property(parts, parts, (before, after) => {
        const lead = before.join('')
        const [marked, caret] = codeFrame([`${lead}@${after.join('')}`], span(1, lead.length + 1, lead.length + 2))
        const at = marked!.text.indexOf('@')
        expect(caret!.text).toBe(`${' '.repeat(textWidth(marked!.text.slice(0, at)))}^`)
      }),
    )
  })
})
