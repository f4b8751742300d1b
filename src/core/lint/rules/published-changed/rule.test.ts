import { packText, testRule } from '../../../../testing/rules/test-rule.ts'
import { publishedChanged } from './rule.ts'

const BASE = 'https://example.com/schemas'
const CHANGED = 'version This version is registered, but the file has changed since'
const schemaChanged = (field: string, name: string) =>
  `${field} This version is registered, but the schema ${BASE}/${name}.json has changed since`

testRule(publishedChanged, {
  accepts: [
    { why: 'not registered' },
    { why: 'as it was registered', registered: {} },
    {
      why: 'a schema that nobody knew then',
      pack: { inputSchema: 'a:b' },
      registered: { pack: { inputSchema: 'a:b' } },
      schemas: [{ $id: 'a:b' }],
    },
  ],
  rejects: [
    {
      why: 'another prompt',
      pack: { systemPrompt: 'Other words.' },
      registered: {},
      problems: [CHANGED],
      suggestions: ['restore it, and bump for the change'],
    },
    { why: 'a comment', yaml: `# hello\n${packText({})}`, registered: {}, problems: [`${CHANGED} (in layout only)`] },
    {
      why: 'another date',
      pack: { meta: { lastUpdated: '2026-01-31T09:00:00Z' } },
      registered: { pack: { meta: { lastUpdated: '2025-01-31T09:00:00Z' } } },
      problems: [`${CHANGED} (in layout only)`],
    },
    { why: 'a file that is no whole pack any more', pack: { agentId: undefined }, registered: {}, problems: [CHANGED] },
    {
      why: 'other content of a schema',
      registered: {},
      schemas: [{ $id: `${BASE}/question.json`, type: 'array' }],
      problems: [schemaChanged('inputSchema', 'question')],
      suggestions: ['give the changed schema a new $id'],
    },
    {
      why: 'other content of a schema that the input only reaches',
      registered: { schemas: [{ $id: `${BASE}/question.json`, $ref: 'part.json' }, { $id: `${BASE}/part.json` }] },
      schemas: [
        { $id: `${BASE}/question.json`, $ref: 'part.json' },
        { $id: `${BASE}/part.json`, type: 'array' },
      ],
      problems: [schemaChanged('inputSchema', 'part')],
    },
    {
      why: 'file and schema',
      pack: { systemPrompt: 'Other words.' },
      registered: {},
      schemas: [{ $id: `${BASE}/answer.json`, type: 'array' }],
      problems: [CHANGED, schemaChanged('outputSchema', 'answer')],
    },
  ],
})
