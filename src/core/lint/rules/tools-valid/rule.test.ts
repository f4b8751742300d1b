import { expect } from 'vitest'
import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { toolsValid } from './rule.ts'

const CATALOG = 'tools/catalogs/default.json'
const look = { 'tools/descriptors/look.json': { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }

testLayoutRule(toolsValid, {
  accepts: [
    { why: 'by name and inline', files: { ...look, [CATALOG]: { tools: ['look', { name: 'list' }], tool_choice: 'auto' } } },
    { why: 'the same tool in two catalogs', files: { ...look, [CATALOG]: ['look'], 'tools/catalogs/more.json': ['look'] } },
    {
      why: 'parameters of draft-07 that mean the same today',
      files: {
        [CATALOG]: [
          { name: 'a', parameters: { $schema: 'http://json-schema.org/draft-07/schema#', properties: { n: { type: 'number' } } } },
        ],
      },
    },
    {
      why: 'a folder tools/ that is something else',
      files: { 'tools/package.json': { scripts: {} }, 'tools/broken.json': '{', 'tools/list.json': [{ x: 1 }] },
    },
    { why: 'files in tools/ that nothing reads, since there is an index', files: { 'agent.workspace.json': {}, 'tools/a.json': [{}] } },
  ],
  rejects: [
    {
      why: 'a catalog that is none',
      files: { [CATALOG]: '{"tools": }', 'tools/catalogs/x.json': { toolz: [] } },
      problems: [`${CATALOG}:1:11 It is not JSON: unexpected "}"`, 'tools/catalogs/x.json:1:1 A catalog needs tools or tool_choice'],
    },
    {
      why: 'a descriptor that is not there',
      files: { ...look, [CATALOG]: { tools: ['look', 'lok'] } },
      problems: [`${CATALOG}:4:5 There is no tools/descriptors/lok.json`],
      suggestions: ['did you mean "look"?'],
    },
    {
      why: 'two tools of one name',
      files: { ...look, [CATALOG]: { tools: ['look', { name: 'look' }] } },
      problems: [`${CATALOG}:4:5 There are two tools named "look"`],
    },
    {
      why: 'parameters that are no JSON Schema, in a descriptor said once',
      files: {
        'tools/descriptors/look.json': { name: 'look', parameters: { type: 'objekt' } },
        [CATALOG]: ['look', { name: 'b', parameters: { $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] } }],
        'tools/catalogs/more.json': ['look'],
      },
      problems: [
        `${CATALOG}:5:19 It is no valid JSON Schema: it names draft-07, where /items means something else than in 2020-12: write it for 2020-12`,
        'tools/descriptors/look.json:3:17 It is no valid JSON Schema: /type must be one of null, boolean, object, array, number, string, integer, or a list of these',
      ],
    },
    {
      why: 'a choice of a tool that is not there',
      files: { ...look, [CATALOG]: { tools: ['look'], tool_choice: { type: 'function', name: 'list' } } },
      problems: [expect.stringMatching(/^tools\/catalogs\/default\.json:\d+:\d+ /)],
    },
    {
      why: 'tools beside one another, as sync would read them',
      files: { 'prompts/packs/default.json': [], 'tools/a.json': [{ name: 'x' }], 'tools/b.json': { name: 'x' }, 'tools/c.json': 1 },
      problems: ['tools/b.json:1:1 There are two tools named "x"'],
    },
    {
      why: 'names that no provider takes, two that are sent as one, and references that lead nowhere',
      files: {
        [CATALOG]: [
          { name: 'two words' },
          { name: 'a.b' },
          { name: 'a_b' },
          { name: 'c', parameters: { properties: { x: { $ref: '#/$defs/x' } } } },
          { name: 'd', parameters: { $ref: 'https://example.com/schema.json' } },
        ],
      },
      problems: [
        `${CATALOG}:3:13 The name "two words" cannot be sent to a provider: use 1 to 64 letters, digits and _ - . : /, beginning with a letter, a digit or _`,
        `${CATALOG}:8:3 "a.b" and "a_b" would both be sent to a provider as "a_b"; rename one`,
        `${CATALOG}:11:3 Its parameters refer to "#/$defs/x", which is not in them; nothing is fetched`,
        `${CATALOG}:21:3 Its parameters refer to "https://example.com/schema.json", which is not in them; nothing is fetched`,
      ],
    },
  ],
})
