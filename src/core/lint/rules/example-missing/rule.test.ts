import { testRule } from '../../../../testing/rules/test-rule.ts'
import { exampleMissing } from './rule.ts'

const plain = { name: 'Plain', input: {}, expectedOutput: {} }
const none = 'key:examples The pack has no examples, so nothing can be tested'
const noEdge = 'info: key:examples No example shows an edge case'

testRule(exampleMissing, {
  accepts: [
    { why: 'a plain case and an edge case', pack: { examples: [plain, { name: 'Empty list', input: {} }] } },
    { why: 'an edge case alone, with output', pack: { examples: [{ ...plain, name: 'Missing field' }] } },
    { why: 'null is an expected output', pack: { examples: [{ name: 'Invalid date', input: {}, expectedOutput: null }] } },
    { why: 'examples that break the format are there all the same', pack: { examples: [{ input: 1 }] } },
  ],
  rejects: [
    { why: 'none', pack: { examples: undefined }, problems: [none], suggestions: ['add a realistic input with its expectedOutput'] },
    { why: 'an empty list', pack: { examples: [] }, problems: [none] },
    {
      why: 'nothing expected',
      pack: { examples: [{ name: 'Refuses spam', input: {} }] },
      problems: ['key:examples No example says what is expected: tests can only check the schema'],
    },
    { why: 'no edge case', pack: { examples: [plain] }, problems: [noEdge] },
    { why: 'words that only contain one', pack: { examples: [{ ...plain, name: 'Belongs to knowledge' }] }, problems: [noEdge] },
  ],
})
