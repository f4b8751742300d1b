// Tests that our formats use only keywords that checkForm knows: it would silently ignore any other.
import { describe, expect, it } from 'vitest'
import { agentFormat } from '../agent/agent-format.ts'
import type { Json } from '../digest/digest.ts'
import { workflowFormat } from '../workflow/workflow-format.ts'
import { checkForm, type Form } from './form.ts'
import { packFormat } from './format.ts'
import { registryFormat } from './registry.ts'

interface Proof {
  readonly form: Form
  readonly good: Json
  readonly bad: Json
}

/** Each keyword that checkForm knows, with the proof that it does. */
const KNOWN: Readonly<Record<string, Proof>> = {
  type: { form: { type: ['string', 'null'] }, good: null, bad: 1 },
  required: { form: { required: ['a'] }, good: { a: 1 }, bad: {} },
  properties: { form: { properties: { a: { type: 'string' } } }, good: { b: 1 }, bad: { a: 1 } },
  additionalProperties: {
    form: { properties: { a: {} }, additionalProperties: { type: 'string' } },
    good: { a: 1, b: '' },
    bad: { a: 1, b: 1 },
  },
  propertyNames: { form: { propertyNames: { pattern: '^a' } }, good: { ab: 1 }, bad: { b: 1 } },
  'additionalProperties, when there are none': {
    form: { properties: { a: {} }, additionalProperties: false },
    good: { a: 1 },
    bad: { b: 1 },
  },
  'type, of whole numbers': { form: { type: ['integer', 'null'] }, good: 1, bad: 1.5 },
  maxProperties: { form: { maxProperties: 1 }, good: { a: 1 }, bad: { a: 1, b: 1 } },
  minimum: { form: { minimum: 1 }, good: 1, bad: 0 },
  maximum: { form: { maximum: 1 }, good: 1, bad: 2 },
  minItems: { form: { minItems: 1 }, good: [1], bad: [] },
  maxItems: { form: { maxItems: 1, items: { type: 'number' } }, good: [1], bad: ['', ''] },
  items: { form: { items: { type: 'string' } }, good: [''], bad: ['', 1] },
  pattern: { form: { pattern: '^a' }, good: 'a', bad: 'b' },
  minLength: { form: { minLength: 2 }, good: 'ab', bad: 'a' },
  maxLength: { form: { maxLength: 2 }, good: 'ab', bad: 'abc' },
  enum: { form: { enum: ['a'] }, good: 'a', bad: 'b' },
}
const ANNOTATIONS = new Set(['$schema', '$id', '$comment', 'title', 'description', 'default'])

describe('checkForm', () => {
  it.each(Object.entries(KNOWN))('knows %s', (_, { form, good, bad }) => {
    expect(checkForm(good, form, 'It')).toEqual([])
    expect(checkForm(bad, form, 'It')).toHaveLength(1)
  })

  // configFormat is for editors: readConfig has words of its own, and config.test.ts holds the two together.
  it.each([
    ['the pack format', packFormat],
    ['the registry format', registryFormat],
    ['the workflow format', workflowFormat],
    ['the agent format', agentFormat],
  ])('knows every keyword of %s', (_, format) => expect([...unknownIn(format as unknown as Json, '')]).toEqual([]))

  it.each<[Json, string[]]>([
    [{ uniqueItems: true }, ['/uniqueItems']],
    [{ properties: { minItems: { items: { const: 1 } } } }, ['/properties/minItems/items/const']],
    [{ additionalProperties: true }, ['/additionalProperties']],
    [{ items: [{}], default: { const: 1 } }, ['/items']],
  ])('would miss %j', (format, expected) => expect([...unknownIn(format, '')]).toEqual(expected))
})

/** Keywords without a proof, and schemas that are no objects, by pointer. */
function* unknownIn(format: Json, at: string): Iterable<string> {
  if (typeof format !== 'object' || format === null || Array.isArray(format)) return yield at
  for (const [keyword, value] of Object.entries(format)) {
    const place = `${at}/${keyword}`
    if (keyword === 'properties') for (const [name, field] of Object.entries(value as object)) yield* unknownIn(field, `${place}/${name}`)
    else if (keyword === 'additionalProperties' && value === false) continue
    else if (['additionalProperties', 'propertyNames', 'items'].includes(keyword)) yield* unknownIn(value, place)
    else if (!ANNOTATIONS.has(keyword) && !Object.hasOwn(KNOWN, keyword)) yield place
  }
}
