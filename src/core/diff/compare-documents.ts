// Compares two documents of one kind, field by field: a workflow, an agent, any JSON file. Items with a name are matched
// by name, not by position.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { compareJson } from '../schema/compare-json.ts'
import type { Decision, Named } from './difference.ts'
import { compareFacts, type Fact } from './facts.ts'

/** @param ignore pointers that may differ */
export function compareDocuments(named: Named, a: Json, b: Json, ignore: readonly string[] = []): readonly Decision[] {
  return compareJson(keyed(a), keyed(b), ignore).flatMap(({ path, expected, actual }) => {
    const factAt = (value: Json | undefined): readonly Fact[] =>
      value === undefined || value === null ? [] : [{ ...named, field: path.slice(1), value }]
    return compareFacts(factAt(expected), factAt(actual))
  })
}

const NAMES = ['id', 'name'] as const

/** Turns a list whose items all have distinct names into an object by name. */
function keyed(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(keyed)
    const name = NAMES.find(key => items.every(item => isObject(item) && typeof item[key] === 'string'))
    if (name === undefined || items.length === 0) return items
    const entries = items.map(item => [String((item as Record<string, Json>)[name]), item] as const)
    return new Set(entries.map(([key]) => key)).size < entries.length ? items : Object.fromEntries(entries)
  }
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, keyed(item)])) : value
}
