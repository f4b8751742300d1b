import { testRule } from '../../../../testing/rules/test-rule.ts'
import { unsupportedSyntax } from './rule.ts'

testRule(unsupportedSyntax, {
  accepts: [
    {
      why: 'all that is supported',
      pack: {
        systemPrompt:
          '{{a}}{{{b}}}{{&c}}{{#if a includeZero=true}}{{^}}{{/if}}{{#each a as |x i|}}{{/each}}{{#with a as |y|}}{{/with}}{{#unless a}}{{else}}{{/unless}}{{! c }}{{~a~}}',
      },
    },
    { why: 'what is not even well-formed', pack: { systemPrompt: '{{#if a}}' } },
  ],
  rejects: [
    { why: 'a partial', pack: { systemPrompt: 'a {{> footer}}' }, problems: ['systemPrompt 1:3 Partials {{> …}} are not supported'] },
    {
      why: 'a helper',
      pack: { systemPrompt: '{{upper name}}' },
      problems: ['systemPrompt 1:3 Helpers are not supported: "upper" cannot take arguments'],
    },
    {
      why: 'a bare section',
      pack: { systemPrompt: '{{#items}}{{/items}}' },
      problems: ['systemPrompt 1:4 The block "items" is not supported: there are #if, #unless, #each and #with'],
    },
    {
      why: 'an inverted section',
      pack: { systemPrompt: '{{^items}}{{/items}}' },
      problems: ['systemPrompt 1:1 Inverted sections {{^…}} are not supported: use #unless'],
    },
    {
      why: 'a subexpression',
      pack: { systemPrompt: '{{#if (eq a b)}}{{/if}}' },
      problems: ['systemPrompt 1:7 Subexpressions (…) are not supported'],
    },
    { why: 'a raw block', pack: { systemPrompt: '{{{{raw}}}}' }, problems: ['systemPrompt 1:1 Raw blocks {{{{…}}}} are not supported'] },
    { why: 'a decorator', pack: { systemPrompt: '{{* x}}' }, problems: ['systemPrompt 1:1 Decorators are not supported'] },
    {
      why: 'a literal value',
      pack: { systemPrompt: '{{"text"}}' },
      problems: ['systemPrompt 1:3 Literal values such as "text" are not supported: name a variable'],
    },
    {
      why: 'loop data that does not exist',
      pack: { systemPrompt: '{{@length}}' },
      problems: ['systemPrompt 1:3 @length does not exist: there are @index, @key, @first, @last and @root'],
    },
    {
      why: 'a reserved word as a variable',
      pack: { systemPrompt: '{{lookup}}' },
      problems: ['systemPrompt 1:3 "lookup" is a reserved word: write {{this.lookup}} if a variable is meant'],
    },
  ],
})
