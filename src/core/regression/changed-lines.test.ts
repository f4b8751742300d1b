// A few lines that say what a difference is about.
import { describe, expect, it } from 'vitest'
import { changedLines, linesOfJson } from './changed-lines.ts'

describe('changedLines', () => {
  it.each([
    ['the same', 'a\nb', 'a\nb', []],
    ['one line', 'a\nb\nc', 'a\nB\nc', ['- b', '+ B']],
    ['a line more', 'a\nc', 'a\nb\nc', ['+ b']],
    ['a line less', 'a\nb\nc', 'a\nc', ['- b']],
    ['many', 'a\n1\n2\n3\n4\n5', 'a', ['- 1', '- 2', '- 3', '- … 2 more lines']],
    ['everything', '', 'b', ['- ', '+ b']],
  ])('%s', (_, was, is, lines) => {
    expect(changedLines(was, is)).toEqual(lines)
  })

  it('shows of a long line where it differs', () => {
    const [was, is] = ['six', 'seven'].map(word => `${'x'.repeat(500)} ${word} ${'y'.repeat(500)}`)
    for (const line of changedLines(was!, is!)) {
      expect(line.length).toBeLessThan(180)
      expect(line).toMatch(/x{30} s(?:ix|even) y/)
    }
  })
})

it('a line for every value of JSON, and the words of messages alone', () => {
  expect(linesOfJson('[{"role":"system","content":[{"type":"text","text":"Be brief.\\nAlways."}]}]')).toBe(
    '0.role: system\n0.content.0.type: text\nBe brief.\nAlways.',
  )
  expect(linesOfJson('{"name":"probe","strict":null}')).toBe('name: probe\nstrict: null')
  expect(linesOfJson('{ no JSON')).toBe('{ no JSON')
})
