import { testRule } from '../../../../testing/rules/test-rule.ts'
import { templateSyntax } from './rule.ts'

testRule(templateSyntax, {
  accepts: [
    { why: 'no tags', pack: { systemPrompt: 'Say hello. } }} { {' } },
    { why: 'closed blocks', pack: { systemPrompt: '{{#if a}}x{{else}}y{{/if}}' } },
    { why: 'escaped braces', pack: { systemPrompt: '\\{{not a tag' } },
    { why: 'what is merely not supported', pack: { systemPrompt: '{{> partial}}' } },
    { why: 'no prompt at all', pack: { systemPrompt: undefined } },
  ],
  rejects: [
    {
      why: 'a tag that is never closed',
      pack: { systemPrompt: 'Hi {{who' },
      problems: ['systemPrompt 1:4 This tag is never closed: write }}'],
    },
    {
      why: 'a block that is never closed',
      pack: { systemPrompt: 'x\n{{#if a}}y' },
      problems: ['systemPrompt 2:1 {{#if}} is never closed: write {{/if}}'],
    },
    {
      why: 'a block closed by another name',
      pack: { systemPrompt: '{{#if a}}{{/each}}' },
      problems: ['systemPrompt 1:10 {{#if}} is closed by {{/each}}: write {{/if}}'],
    },
    { why: 'a closing tag without a block', pack: { systemPrompt: 'x{{/if}}' }, problems: ['systemPrompt 1:2 {{/if}} closes nothing'] },
    { why: 'an empty tag', pack: { systemPrompt: '{{ }}' }, problems: ['systemPrompt 1:1 A variable name is missing in this tag'] },
    {
      why: 'a number at the end of a path',
      pack: { systemPrompt: '{{a.0}}' },
      problems: ['systemPrompt 1:5 A path may not end in the literal 0: write .[0]'],
    },
    {
      why: 'a block without a subject, and every other problem with it',
      pack: { systemPrompt: '{{#if}}{{/if}}\n{{' },
      problems: ['systemPrompt 1:1 #if needs a variable: {{#if variable}}', 'systemPrompt 2:1 This tag is never closed: write }}'],
    },
  ],
})
