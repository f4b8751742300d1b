import { goodPrompt, testRule } from '../../../../testing/rules/test-rule.ts'
import { vagueInstruction } from './rule.ts'

const unnamed = goodPrompt.replaceAll('answer.json', 'the answer sheet')

testRule(vagueInstruction, {
  accepts: [
    { why: 'instructions that say what to do', pack: { systemPrompt: 'List each fact with its source, at most ten.' } },
    { why: 'OUTPUT names the schema by its last word', pack: { systemPrompt: '## OUTPUT\nJSON that matches the Answer schema.' } },
    { why: 'OUTPUT names the schema by URI', pack: { systemPrompt: '## OUTPUT\nSee https://example.com/schemas/answer.json.' } },
    { why: 'no OUTPUT section is the business of required-sections', pack: { systemPrompt: 'Do it.' } },
    { why: 'vague words in a comment', pack: { systemPrompt: '{{! handle this appropriately, etc. }}' } },
    {
      why: 'words that only begin like vague ones',
      pack: { systemPrompt: 'Choose an appropriate title of at most 60 characters; name the etching.' },
    },
  ],
  rejects: [
    {
      why: 'a vague verb',
      pack: { systemPrompt: 'Please process the input appropriately.' },
      problems: ['systemPrompt 1:8 "process the input appropriately" does not say what to do'],
      suggestions: ['name the operation and its criterion'],
    },
    {
      why: 'words that leave it open',
      pack: { systemPrompt: 'Add sources as needed.\nUse lists, tables, etc. and so on.' },
      problems: [
        'systemPrompt 1:13 "as needed" leaves the decision to the model',
        'systemPrompt 2:20 "etc." leaves the decision to the model',
        'systemPrompt 2:25 "and so on" leaves the decision to the model',
      ],
    },
    {
      why: 'assumptions without saying which',
      pack: { systemPrompt: 'Make reasonable assumptions.' },
      problems: ['systemPrompt 1:6 "reasonable assumptions" allows assumptions without saying which'],
      suggestions: ['list what to assume, and where to document it'],
    },
    {
      why: 'OUTPUT does not name the schema',
      pack: { systemPrompt: unnamed.replaceAll('answer', 'final') },
      problems: ['systemPrompt 7:1 OUTPUT does not name the schema that the output must match'],
      suggestions: ['mention https://example.com/schemas/answer.json'],
    },
    {
      why: 'naming it in another section is not enough',
      pack: { systemPrompt: '## OUTPUT\nJSON.\n## CONSTRAINTS\nMatch answer.json.' },
      problems: ['systemPrompt 1:1 OUTPUT does not name the schema that the output must match'],
    },
  ],
})
