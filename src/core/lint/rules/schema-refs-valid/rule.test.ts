import { testRule } from '../../../../testing/rules/test-rule.ts'
import { schemaRefsValid } from './rule.ts'

const BASE = 'https://example.com/schemas'
const question = (schema: object) => ({ $id: `${BASE}/question.json`, ...schema })
const part = (name: string, schema: object) => ({ $id: `${BASE}/${name}.json`, ...schema })
const nowhere = (ref: string, file = 'question') => `inputSchema $ref "${ref}" in schemas/${file}.json leads nowhere`

testRule(schemaRefsValid, {
  accepts: [
    { why: 'both are there' },
    { why: 'a relative $ref', schemas: [question({ $ref: 'part.json' }), part('part', {})] },
    { why: 'an absolute $ref', schemas: [question({ $ref: `${BASE}/part.json` }), part('part', {})] },
    { why: 'a $ref to a JSON pointer', schemas: [question({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } })] },
    { why: 'a pointer with percent signs', schemas: [question({ $ref: '#/$defs/a%20b', $defs: { 'a b': true } })] },
    { why: 'a pointer into a list', schemas: [question({ $ref: '#/allOf/0', allOf: [{}] })] },
    { why: 'a $ref to an $anchor', schemas: [question({ $ref: 'part.json#here' }), part('part', { $defs: { x: { $anchor: 'here' } } })] },
    { why: 'a $dynamicRef', schemas: [question({ $dynamicRef: '#node', $dynamicAnchor: 'node' })] },
    {
      why: 'a $ref to an embedded $id',
      schemas: [question({ $ref: 'inner.json#/$defs/x', $defs: { inner: { $id: 'inner.json', $defs: { x: {} } } } })],
    },
    {
      why: 'a $ref inside an embedded $id counts from there',
      schemas: [question({ $defs: { inner: { $id: 'https://other.example/a/inner.json', $ref: '#/$defs/x', $defs: { x: {} } } } })],
    },
    { why: 'a schema that refers to itself', schemas: [question({ properties: { next: { $ref: '#' } } })] },
    {
      why: 'two schemas that refer to each other',
      schemas: [question({ properties: { a: { $ref: 'part.json' } } }), part('part', { properties: { b: { $ref: 'question.json' } } })],
    },
    {
      why: 'a $ref that is data',
      schemas: [
        question({
          const: { $ref: 'gone.json' },
          enum: [{ $ref: 'gone.json' }],
          default: { $ref: 'gone.json' },
          examples: [{ $ref: 'gone.json' }],
        }),
      ],
    },
    { why: 'a property named $ref', schemas: [question({ properties: { $ref: { type: 'string' }, $id: { type: 'string' } } })] },
    {
      why: 'a host in capitals',
      pack: { inputSchema: 'https://Example.com/A.json' },
      schemas: [
        { $id: 'https://Example.com/A.json', $ref: '#/$defs/x', $defs: { x: { $ref: 'https://Example.com/A.json#/$defs/y' }, y: {} } },
      ],
    },
    { why: 'a schema nobody reaches may be broken', schemas: [part('other', { $ref: 'gone.json' })] },
    { why: 'a schema that says which draft it is', schemas: [question({ $schema: 'https://json-schema.org/draft/2020-12/schema' })] },
    { why: 'no schemas named', pack: { inputSchema: undefined, outputSchema: undefined } },
  ],
  rejects: [
    {
      why: 'an unknown URI',
      pack: { inputSchema: `${BASE}/qestion.json` },
      problems: [`inputSchema No schema under schemas/ has the $id ${BASE}/qestion.json`],
      suggestions: [`did you mean "${BASE}/question.json"?`],
    },
    {
      why: 'an unknown base',
      pack: { outputSchema: 'https://elsewhere.example/x/y/z.json' },
      problems: ['outputSchema No schema under schemas/ has the $id https://elsewhere.example/x/y/z.json'],
      suggestions: ['add a schema with this $id'],
    },
    { why: 'a $ref that leads nowhere', schemas: [question({ items: { $ref: 'gone.json' } })], problems: [nowhere('gone.json')] },
    {
      why: 'one that is reached through another',
      schemas: [question({ $ref: 'part.json' }), part('part', { allOf: [{ $ref: 'gone.json' }] })],
      problems: [nowhere('gone.json', 'part')],
    },
    { why: 'a pointer to nothing', schemas: [question({ $ref: '#/$defs/x', $defs: { y: {} } })], problems: [nowhere('#/$defs/x')] },
    {
      why: 'a pointer to something every object has by birth',
      schemas: [question({ $ref: '#/constructor' })],
      problems: [nowhere('#/constructor')],
    },
    {
      why: 'an anchor that is not there',
      schemas: [question({ $ref: 'part.json#here' }), part('part', { $anchor: 'there' })],
      problems: [nowhere('part.json#here')],
    },
    {
      why: "an anchor of an embedded schema, which is not this one's",
      schemas: [question({ $ref: '#here', $defs: { a: { $id: 'inner.json', $anchor: 'here' } } })],
      problems: [nowhere('#here')],
    },
    {
      why: 'a $ref under a property with the name of a keyword',
      schemas: [question({ properties: { default: { $ref: 'gone.json' }, enum: { $ref: 'gone2.json' } } })],
      problems: [nowhere('gone.json'), nowhere('gone2.json')],
    },
    {
      why: 'a schema that is not valid itself',
      schemas: [question({ type: 'strin' })],
      problems: [
        `inputSchema schemas/question.json is not a valid JSON Schema: /type must be one of null, boolean, object, array, number, string, integer, or a list of these`,
      ],
    },
    {
      why: 'one reached that is not valid',
      schemas: [question({ $ref: 'part.json' }), part('part', { properties: { a: { pattern: '(' } } })],
      problems: [`inputSchema schemas/part.json is not a valid JSON Schema: /properties/a/pattern must be a regular expression`],
    },
    {
      why: 'another draft',
      schemas: [question({ $schema: 'http://json-schema.org/draft-07/schema#' })],
      problems: [
        `inputSchema schemas/question.json is not a valid JSON Schema: /$schema must be https://json-schema.org/draft/2020-12/schema`,
      ],
    },
    {
      why: 'both fields, each with its own fault',
      schemas: [question({ $ref: 'a.json' }), { $id: `${BASE}/answer.json`, $ref: 'b.json' }],
      problems: [nowhere('a.json'), 'outputSchema $ref "b.json" in schemas/answer.json leads nowhere'],
    },
  ],
})
