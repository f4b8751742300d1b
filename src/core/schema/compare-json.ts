// Compares expected with actual JSON: by JSON pointer for machines, as a unified diff for people.
import { createTwoFilesPatch } from 'diff'
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { sortedJson } from '../digest/indented-json.ts'
import { type Pointer, pointerText } from './pointer.ts'

export interface Difference {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly expected?: Json
  readonly actual?: Json
}

/** Key order never matters, the order of lists always does. `ignore`: pointers that may differ, with everything below them. */
export function compareJson(expected: Json, actual: Json, ignore: readonly string[] = []): readonly Difference[] {
  const differences: Difference[] = []
  const visit = (wanted: Json | undefined, found: Json | undefined, pointer: Pointer): void => {
    const path = pointerText(pointer)
    if (ignore.some(ignored => path === ignored || path.startsWith(`${ignored}/`))) return
    if (wanted === undefined) differences.push({ op: 'add', path, actual: found! })
    else if (found === undefined) differences.push({ op: 'remove', path, expected: wanted })
    else if (isContainer(wanted) && isContainer(found) && Array.isArray(wanted) === Array.isArray(found)) {
      for (const key of keysOf(wanted, found)) visit(at(wanted, key), at(found, key), [...pointer, key])
    } else if (wanted !== found) differences.push({ op: 'replace', path, expected: wanted, actual: found })
  }
  visit(expected, actual, [])
  return differences
}

/** Lines that may come and go in all. The work grows with the square of this; a time limit would give another answer each time. */
const MAX_EDITS = 1000
const TOO_DIFFERENT = '(too different to show line by line)'
const MAX_DEPTH = 200

/** For values of any size and depth; never throws. */
export function textDiff(expected: Json, actual: Json): string {
  const [before, after] = [pretty(expected), pretty(actual)]
  if (before === null || after === null) return TOO_DIFFERENT
  const options = { context: 2, maxEditLength: MAX_EDITS }
  const patch = createTwoFilesPatch('expected', 'actual', before, after, undefined, undefined, options)
  return patch === undefined ? TOO_DIFFERENT : patch.slice(patch.indexOf('---')).trimEnd()
}

/** Null for a value without a canonical spelling: too deep, or not JSON. */
function pretty(value: Json): string | null {
  if (isDeeperThan(value, MAX_DEPTH)) return null
  try {
    return `${sortedJson(value)}\n`
  } catch {
    return null
  }
}

type Container = readonly Json[] | { readonly [key: string]: Json }
const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null
const at = (value: Container, key: string | number): Json | undefined =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string | number, Json>>)[key] : undefined

function keysOf(a: Container, b: Container): readonly (string | number)[] {
  if (Array.isArray(a) && Array.isArray(b)) return [...(a.length > b.length ? a : b).keys()]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
}
