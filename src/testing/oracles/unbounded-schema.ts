// Finds the places of a JSON Schema where a value may grow without a limit: arrays, strings and maps.
import { isObject } from '../../core/digest/is-object.ts'
import { ANY_JSON } from '../../wire/onbook/schema-parts.ts'

export interface UnboundedOptions {
  /** Whether a value without any schema counts. Formats of files leave some values to others. */
  readonly freeValues: boolean
}

/** Each as `place: what is missing`. */
export function unboundedIn(schema: unknown, options: UnboundedOptions, place = ''): readonly string[] {
  if (schema === true) return options.freeValues ? [`${place}: no schema`] : []
  if (!isObject(schema as never) || 'const' in (schema as object) || 'enum' in (schema as object)) return []
  const known = schema as Readonly<Record<string, unknown>>
  const { type, properties = {}, patternProperties = {}, items = true, description } = known
  const further = (inner: unknown, name: string): readonly string[] => unboundedIn(inner, options, `${place}${name}`)
  const nested = [
    ...['anyOf', 'oneOf', 'allOf'].flatMap(key => ((known[key] ?? []) as readonly unknown[]).flatMap(one => further(one, ''))),
    ...Object.entries({ ...(properties as object) }).flatMap(([key, one]) => further(one, `/${key}`)),
    ...Object.values({ ...(patternProperties as object) }).flatMap(one => further(one, '/{}')),
  ]
  if (type === undefined) {
    const isFree = nested.length === 0 && !['anyOf', 'oneOf', 'allOf', 'properties', '$ref'].some(key => key in known)
    return isFree && options.freeValues && description !== ANY_JSON ? [`${place}: no schema`] : nested
  }
  const types = [type].flat()
  const missing = (what: string, is: boolean): readonly string[] => (is ? [`${place}: ${what}`] : [])
  const open = (known.additionalProperties ?? true) !== false
  return [
    ...nested,
    ...missing('maxLength', types.includes('string') && known.maxLength === undefined && !isBoundedPattern(known.pattern)),
    ...missing('maxItems', types.includes('array') && known.maxItems === undefined),
    ...(types.includes('array') ? further(items, '/[]') : []),
    ...missing(
      'maxProperties',
      types.includes('object') && known.maxProperties === undefined && (open || Object.keys(patternProperties as object).length > 0),
    ),
    ...(types.includes('object') && open ? further(known.additionalProperties ?? {}, '/{}') : []),
  ]
}

/** Anchored, and without a quantifier that has no end. */
function isBoundedPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false
  const plain = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return plain.startsWith('^') && plain.endsWith('$') && !/[*+]|\{\d+,\}/.test(plain)
}
