// Tests the line diff of two texts: its result, its symmetry, and its limits.
import { structuredPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TextHunk, textHunks } from './text-hunks.ts'
import { wordPieces } from './word-pieces.ts'

const linesOf = (a: string, b: string) => textHunks(a, b).hunks?.flatMap(({ lines }) => lines)

describe('lines', () => {
  it('tells what comes, what goes and what is around it', () => {
    expect(textHunks('one\ntwo\nthree\nfour\nfive', 'one\ntwo\n3\nfour\nfive\nsix')).toEqual({
      hunks: [{ aStart: 1, aLines: 5, bStart: 1, bLines: 6, lines: [' one', ' two', '-three', '+3', ' four', ' five', '+six'] }],
    })
  })

  it.each([
    ['', 'new', ['+new']],
    ['old', '', ['-old']],
    ['same', 'same\n', [' same', '+']],
    ['same', 'same', []],
  ])('%j to %j', (a, b, lines) => {
    expect(linesOf(a, b)).toEqual(lines)
  })

  it('gives up on what is too long, and on what is too different, in time', () => {
    expect(textHunks('x'.repeat(600_000), 'y'.repeat(600_000))).toEqual({ hunks: null, why: 'too_long' })
    const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n')
    expect(textHunks(many('a'), many('b'))).toEqual({ hunks: null, why: 'too_different' })
  })

  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '- d', '+ e'), { maxLength: 12 }).map(lines => lines.join('\n'))

  const longer = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e\r', ''), { maxLength: 60 }).map(lines => `${lines.join('\n')}\n`)

  it('is what the package diff tells, which is slower', () => {
    fc.assert(
      fc.property(longer, longer, (one, other) => {
        // Texts are turned so that the lesser comes first.
        const [a, b] = one > other ? [other, one] : [one, other]
        const { hunks } = structuredPatch('', '', a, b, undefined, undefined, { context: 2 })
        const told = hunks.map(({ oldStart: aStart, oldLines: aLines, newStart: bStart, newLines: bLines, lines }) => ({
          ...{ aStart, aLines, bStart, bLines, lines },
        }))
        expect(textHunks(a, b)).toEqual({ hunks: told })
      }),
      { numRuns: 300 },
    )
  })

  it('is the same from either side', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(textHunks(b, a)).toEqual({ hunks: textHunks(a, b).hunks!.map(turned) })
      }),
    )
  })

  it('holds all of either text that is not in the other', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const sides = (sign: string) => (linesOf(a, b) ?? []).filter(line => line.startsWith(sign)).length
        const count = (one: string) => (one === '' ? 0 : one.split('\n').length)
        expect(sides('+') - sides('-')).toBe(count(b) - count(a))
        expect(linesOf(a, a)).toEqual([])
      }),
    )
  })
})

function turned({ aStart, aLines, bStart, bLines, lines }: TextHunk): TextHunk {
  const groups: string[][] = []
  for (const line of lines) {
    if (line.startsWith(' ')) groups.push([line])
    else if (groups.length === 0 || groups.at(-1)![0]!.startsWith(' ')) groups.push([line])
    else groups.at(-1)!.push(line)
  }
  const signs: Record<string, string> = { '-': '+', '+': '-', ' ': ' ' }
  const other = groups.flatMap(group => {
    const swapped = group.map(line => `${signs[line[0]!]}${line.slice(1)}`)
    return [...swapped.filter(line => !line.startsWith('+')), ...swapped.filter(line => line.startsWith('+'))]
  })
  return { aStart: bStart, aLines: bLines, bStart: aStart, bLines: aLines, lines: other }
}

describe('words', () => {
  const shown = (a: string, b: string, width = 96) =>
    wordPieces(a, b, width).map(pieces => pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''))

  it('marks those that are not in the other line', () => {
    expect(shown('the very last ferry', 'the last ferry leaves')).toEqual(['the [very ]last ferry', 'the last ferry[ leaves]'])
  })

  it('cuts what both have of a long line, and never half a character', () => {
    const [a, b] = shown(`${'💡'.repeat(60)} one ${'x'.repeat(60)}`, `${'💡'.repeat(60)} two ${'x'.repeat(60)}`, 40)
    expect(a).toContain('[one]')
    expect(b).toContain('[two]')
    expect([a!.length < 100, a!.isWellFormed(), b!.isWellFormed()]).toEqual([true, true, true])
  })

  it('leaves a pair that is too different as it is', () => {
    const many = (word: string) => Array.from({ length: 400 }, (_, index) => `${word}${index}`).join(' ')
    expect(
      wordPieces(many('a'), many('b'), 50)
        .flat()
        .map(({ changed }) => changed),
    ).toEqual([false, false])
  })
})
