// Generates values that fit a JSON Schema, for the keywords that the routes use. Hints give values that a schema cannot know, such as existing ids.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import type { Json } from '../../core/digest/digest.ts'
import type { Schema } from './host-routes.ts'

/** By the name of a property: values that mean something to the host. Where the schema does not admit one, it is left out. */
export type Hints = Readonly<Record<string, readonly Json[]>>

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

export function fromSchema(schema: Schema, hints: Hints, name = ''): fc.Arbitrary<Json> {
  const admitted = anyOf(schema, hints)
  const known = Object.hasOwn(hints, name) ? hints[name]!.filter(value => ajv.validate(schema, value)) : []
  return known.length === 0 ? admitted : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: admitted })
}

function anyOf(schema: Schema, hints: Hints): fc.Arbitrary<Json> {
  if ('const' in schema) return fc.constant(schema.const as Json)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]))
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(one => anyOf(one as Schema, hints)))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map(type => anyOf({ ...schema, type }, hints)))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'object':
      return anyObject(schema, hints)
    case 'array':
      return fc.array(fromSchema((schema.items ?? {}) as Schema, hints), { minLength: Number(schema.minItems ?? 0), maxLength: 4 })
    case 'string':
      return anyString(schema)
    case 'integer':
    case 'number':
      return anyNumber(schema)
    case 'boolean':
      return fc.boolean()
    default:
      return fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
  }
}

function anyObject({ properties = {}, required = [], patternProperties }: Schema, hints: Hints): fc.Arbitrary<Json> {
  const named = Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([key, schema]) => [key, fromSchema(schema, hints, key)]),
  )
  if (patternProperties === undefined) return fc.record(named, { requiredKeys: [...(required as string[])], noNullPrototype: true })
  const [values] = Object.values(patternProperties as Record<string, Schema>)
  const names = fc.oneof(fc.constantFrom(...Object.keys(hints)), fc.string({ maxLength: 20 }))
  return fc
    .uniqueArray(names, { maxLength: 4 })
    .chain(keys => fc.record(Object.fromEntries(keys.map(key => [key, fromSchema(values ?? {}, hints, key)])), { noNullPrototype: true }))
}

function anyString({ pattern, format, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<Json> {
  const [least, most] = [Number(minLength), Number(maxLength)]
  if (format === 'date-time')
    return fc.date({ min: new Date('1970-01-01'), max: new Date('2999-01-01'), noInvalidDate: true }).map(date => date.toISOString())
  if (typeof pattern !== 'string') return fc.string({ unit: 'binary', minLength: least, maxLength: Math.min(most, 200) })
  const regex = new RegExp(pattern, 'u')
  return matching(regex).filter(text => text.length >= least && text.length <= most && regex.test(text))
}

/** A lookahead in a pattern is left to the filter: few texts violate it. */
function matching({ source }: RegExp): fc.Arbitrary<string> {
  const rest = source.startsWith('^(?!') ? `^${source.slice(endOfGroup(source, 1))}` : source
  return rest === '^' ? fc.string({ maxLength: 100 }) : fc.stringMatching(new RegExp(rest, 'u'), { size: 'small' })
}

/** Behind the parenthesis that closes the one that opens here. Our patterns escape none. */
function endOfGroup(source: string, open: number): number {
  let depth = 0
  for (let at = open; ; at++) {
    if (source[at] === '(') depth++
    if (source[at] === ')' && --depth === 0) return at + 1
  }
}

function anyNumber({ type, minimum = -1e6, maximum = 1e6 }: Schema): fc.Arbitrary<Json> {
  const [min, max] = [Number(minimum), Number(maximum)]
  return type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true })
}
