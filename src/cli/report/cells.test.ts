// Tests the widths of terminal cells against the published Unicode table.
import { eastAsianWidth } from 'get-east-asian-width'
import { expect, it } from 'vitest'
import { cellsOf, characterWidth, textWidth } from './cells.ts'

it('agrees with the published East Asian Width table on every assigned character that has a width', () => {
  const disagree: string[] = []
  for (let code = 0x20; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (/[\p{Cn}\p{Cc}]/u.test(character)) continue
    const width = characterWidth(character)
    if (width !== 0 && width !== eastAsianWidth(code)) disagree.push(code.toString(16))
  }
  expect(disagree).toEqual([])
})

it.each([
  ['abc', 3],
  ['日本語', 6],
  ['ｆｕｌｌ', 8],
  ['ｶﾅ', 2],
  ['cafe\u0301', 4],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2],
  ['👍🏽', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['❤', 1],
  ['שלום', 4],
])('%s fills %i columns', (text, columns) => expect(textWidth(text)).toBe(columns))

it('expands tabs to the next stop', () => expect(cellsOf('a\tb\t').map(cell => cell.width)).toEqual([1, 3, 1, 3]))

it.each([
  ['an escape', 'a\u001b[31m', 'a␛[31m'],
  ['a bell and a null', '\u0007\0', '␇␀'],
  ['a C1 control sequence introducer', '\u009b31m', '<U+009B>31m'],
  ['an override of the writing direction', 'a\u202eb', 'a<U+202E>b'],
  ['a blank of no width', 'a\u200bb', 'a<U+200B>b'],
  ['a byte order mark', '\ufeffid', '<U+FEFF>id'],
  ['a return in the middle', 'a\rb', 'a␍b'],
  ['half a character', 'a\ud800', 'a\ufffd'],
  ['an accent on nothing', '\u0301a', '◌\u0301a'],
  ['a joiner that joins nothing', '\u200d', '<U+200D>'],
  ['letters hidden in tags', '\u{e0041}', '<U+E0041>'],
])('shows %s', (_, line, shown) =>
  expect(
    cellsOf(line)
      .map(cell => cell.text)
      .join(''),
  ).toBe(shown),
)
