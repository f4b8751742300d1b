import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { refResolves } from './rule.ts'

const packs = {
  'prompts/writer/v1.10.0.yaml': 'x',
  'prompts/writer/v1.9.0.yaml': 'x',
  'prompts/writer/draft.yaml': 'x',
}
const workflow = (node: string, more = '') => ({ ...packs, 'workflows/news.yaml': `id: news\nnodes:\n  - id: a\n${node}${more}` })
const agent = (fields: string) => ({ ...packs, 'agents/writer.yaml': `agentId: local.news.writer\n${fields}` })

testLayoutRule(refResolves, {
  accepts: [
    {
      why: 'what packs compile to, with and without a version',
      files: workflow(
        '    systemPromptRef: prompt:writer@1.9.0\n    fewShotPromptRefs: [prompt:writer.few-shot]\n    schemaHintPromptRef: prompt:writer.schema-hint\n',
        'defaults:\n  promptRefs:\n    system: prompt:writer\n',
      ),
    },
    { why: 'a label', files: agent('promptOverrides:\n  system: prompt:writer@production\n') },
    { why: 'another library', files: agent('promptOverrides:\n  system: { templateId: style, libraryId: vendor.acme.style }\n') },
    { why: 'the path of a text', files: agent('systemPromptRef: writer.md\n') },
    { why: 'a ref that is none, which others say', files: agent('promptOverrides:\n  system: wirter\n') },
  ],
  rejects: [
    {
      why: 'templates of nobody, wherever they stand',
      files: {
        ...agent('promptOverrides:\n  user: prompt:writer.user\n'),
        ...workflow(
          '    systemPromptRef: prompt:wrter\n    config:\n      fewShotPromptRefs:\n        - prompt:writer.few-shot\n        - templateId: critic\n',
          'defaults:\n  promptRefs:\n    system: prompt:house@production\n',
        ),
      },
      problems: [
        'agents/writer.yaml:3:9 No pack of this workspace has the template writer.user',
        'workflows/news.yaml:4:22 No pack of this workspace has the template wrter',
        'workflows/news.yaml:8:11 No pack of this workspace has the template critic',
        'workflows/news.yaml:11:13 No pack of this workspace has the template house',
      ],
      suggestions: ['', 'did you mean prompt:writer?', '', ''],
    },
    {
      why: 'a version that the pack does not have',
      files: workflow('    systemPromptRef: prompt:writer@1.0.0\n'),
      problems: ['workflows/news.yaml:4:22 No pack of this workspace has prompt:writer@1.0.0'],
      suggestions: ['there is 1.9.0, 1.10.0'],
    },
  ],
})
