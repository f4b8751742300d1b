// What was expected against what came: by JSON pointer for machines, as a unified text for people.
import { createTwoFilesPatch } from 'diff'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { type Pointer, pointerText } from '../schema/pointer.ts'

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

export function textDiff(expected: Json, actual: Json): string {
  const pretty = (value: Json) => `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`
  const patch = createTwoFilesPatch('expected', 'actual', pretty(expected), pretty(actual), undefined, undefined, { context: 2 })
  return patch.slice(patch.indexOf('---')).trimEnd()
}

type Container = readonly Json[] | { readonly [key: string]: Json }
const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null
const at = (value: Container, key: string | number): Json | undefined =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string | number, Json>>)[key] : undefined

function keysOf(a: Container, b: Container): readonly (string | number)[] {
  if (Array.isArray(a) && Array.isArray(b)) return [...(a.length > b.length ? a : b).keys()]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
}
