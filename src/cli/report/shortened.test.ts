// Tests how a text is shortened to a number of columns.
import { expect, it } from 'vitest'
import { textWidth } from './cells.ts'
import { shortened } from './shortened.ts'

it.each([
  ['prompts/writer/v1.1.0.yaml:14', 40, 'prompts/writer/v1.1.0.yaml:14'],
  ['prompts/writer/v1.1.0.yaml:14', 12, 'prompt…ml:14'],
  ['日本語日本語日本語', 8, '日本…語'],
  ['abc', 1, '…'],
])('%j in %i columns keeps both ends', (text, most, expected) => {
  expect(shortened(text, most)).toBe(expected)
  expect(textWidth(shortened(text, most))).toBeLessThanOrEqual(most)
})
