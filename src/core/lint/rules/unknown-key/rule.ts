import type { Json } from '../../../digest/digest.ts'
import { isObject } from '../../../digest/is-object.ts'
import { packFormat } from '../../../pack/format.ts'
import { nearest } from '../../../pack/nearest.ts'
import type { Found, Rule } from '../../rule.ts'

const { properties } = packFormat
const KNOWN = {
  pack: Object.keys(properties),
  meta: Object.keys(properties.meta.properties),
  variable: Object.keys(properties.variables.items.properties),
  example: Object.keys(properties.examples.items.properties),
}

export const unknownKey: Rule = {
  name: 'unknown-key',
  summary: 'Every key belongs to the pack format.',
  severity: 'warning',

  *check({ document: { value } }) {
    yield* unknown(value, [], KNOWN.pack)
    const { meta, variables, examples } = (value ?? {}) as Record<string, Json>
    yield* unknown(meta, ['meta'], KNOWN.meta)
    for (const [index, item] of list(variables)) yield* unknown(item, ['variables', index], KNOWN.variable)
    for (const [index, item] of list(examples)) yield* unknown(item, ['examples', index], KNOWN.example)
  },
}

const list = (value: Json | undefined): Iterable<[number, Json]> => (Array.isArray(value) ? value.entries() : [])

function* unknown(value: Json | undefined, pointer: readonly (string | number)[], keys: readonly string[]): Iterable<Found> {
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    if (keys.includes(key) || key === '<<') continue // merge keys are a matter of pack-yaml
    const meant = nearest(key, keys)
    yield {
      message: `"${key}" is not a key of the pack format`,
      at: { pointer: [...pointer, key], key: true },
      ...(meant === null ? {} : { suggestion: `did you mean "${meant}"?` }),
    }
  }
}
