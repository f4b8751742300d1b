// Heads that were meant as heads and asked for nothing: read, or reported with their place.
import { describe, expect, it } from 'vitest'
import { readRole } from './role.ts'

const TEXT = '## Identity\nYou write.\n\n## Responsibilities\nWrite.\n\n## Constraints\nNone.\n\n## Output style\nShort.\n'
const read = (head: string) => {
  const found = readRole(`${head}${TEXT}`, 'w')
  return {
    requests: found.ok ? found.role.requests : null,
    text: found.ok ? found.role.text : null,
    problems: found.problems.map(({ severity, message, position: { line, column } }) => `${severity} ${line}:${column} ${message}`),
  }
}
const SOUND = { requests: ['edit_code'], text: TEXT, problems: [] }

describe('packs D7: a head', () => {
  it.each([
    ['a blank line inside', '[template]\nname = "w"\n\ncapabilities = ["edit_code"]\n\n'],
    ['several, with CRLF', '[template]\r\n\r\nname = "w"\r\n \r\n\r\ncapabilities = ["edit_code"]\r\n\r\n'],
    ['a comment above', '# The writer.\n\n  # Second line.\n[template]\ncapabilities = ["edit_code"]\n\n'],
  ])('with %s is read whole', (_, head) => expect(read(head)).toEqual(SOUND))

  it('is one table: a list of tables is an error', () => {
    expect(read('[[template]]\ncapabilities = ["edit_code"]\n\n')).toMatchObject({
      requests: null,
      problems: ['error 1:1 The head is one table, not a list of tables'],
    })
    expect(read('# The writer.\n[[template]]\n\n').problems).toEqual(['error 2:1 The head is one table, not a list of tables'])
  })

  it('that stands in the text is reported where it stands', () => {
    const looks = 'This line looks like part of the head, and the model gets it as text: it requests nothing'
    expect(read('Hello.\n\n [template]\ncapabilities = ["edit_code"]\n\n').problems).toEqual([`warning 3:2 ${looks}`])
    expect(read('[template]\n\n# Wants\ncapabilities = ["edit_code"]\n\n').problems).toEqual([`warning 4:1 ${looks}`])
  })

  it('requests no tools by a pattern', () => {
    expect(read('[template]\ncapabilities = ["tool:*", "edit_code"]\n\n')).toMatchObject({
      requests: ['edit_code'],
      problems: ['warning 2:17 "tool:*" names no tool: a request has no pattern, and this asks for nothing'],
    })
  })
})
