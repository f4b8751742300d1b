import { testRule } from '../../../../testing/rules/test-rule.ts'
import { variableType } from './rule.ts'

const typed = (systemPrompt: string, type: string) => ({ systemPrompt, variables: [{ name: 'a', type }] })

testRule(variableType, {
  accepts: [
    { why: 'loops over arrays', pack: typed('{{#each a}}{{this}}{{x.y}}{{/each}}', 'array') },
    { why: 'loops over objects', pack: typed('{{#each a}}{{@key}}{{/each}}', 'object') },
    { why: 'fields of objects and arrays', pack: typed('{{a.b.c}}', 'object') },
    { why: 'an item of an array', pack: typed('{{a.[0]}}', 'array') },
    { why: 'the length of a string', pack: typed('{{a.length}}', 'string') },
    { why: 'any type as a condition', pack: typed('{{#if a}}{{/if}}{{#unless a}}{{/unless}}{{a}}', 'number') },
    { why: 'a variable nobody declares', pack: { systemPrompt: '{{#each b}}{{/each}}{{c.d}}' } },
  ],
  rejects: [
    ...['string', 'number', 'boolean'].map(type => ({
      why: `a loop over a ${type}`,
      pack: typed('x\n{{#each a}}{{this}}{{/each}}', type),
      problems: [`systemPrompt 2:9 #each cannot go over "a": it is a ${type}`],
    })),
    {
      why: 'a field of a string',
      pack: typed('{{a.name}}', 'string'),
      problems: ['warning: systemPrompt 1:3 "a" is a string: it has no "name"'],
    },
    {
      why: 'the length of a number',
      pack: typed('{{a.length}}', 'number'),
      problems: ['warning: systemPrompt 1:3 "a" is a number: it has no "length"'],
    },
    {
      why: 'a field reached by #with',
      pack: typed('{{#with a}}{{name}}{{/with}}', 'string'),
      problems: ['warning: systemPrompt 1:14 "a" is a string: it has no "name"'],
    },
  ],
})
