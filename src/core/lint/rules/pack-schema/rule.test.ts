import { testRule } from '../../../../testing/rules/test-rule.ts'
import { packSchema } from './rule.ts'

const form = (field: string, value: string) => `${field} "${field}" has the wrong form: ${JSON.stringify(value)}`

testRule(packSchema, {
  accepts: [
    {
      why: 'a whole pack',
      pack: {
        $schema: 'https://architect-studio/schemas/prompt-pack.json',
        meta: { name: 'W', description: 'd', author: 'a', lastUpdated: '2026-01-31T09:00:00Z' },
        variables: [{ name: 'a_1', type: 'array', required: true, default: [], description: 'd', volatile: false }],
        constraints: ['a'],
        refusalRules: [],
      },
    },
    ...[
      '1.0.0',
      '0.0.0',
      '1.0.0-alpha-1',
      '1.0.0-alpha.1',
      '1.0.0-0.3.7',
      '1.0.0+20130313',
      '1.0.0-beta+exp.sha-5114f85',
      '999999999999999.0.0',
    ].map(version => ({ why: `version ${version}`, pack: { version } })),
    ...['prompt-writer-v1', 'prompt-writer-v1.0.0-rc.1+b'].map(id => ({ why: `id ${id}`, pack: { id } })),
    ...['2026-01-31T09:00Z', '2026-01-31T09:00:00.123+02:00'].map(lastUpdated => ({ why: lastUpdated, pack: { meta: { lastUpdated } } })),
    {
      why: 'any JSON as input and output of an example',
      pack: { examples: [1, null, 'x', [], {}].map((input, index) => ({ name: `${index}`, input, expectedOutput: input })) },
    },
    { why: 'fifty characters, each two units', pack: { systemPrompt: '😀'.repeat(50) } },
    { why: 'keys nobody knows are the business of unknown-key', pack: { extra: 1 } },
    { why: 'a URN as schema', pack: { inputSchema: 'urn:example:question' } },
  ],
  rejects: [
    {
      why: 'an empty object',
      yaml: '{}',
      problems: ['id', 'agentId', 'version', 'systemPrompt', 'inputSchema', 'outputSchema'].map(
        name => `key:pack The pack has no "${name}"`,
      ),
    },
    { why: 'a list', yaml: '- id: x', problems: ['pack The pack must be an object, not an array'] },
    { why: 'a text', yaml: 'hello', problems: ['pack The pack must be an object, not a string'] },
    { why: 'null', yaml: '~', problems: ['pack The pack must be an object, not null'] },
    {
      why: 'a version without quotes and with two numbers',
      yaml: packWith('version: 1.0'),
      problems: ['version "version" must be a string, not a number'],
      suggestions: ['write a semantic version in quotes: "1.0.0"'],
    },
    ...['1.0', '01.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', 'v1.0.0', '1.0.0 ', '1.0.0\n', '1.0.0.0', '1000000000000000.0.0'].map(version => ({
      why: `version ${JSON.stringify(version)}`,
      pack: { version },
      problems: [form('version', version)],
    })),
    {
      why: 'a version of 101 characters',
      pack: { version: `1.0.0-${'a'.repeat(95)}` },
      problems: ['version "version" has 101 characters: at most 100 are allowed'],
    },
    ...['prompt-writer', 'writer-v1', 'prompt-Writer-v1', 'prompt--v1', 'prompt-writer-v1 zzz', ''].map(id => ({
      why: `id ${JSON.stringify(id)}`,
      pack: { id },
      problems: [form('id', id)],
      suggestions: ['write prompt-<agentId>-v<version>'],
    })),
    ...['Writer', 'a_b', 'a--b', '-a', 'a-', '1a', 'ä'].map(agentId => ({
      why: `agentId ${agentId}`,
      pack: { agentId },
      problems: [form('agentId', agentId)],
    })),
    ...['', 'question.json', './question.json', '/schemas/question.json', 'https:', 'https://a b'].map(uri => ({
      why: `schema ${JSON.stringify(uri)}`,
      pack: { outputSchema: uri },
      problems: [form('outputSchema', uri)],
    })),
    {
      why: 'a date without a time',
      pack: { meta: { lastUpdated: '2026-01-31' } },
      problems: ['meta/lastUpdated "meta/lastUpdated" has the wrong form: "2026-01-31"'],
      suggestions: ['write an ISO 8601 date and time in quotes: "2026-01-31T09:00:00Z"'],
    },
    {
      why: 'a month that does not exist',
      pack: { meta: { lastUpdated: '2026-13-01T09:00:00Z' } },
      problems: ['meta/lastUpdated "meta/lastUpdated" has the wrong form: "2026-13-01T09:00:00Z"'],
    },
    {
      why: 'a prompt of 49 characters',
      yaml: packWith(`systemPrompt: ${'x'.repeat(49)}`),
      problems: ['systemPrompt "systemPrompt" has 49 characters: at least 50 are needed'],
    },
    {
      why: '49 characters in 98 units',
      yaml: packWith(`systemPrompt: ${'😀'.repeat(49)}`),
      problems: ['systemPrompt "systemPrompt" has 49 characters: at least 50 are needed'],
    },
    { why: 'an empty prompt field', yaml: packWith('systemPrompt:'), problems: ['systemPrompt "systemPrompt" must be a string, not null'] },
    {
      why: 'a variable without a name',
      pack: { variables: [{ type: 'string' }] },
      problems: ['key:variables/0 "variables/0" has no "name"'],
    },
    {
      why: 'variables by name instead of a list',
      pack: { variables: { who: 'string' } },
      problems: ['variables "variables" must be an array, not an object'],
      suggestions: ['write a list: - name: topic'],
    },
    {
      why: 'a type that does not exist',
      pack: { variables: [{ name: 'a', type: 'text' }] },
      problems: ['variables/0/type "variables/0/type" must be one of string, number, boolean, array, object'],
    },
    {
      why: 'a boolean as text',
      yaml: packWith('variables: [{name: a, type: string, required: yes}]'),
      problems: ['variables/0/required "variables/0/required" must be a boolean, not a string'],
      suggestions: ['write true or false'],
    },
    {
      why: 'a variable name with a hyphen',
      pack: { variables: ['a-b'] },
      problems: ['variables/0/name "variables/0/name" has the wrong form: "a-b"'],
    },
    {
      why: 'an example without a name, and one without input',
      pack: { examples: [{ input: 1 }, { name: 'x' }, { name: '', input: 1 }] },
      problems: [
        'key:examples/0 "examples/0" has no "name"',
        'key:examples/1 "examples/1" has no "input"',
        'examples/2/name "examples/2/name" is empty',
      ],
    },
    {
      why: 'an ignored place that is no JSON pointer',
      pack: { examples: [{ name: 'a', input: 1, ignore: ['meta.date'] }] },
      problems: ['examples/0/ignore/0 "examples/0/ignore/0" has the wrong form: "meta.date"'],
      suggestions: ['write a JSON pointer into the output: "/meta/createdAt"'],
    },
    {
      why: 'constraints that are not texts',
      pack: { constraints: [1, 'a', null] },
      problems: [
        'constraints/0 "constraints/0" must be a string, not a number',
        'constraints/2 "constraints/2" must be a string, not null',
      ],
    },
    {
      why: 'another $schema',
      pack: { $schema: 'https://example.com/x.json' },
      problems: ['warning: $schema $schema names another format: https://example.com/x.json'],
      suggestions: ['write "https://architect-studio/schemas/prompt-pack.json"'],
    },
  ],
})

/** The good pack with one line of its own. */
function packWith(line: string): string {
  const lines = [
    'id: prompt-writer-v1.0.0',
    'agentId: writer',
    'version: "1.0.0"',
    `systemPrompt: ${'x'.repeat(50)}`,
    'inputSchema: a:b',
    'outputSchema: a:b',
  ]
  const key = line.split(':')[0]!
  return [...lines.filter(other => !other.startsWith(`${key}:`)), line].join('\n')
}
