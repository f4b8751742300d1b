import { testRule } from '../../../../testing/rules/test-rule.ts'
import { structuredInterpolation } from './rule.ts'

const typed = (systemPrompt: string, type: string) => ({ systemPrompt, variables: [{ name: 'a', type }] })

testRule(structuredInterpolation, {
  accepts: [
    { why: 'text', pack: typed('{{a}}', 'string') },
    { why: 'a loop', pack: typed('{{#each a}}{{this}}{{/each}}', 'array') },
    { why: 'a field', pack: typed('{{a.b}}', 'object') },
    { why: 'a condition', pack: typed('{{#if a}}{{/if}}', 'array') },
    { why: 'a variable nobody declares', pack: { systemPrompt: '{{a}}' } },
  ],
  rejects: [
    {
      why: 'an array',
      pack: typed('{{a}}', 'array'),
      problems: ['systemPrompt 1:3 "a" is an array: it prints as JSON here'],
      suggestions: ['use {{#each a}}…{{/each}} if that is not meant'],
    },
    {
      why: 'an object',
      pack: typed('x {{{a}}}', 'object'),
      problems: ['systemPrompt 1:6 "a" is an object: it prints as JSON here'],
      suggestions: ['use {{#each a}}…{{/each}} or {{a.field}} if that is not meant'],
    },
    {
      why: 'by way of #with',
      pack: typed('{{#with a}}{{this}}{{/with}}', 'object'),
      problems: ['systemPrompt 1:14 "a" is an object: it prints as JSON here'],
    },
    {
      why: 'the built-in lists',
      pack: { systemPrompt: '{{constraints}} {{refusalRules}}' },
      problems: [
        'systemPrompt 1:3 "constraints" is an array: it prints as JSON here',
        'systemPrompt 1:19 "refusalRules" is an array: it prints as JSON here',
      ],
    },
  ],
})
