import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { workspaceIndex } from './rule.ts'

const index = (fields: object) => ({ 'agent.workspace.json': { schema_version: 1, ...fields } })

testLayoutRule(workspaceIndex, {
  accepts: [
    { why: 'no index at all', files: { 'prompts/packs/default.json': [] } },
    {
      why: 'everything it names is there',
      files: {
        ...index({
          prompt_packs: { default: 'prompts/packs/default.json' },
          tool_catalogs: { default: 'tools/catalogs/default.json' },
          context_groups: { style: ['context/docs', 'context/images/logo.png'] },
          defaults: { prompt_pack: 'default', tool_catalog: 'default' },
        }),
        'prompts/packs/default.json': [],
        'tools/catalogs/default.json': [],
        'context/docs/style.md': 'Short.',
        'context/images/logo.png': null,
      },
    },
    {
      why: 'a name for a file that is called otherwise',
      files: { ...index({ prompt_packs: { main: 'prompts/packs/default.json' } }), 'prompts/packs/default.json': [] },
    },
    {
      why: 'a default that only its place names',
      files: { ...index({ defaults: { prompt_pack: 'concise' } }), 'prompts/packs/concise.json': [] },
    },
  ],
  rejects: [
    {
      why: 'no JSON',
      files: { 'agent.workspace.json': '{\n  "schema_version": 1,\n}' },
      problems: ['agent.workspace.json:3:1 It is not JSON: unexpected "}"'],
    },
    {
      why: 'another version of the format',
      files: { 'agent.workspace.json': { schema_version: 2 } },
      problems: ['agent.workspace.json:2:21 "schema_version" must be 1'],
    },
    {
      why: 'files that are not there',
      files: {
        ...index({ prompt_packs: { default: 'prompts/packs/defualt.json' }, context_groups: { style: ['context/docs'] } }),
        'prompts/packs/default.json': [],
      },
      problems: ['agent.workspace.json:4:16 There is no prompts/packs/defualt.json', 'agent.workspace.json:8:7 There is no context/docs'],
      suggestions: ['did you mean "prompts/packs/default.json"?', ''],
    },
    {
      why: 'a default that is nowhere, said once',
      files: index({ tool_catalogs: { a: 'tools/catalogs/a.json' }, defaults: { prompt_pack: 'x', tool_catalog: 'a' } }),
      problems: [
        'agent.workspace.json:4:10 There is no tools/catalogs/a.json',
        'agent.workspace.json:7:20 There is no prompts/packs/x.json',
      ],
    },
  ],
})
