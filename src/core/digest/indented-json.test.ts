import { expect, it } from 'vitest'
import { jsonFile, sortedJson } from './indented-json.ts'

it('writes a file with the keys as they come, and ends it with a line break', () => {
  expect(jsonFile({ b: [1], a: {} })).toBe('{\n  "b": [\n    1\n  ],\n  "a": {}\n}\n')
})

it('writes equal values as equal texts', () => {
  expect(sortedJson({ b: 1, a: { d: 2, c: 3 } })).toBe(sortedJson({ a: { c: 3, d: 2 }, b: 1 }))
  expect(sortedJson({ b: 1, a: 2 })).toBe('{\n  "a": 2,\n  "b": 1\n}')
})
