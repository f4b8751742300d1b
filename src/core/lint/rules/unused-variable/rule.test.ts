import { testRule } from '../../../../testing/rules/test-rule.ts'
import { unusedVariable } from './rule.ts'

const uses = (systemPrompt: string) => ({ systemPrompt, variables: ['a'] })

testRule(unusedVariable, {
  accepts: [
    { why: 'none declared' },
    ...[
      '{{a}}',
      '{{a.b}}',
      '{{#if a}}{{/if}}',
      '{{#each a}}{{/each}}',
      '{{#each constraints}}{{../a}}{{/each}}',
      '{{@root.a}}',
      '{{#with a}}{{/with}}',
      '{{this.a}}',
      '{{#if x}}{{else}}{{a}}{{/if}}',
    ].map(prompt => ({ why: `used by ${prompt}`, pack: uses(prompt) })),
    { why: 'all values together may use any', pack: uses('{{this}}') },
    { why: 'a loop over all values', pack: uses('{{#each this}}{{this}}{{/each}}') },
    { why: 'a prompt that does not parse uses who knows what', pack: uses('{{#if') },
    { why: 'no prompt', pack: { systemPrompt: undefined, variables: ['a'] } },
  ],
  rejects: [
    {
      why: 'never used',
      pack: { systemPrompt: '{{a}}', variables: ['a', 'b'] },
      problems: ['variables/1/name "b" is declared but never used'],
      suggestions: ['use {{b}} or remove it'],
    },
    { why: 'only in a comment', pack: uses('{{! a }}'), problems: ['variables/0/name "a" is declared but never used'] },
    { why: 'only as a field of something else', pack: uses('{{b.a}}'), problems: ['variables/0/name "a" is declared but never used'] },
    {
      why: 'only inside a loop, where it means a field of the item',
      pack: uses('{{#each b}}{{a}}{{/each}}'),
      problems: ['variables/0/name "a" is declared but never used'],
    },
    {
      why: 'shadowed by a block parameter',
      pack: uses('{{#each b as |a|}}{{a}}{{/each}}'),
      problems: ['variables/0/name "a" is declared but never used'],
    },
    { why: 'escaped', pack: uses('\\{{a}}'), problems: ['variables/0/name "a" is declared but never used'] },
  ],
})
