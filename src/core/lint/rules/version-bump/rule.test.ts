import { testRule } from '../../../../testing/rules/test-rule.ts'
import { versionBump } from './rule.ts'

const BASE = 'https://example.com/schemas'
const at = (version: string, more: object = {}) => ({ id: `prompt-writer-v${version}`, version, ...more })
const says = (step: string, what: string, needed: string, from = '1.0.0', to = '1.0.1') =>
  `version ${from} → ${to} is a ${step} step, but this version ${what}: that needs a ${needed} step`
const a = { name: 'a', type: 'string' }
const shown = { name: 'Empty question', input: {}, expectedOutput: {} }

testRule(versionBump, {
  accepts: [
    { why: 'no version before' },
    { why: 'nothing changed', pack: at('1.0.1'), previous: {} },
    { why: 'other words, patch', pack: at('1.0.1', { systemPrompt: 'Other words.' }), previous: {} },
    { why: 'an optional variable, minor', pack: at('1.1.0', { variables: [a] }), previous: {} },
    { why: 'more than needed', pack: at('2.0.0', { systemPrompt: 'Other words.' }), previous: {} },
    { why: 'a removed variable, major', pack: at('2.0.0'), previous: { pack: { variables: [a] } } },
    { why: 'a pre-release of the major version', pack: at('2.0.0-beta.1'), previous: { pack: { variables: [a] } } },
    {
      why: 'from one pre-release to the next anything goes',
      pack: at('1.0.0-beta'),
      previous: { pack: at('1.0.0-alpha', { variables: [a] }) },
    },
    { why: 'the same schema content', pack: at('1.0.1'), previous: { schemas: [] } },
    {
      why: 'another description of a variable',
      pack: at('1.0.1', { variables: [{ ...a, description: 'x' }] }),
      previous: { pack: { variables: [a] } },
    },
    {
      why: 'required, but with a default: nobody must give it',
      pack: at('1.1.0', { variables: [{ ...a, required: true, default: 'x' }] }),
      previous: {},
    },
    { why: 'a pack that is not whole', pack: at('1.0.1', { agentId: undefined }), previous: { pack: { variables: [a] } } },
  ],
  rejects: [
    {
      why: 'another input schema',
      pack: at('1.1.0', { inputSchema: 'a:b' }),
      previous: {},
      problems: [says('minor', 'names another inputSchema', 'major', '1.0.0', '1.1.0')],
      suggestions: ['name it 2.0.0'],
    },
    {
      why: 'another output schema',
      pack: at('1.0.1', { outputSchema: 'a:b' }),
      previous: {},
      problems: [says('patch', 'names another outputSchema', 'major')],
    },
    {
      why: 'a removed variable',
      pack: at('1.0.1'),
      previous: { pack: { variables: [a] } },
      problems: [says('patch', 'removes the variable "a"', 'major')],
    },
    {
      why: 'a variable of another type',
      pack: at('1.0.1', { variables: [{ ...a, type: 'number' }] }),
      previous: { pack: { variables: [a] } },
      problems: [says('patch', 'makes "a" number instead of string', 'major')],
    },
    {
      why: 'a required variable',
      pack: at('1.1.0', { variables: [{ ...a, required: true }] }),
      previous: {},
      problems: [says('minor', 'adds the required variable "a"', 'major', '1.0.0', '1.1.0')],
    },
    {
      why: 'optional becomes required',
      pack: at('1.0.1', { variables: [{ ...a, required: true }] }),
      previous: { pack: { variables: [a] } },
      problems: [says('patch', 'makes "a" required', 'major')],
    },
    {
      why: 'an optional variable',
      pack: at('1.0.1', { variables: [a] }),
      previous: {},
      problems: [says('patch', 'adds the optional variable "a"', 'minor')],
      suggestions: ['name it 1.1.0'],
    },
    {
      why: 'another default',
      pack: at('1.0.1', { variables: [{ ...a, default: 'y' }] }),
      previous: { pack: { variables: [{ ...a, default: 'x' }] } },
      problems: [says('patch', 'changes the default of "a"', 'minor')],
    },
    {
      why: 'an example more',
      pack: at('1.0.1', { examples: [shown, { ...shown, name: 'B' }] }),
      previous: {},
      problems: [says('patch', 'adds the example "B"', 'minor')],
    },
    {
      why: 'an example less',
      pack: at('1.0.1', { examples: [] }),
      previous: {},
      problems: [says('patch', 'removes the example "Empty question"', 'minor')],
    },
    {
      why: 'a constraint more',
      pack: at('1.0.1', { constraints: ['Be brief'] }),
      previous: {},
      problems: [says('patch', 'adds or rewords the constraint "Be brief"', 'minor')],
    },
    {
      why: 'a refusal rule less',
      pack: at('1.0.1'),
      previous: { pack: { refusalRules: ['No spam'] } },
      problems: [says('patch', 'removes or rewords the refusal rule "No spam"', 'minor')],
    },
    {
      why: 'the biggest of several',
      pack: at('1.0.1', { variables: [{ ...a, name: 'b' }], constraints: ['x'] }),
      previous: { pack: { variables: [a] } },
      problems: [says('patch', 'removes the variable "a"', 'major')],
    },
    {
      why: 'other content of a schema under the same URI',
      pack: at('1.1.0'),
      previous: {},
      schemas: [{ $id: `${BASE}/answer.json`, type: 'array' }],
      problems: [says('minor', `uses a changed ${BASE}/answer.json`, 'major', '1.0.0', '1.1.0')],
    },
    {
      why: 'other content of a schema that is only reached',
      pack: at('1.0.1'),
      previous: { schemas: [{ $id: `${BASE}/answer.json`, $ref: 'part.json' }, { $id: `${BASE}/part.json` }] },
      schemas: [
        { $id: `${BASE}/answer.json`, $ref: 'part.json' },
        { $id: `${BASE}/part.json`, type: 'array' },
      ],
      problems: [says('patch', `uses a changed ${BASE}/part.json`, 'major')],
    },
    {
      why: 'a pre-release counts as its step',
      pack: at('1.0.1-rc.1', { variables: [a] }),
      previous: {},
      problems: [says('patch', 'adds the optional variable "a"', 'minor', '1.0.0', '1.0.1-rc.1')],
    },
  ],
})
