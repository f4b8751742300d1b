import { testRule } from '../../../../testing/rules/test-rule.ts'
import { unknownKey } from './rule.ts'

testRule(unknownKey, {
  accepts: [
    {
      why: 'the keys of the format',
      pack: { $schema: 'x', meta: { author: 'me' }, constraints: [], variables: [{ name: 'a', type: 'string', volatile: true }] },
    },
    {
      why: 'any key inside an example',
      pack: { examples: [{ name: 'a', input: { anything: 1 }, expectedOutput: { more: 2 }, variables: { x: 1 }, ignore: [] }] },
    },
    { why: 'any key inside a default', pack: { variables: [{ name: 'a', type: 'object', default: { anything: 1 } }] } },
    { why: 'fields that are no objects', pack: { meta: 'x', variables: 'y', examples: [1, null] } },
  ],
  rejects: [
    {
      why: 'a typo',
      pack: { sytemPrompt: 'x' },
      problems: ['key:sytemPrompt "sytemPrompt" is not a key of the pack format'],
      suggestions: ['did you mean "systemPrompt"?'],
    },
    {
      why: 'in meta, a variable and an example',
      pack: {
        meta: { autor: 'me' },
        variables: [{ name: 'a', type: 'string', requird: true }],
        examples: [{ name: 'a', input: 1, output: 2 }],
      },
      problems: [
        'key:meta/autor "autor" is not a key of the pack format',
        'key:variables/0/requird "requird" is not a key of the pack format',
        'key:examples/0/output "output" is not a key of the pack format',
      ],
      suggestions: ['did you mean "author"?', 'did you mean "required"?', ''],
    },
    {
      why: 'names that every object has by birth',
      yaml: '__proto__: 1\nconstructor: 2\ntoString: 3\n',
      problems: ['__proto__', 'constructor', 'toString'].map(key => `key:${key} "${key}" is not a key of the pack format`),
    },
  ],
})
