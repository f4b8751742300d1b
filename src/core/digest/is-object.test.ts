import { expect, it } from 'vitest'
import type { Json } from './digest.ts'
import { isObject } from './is-object.ts'

const CASES: readonly [Json | undefined, boolean][] = [
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  ['', false],
  [0, false],
  [true, false],
  [undefined, false],
]
it.each(CASES)('%j has fields: %s', (value, expected) => expect(isObject(value)).toBe(expected))
