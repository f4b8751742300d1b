import { expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { schemaFault } from '../schema/schema-fault.ts'
import { GRAPH_DESCRIPTORS, GRAPH_TOOLS } from './graph-descriptors.ts'

/** Plain JSON of the sender's own: everything else is closed. */
const OPEN = ['input', 'structured']

function objectsIn(schema: Json, name: string): readonly (readonly [name: string, closed: boolean])[] {
  if (!isObject(schema)) return []
  const own = schema.type === 'object' ? [[name, schema.additionalProperties === false] as const] : []
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return [...own, ...properties.flatMap(([key, value]) => objectsIn(value, key)), ...objectsIn(schema.items ?? null, `${name}[]`)]
}

it.each(GRAPH_TOOLS)('%s has a schema that can be used, closed everywhere but where data is handed over', name => {
  const { inputSchema } = GRAPH_DESCRIPTORS[name]
  expect(schemaFault(inputSchema)).toBeNull()
  expect(objectsIn(inputSchema, name).filter(([of, closed]) => closed === OPEN.includes(of))).toEqual([])
})

it('each has exactly the arguments of its seed, and how long to wait besides', () => {
  const names = GRAPH_TOOLS.map(name => Object.keys(GRAPH_DESCRIPTORS[name].inputSchema.properties as object))
  expect(names).toEqual([
    ['label', 'alias', 'roleTemplate', 'instructions', 'input', 'provider', 'capabilities', 'permissions', 'session', 'customSystemPrompt'],
    ['from', 'to', 'bidirectional', 'type', 'label'],
    ['to', 'message', 'structured', 'artifacts', 'status', 'response', 'contextRef'],
  ])
})
