import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { compareJson, textDiff } from './compare-json.ts'

describe('compareJson', () => {
  it('names what came, what is gone and what differs', () =>
    expect(compareJson({ a: 1, b: [1, 2], c: {} }, { b: [2], c: [], d: null })).toEqual([
      { op: 'remove', path: '/a', expected: 1 },
      { op: 'replace', path: '/b/0', expected: 1, actual: 2 },
      { op: 'remove', path: '/b/1', expected: 2 },
      { op: 'replace', path: '/c', expected: {}, actual: [] },
      { op: 'add', path: '/d', actual: null },
    ]))
  it('passes over what may differ', () => expect(compareJson({ a: { b: 1 }, ab: 1 }, { a: {}, ab: 1 }, ['/a'])).toEqual([]))
})

describe('textDiff', () => {
  it('shows lines, whatever the order of keys', () =>
    expect(textDiff({ a: 1, b: 2 }, { b: 3, a: 1 })).toBe(
      '--- expected\n+++ actual\n@@ -1,4 +1,4 @@\n {\n   "a": 1,\n-  "b": 2\n+  "b": 3\n }',
    ))

  it('shows a few changes of a large value', () => {
    const list = Array.from({ length: 20_000 }, (_, index) => index)
    expect(textDiff(list, list.with(10_000, -1)).split('\n')).toHaveLength(9)
  })

  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as Json
  it.each<[string, Json, Json]>([
    ['two large values', Array.from({ length: 20_000 }, (_, index) => index), Array.from({ length: 20_000 }, (_, index) => `${index}`)],
    ['something very deep', deep, 1],
    ['half a surrogate pair', 1, '\ud800'],
    ['an infinite number', [Number.POSITIVE_INFINITY], 1],
  ])('gives up on %s', (_, expected, actual) => expect(textDiff(expected, actual)).toBe('(too different to show line by line)'))
})
