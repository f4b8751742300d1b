import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { legacyTools } from './rule.ts'

testLayoutRule(legacyTools, {
  accepts: [
    { why: 'tools where they belong', files: { 'tools/descriptors/a.json': { name: 'a' }, 'tools/catalogs/default.json': ['a'] } },
    {
      why: 'a file that is no tool',
      files: { 'tools/package.json': { scripts: {} }, 'tools/list.json': [1, { x: 1 }], 'tools/none.json': [] },
    },
  ],
  rejects: [
    {
      why: 'found only by looking into tools/',
      files: { 'tools/a.json': [{ type: 'function', name: 'a' }] },
      problems: ['tools/a.json:1:1 This tool is shown only as long as no catalog is named and there is no index'],
      suggestions: ['move it to tools/descriptors and name it in a catalog'],
    },
    {
      why: 'not even found, since there is an index',
      files: { 'agent.workspace.json': { schema_version: 1 }, 'tools/a.json': { name: 'a' } },
      problems: ['tools/a.json:1:1 Nothing reads this file: there is agent.workspace.json'],
    },
  ],
})
