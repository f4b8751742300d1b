import { goodPrompt, testRule } from '../../../../testing/rules/test-rule.ts'
import { requiredSections } from './rule.ts'

const without = (name: string, instead = '') => goodPrompt.replace(`## ${name}\n`, instead)
const missing = (name: string) => `key:systemPrompt The section ${name} is missing`
const withInput = (heading: string) => ({ systemPrompt: without('INPUT', `${heading}\n`) })

testRule(requiredSections, {
  accepts: [
    { why: 'all five as headings' },
    ...[
      '# Input',
      '###### INPUT ######',
      '## 2. Input',
      '## 1.2 Input',
      '## 3) inputs',
      '## Input Schema',
      '## Input:',
      '## **Input**',
      '   ## Input',
      'INPUT:',
      'Input:',
      '2. INPUT:',
      'Input Format:',
      '**INPUT**',
      '**Input:**',
      '**Input**:',
      '__Input__',
      'INPUT: one JSON object',
      '**Input** is JSON',
      'Input\n=====',
      'INPUT\n---',
      '2. Input\n-----',
      '## {{! not shown }}Input',
      '{{! not shown }}## Input',
      '## Input {{a}}',
    ].map(heading => ({ why: `written as ${JSON.stringify(heading)}`, pack: withInput(heading) })),
    { why: 'a heading behind a fence that is closed', pack: withInput('```json\n{}\n```\n## INPUT') },
    { why: 'a fence of tildes closes only by tildes', pack: withInput('~~~\n```\n~~~\n## INPUT') },
    { why: 'an inline fence opens nothing', pack: withInput('```not a fence```\n## INPUT') },
    { why: 'sub-headings are part of a section', pack: withInput('## INPUT\n### Format') },
    { why: 'so are labels and sentences that end in a colon', pack: withInput('## INPUT\nJSON: yes.\nThese are the fields:') },
    { why: 'a rule under a heading', pack: withInput('## INPUT\n---') },
    {
      why: 'a loop is something to say',
      pack: { systemPrompt: `${without('CONSTRAINTS').trimEnd()}\n## CONSTRAINTS\n{{#each constraints}}\n- {{this}}\n{{/each}}` },
    },
    { why: 'a label with only a variable behind it', pack: { systemPrompt: goodPrompt.replace(/## INPUT\n.*\n/, 'INPUT: {{a}}\n') } },
    { why: 'an empty one, when another has text', pack: withInput('## INPUT\n## INPUT') },
    {
      why: 'CRLF',
      yaml: 'id: prompt-writer-v1.0.0\r\nagentId: writer\r\nversion: "1.0.0"\r\nsystemPrompt: |\r\n  # Objective\r\n  a\r\n  # Input\r\n  b\r\n  # Output\r\n  c\r\n  # Constraints\r\n  d\r\n  # Refusal rules\r\n  Refuse what you must refuse.\r\n',
    },
    { why: 'fewer sections when the configuration says so', pack: { systemPrompt: '# Task\nDo it.' }, options: { sections: ['TASK'] } },
    { why: 'names with odd characters', pack: { systemPrompt: '# C++ (rules)\nDo it.' }, options: { sections: ['C++ (RULES)'] } },
    { why: 'a prompt that does not parse', pack: { systemPrompt: '{{#if a}}' } },
  ],
  rejects: [
    {
      why: 'nothing at all',
      pack: { systemPrompt: 'Be nice.' },
      problems: ['OBJECTIVE', 'INPUT', 'OUTPUT', 'CONSTRAINTS', 'REFUSAL RULES'].map(missing),
      suggestions: ['OBJECTIVE', 'INPUT', 'OUTPUT', 'CONSTRAINTS', 'REFUSAL RULES'].map(name => `add a heading: ## ${name}`),
    },
    ...[
      '',
      'Throughput:',
      '## Throughput',
      'The INPUT: is JSON',
      '- INPUT:',
      'Input the following:',
      '## Inputting',
      '## The Input',
      '    ## Input',
      '\\## Input',
      '#Input',
      'input',
      '<input>',
    ].map(heading => ({
      why: `${JSON.stringify(heading)} is no INPUT`,
      pack: withInput(heading),
      problems: [missing('INPUT')],
    })),
    { why: 'a heading in a code fence', pack: withInput('```\n## INPUT\n```'), problems: [missing('INPUT')] },
    { why: 'a fence with an info string does not close one', pack: withInput('```\n```json\n## INPUT\n```'), problems: [missing('INPUT')] },
    { why: 'a heading in a comment', pack: withInput('{{!-- \n## INPUT\n --}}'), problems: [missing('INPUT')] },
    {
      why: 'refusal rules may be missing, more mildly, when the pack lists some',
      pack: { systemPrompt: without('REFUSAL RULES'), refusalRules: ['Refuse spam'] },
      problems: [`warning: ${missing('REFUSAL RULES')}`],
    },
    {
      why: 'listed refusal rules make no other section milder',
      pack: { systemPrompt: without('INPUT'), refusalRules: ['Refuse spam'] },
      problems: [missing('INPUT')],
    },
    {
      why: 'an empty list of refusal rules changes nothing',
      pack: { systemPrompt: without('REFUSAL RULES'), refusalRules: [] },
      problems: [missing('REFUSAL RULES')],
    },
    {
      why: 'listed constraints do not replace the section',
      pack: { systemPrompt: without('CONSTRAINTS'), constraints: ['Be brief'] },
      problems: [missing('CONSTRAINTS')],
    },
    {
      why: 'a section inside a block',
      pack: { systemPrompt: `{{#if a}}\n## INPUT\ntext\n{{/if}}\n${without('INPUT')}`, variables: ['a'] },
      problems: ['warning: systemPrompt 2:1 The section INPUT is inside a block: it may be left out'],
    },
    {
      why: 'a section on the line of its block',
      pack: { systemPrompt: `{{#if a}}## INPUT\ntext{{/if}}\n${without('INPUT')}`, variables: ['a'] },
      problems: ['warning: systemPrompt 1:10 The section INPUT is inside a block: it may be left out'],
    },
    {
      why: 'a section without text',
      pack: { systemPrompt: `## INPUT\n\n${without('INPUT')}` },
      problems: ['warning: systemPrompt 1:1 The section INPUT is empty'],
    },
    {
      why: 'a section that only has a comment',
      pack: { systemPrompt: `## INPUT\n{{! later }}\n${without('INPUT')}` },
      problems: ['warning: systemPrompt 1:1 The section INPUT is empty'],
    },
    {
      why: 'a section whose text stands under the next heading of its level',
      pack: { systemPrompt: `## INPUT\n## Aside\ntext\n${without('INPUT')}` },
      problems: ['warning: systemPrompt 1:1 The section INPUT is empty'],
    },
    {
      why: 'a configured name',
      pack: { systemPrompt: '# Task\nDo it.' },
      options: { sections: ['C++ (RULES)'] },
      problems: [missing('C++ (RULES)')],
    },
  ],
})
