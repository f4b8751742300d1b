import { testRule } from '../../../../testing/rules/test-rule.ts'
import { examplesValidate } from './rule.ts'

const BASE = 'https://example.com/schemas'
const schemas = [
  {
    $id: `${BASE}/question.json`,
    type: 'object',
    required: ['topic'],
    properties: { topic: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  },
  { $id: `${BASE}/answer.json`, type: 'object', properties: { title: { $ref: 'title.json' } } },
  { $id: `${BASE}/title.json`, type: 'string', minLength: 2 },
]
const example = (input: unknown, more: object = {}) => ({ examples: [{ name: 'A', input, ...more }] })
const good = { topic: 'x' }
const tone = { name: 'tone', type: 'string', required: true }

testRule(examplesValidate, {
  accepts: [
    { why: 'no examples', pack: { examples: undefined }, schemas },
    { why: 'input that matches', pack: example(good), schemas },
    { why: 'expected output that matches', pack: example(good, { expectedOutput: { title: 'ab' } }), schemas },
    {
      why: 'null, where the schema allows it',
      pack: example(good, { expectedOutput: null }),
      schemas: [schemas[0]!, { $id: `${BASE}/answer.json`, type: 'null' }],
    },
    { why: 'variables that fit', pack: { variables: [tone], ...example(good, { variables: { tone: 'calm' } }) }, schemas },
    { why: 'a required variable with a default', pack: { variables: [{ ...tone, default: 'calm' }], ...example(good) }, schemas },
    { why: 'an optional variable left out', pack: { variables: ['tone'], ...example(good) }, schemas },
    {
      why: 'a variable whose declaration is broken otherwise',
      pack: { variables: [{ name: 'tone', type: 'text' }], ...example(good, { variables: { tone: 1 } }) },
      schemas,
    },
    {
      why: 'any variable, where nobody can say which there are',
      pack: { variables: 1, ...example(good, { variables: { tone: 1 } }) },
      schemas,
    },
    { why: 'an example that breaks the format is the business of pack-schema', pack: { examples: [{ input: 1 }] }, schemas },
  ],
  rejects: [
    {
      why: 'a missing property',
      pack: example({}),
      schemas,
      problems: ['examples/0/input input of "A" does not have required property "topic"'],
    },
    {
      why: 'each mismatch at its own place',
      pack: example({ topic: 1, tags: ['a', 2] }),
      schemas,
      problems: [
        'examples/0/input/topic input of "A" type "number" is invalid. Expected "string" (/topic)',
        'examples/0/input/tags/1 input of "A" type "number" is invalid. Expected "string" (/tags/1)',
      ],
    },
    {
      why: 'expected output, through a $ref',
      pack: example(good, { expectedOutput: { title: 'a' } }),
      schemas,
      problems: ['examples/0/expectedOutput/title expectedOutput of "A" String is too short (1 < 2) (/title)'],
    },
    {
      why: 'null is an output too',
      pack: example(good, { expectedOutput: null }),
      schemas,
      problems: ['examples/0/expectedOutput expectedOutput of "A" type "null" is invalid. Expected "object"'],
    },
    {
      why: 'a variable that nobody declares',
      pack: { variables: ['tone'], ...example(good, { variables: { tome: 'calm' } }) },
      schemas,
      problems: ['key:examples/0/variables/tome variables of "A": "tome" is not a variable of prompt-writer-v1.0.0'],
    },
    {
      why: 'a variable of the wrong type',
      pack: { variables: [tone], ...example(good, { variables: { tone: 1 } }) },
      schemas,
      problems: ['examples/0/variables/tone variables of "A": "tone" must be a string, not a number'],
    },
    {
      why: 'a required variable without a value',
      pack: { variables: [tone], ...example(good) },
      schemas,
      problems: ['key:examples/0/variables variables of "A": "tone" is required and has no value'],
    },
    {
      why: 'null for a required variable',
      pack: { variables: [tone], ...example(good, { variables: { tone: null } }) },
      schemas,
      problems: ['examples/0/variables/tone variables of "A": "tone" is required and has no value'],
    },
    {
      why: 'the right one of several',
      pack: {
        examples: [
          { name: 'A', input: good },
          { name: 'B', input: 1 },
        ],
      },
      schemas,
      problems: ['examples/1/input input of "B" type "number" is invalid. Expected "object"'],
    },
    {
      why: 'the same name twice',
      pack: {
        examples: [
          { name: 'A', input: good },
          { name: 'A', input: good },
        ],
      },
      schemas,
      problems: ['warning: examples/1/name Two examples are named "A"'],
    },
    {
      why: 'a schema that is not there has its error elsewhere',
      pack: { ...example(good, { expectedOutput: {} }), inputSchema: `${BASE}/gone.json` },
      schemas,
      problems: ['info: key:examples/0/input input of "A" was not checked: its schema cannot be used'],
    },
    {
      why: 'a schema that is not valid has its error elsewhere',
      pack: example(good),
      schemas: [{ $id: `${BASE}/question.json`, type: 1 }],
      problems: ['info: key:examples/0/input input of "A" was not checked: its schema cannot be used'],
    },
    {
      why: 'an example on which the validator gave up',
      pack: example(good),
      schemas,
      verdicts: { '/examples/0/input': { outcome: 'unusable', message: 'it took too long' } },
      problems: ['key:examples/0/input input of "A" could not be checked: it took too long'],
    },
    {
      why: 'a schema that refers to nothing but itself',
      pack: example(good),
      schemas: [{ $id: `${BASE}/question.json`, $ref: '#' }],
      problems: ['key:examples/0/input input of "A" could not be checked: it refers to itself without end'],
    },
  ],
})
