import { testRule } from '../../../../testing/rules/test-rule.ts'
import { maxPromptLength } from './rule.ts'

const chars = (length: number) => ({ systemPrompt: 'x'.repeat(length) })

testRule(maxPromptLength, {
  accepts: [
    { why: 'short' },
    { why: 'exactly four fifths', pack: chars(3200) },
    { why: 'under a raised limit', pack: chars(5000), options: { limit: 10_000 } },
    { why: 'no prompt', pack: { systemPrompt: undefined } },
  ],
  rejects: [
    { why: 'more than four fifths', pack: chars(3201), problems: ['info: key:systemPrompt systemPrompt has 3201 of 4000 characters'] },
    { why: 'exactly the limit', pack: chars(4000), problems: ['info: key:systemPrompt systemPrompt has 4000 of 4000 characters'] },
    { why: 'one more', pack: chars(4001), problems: ['key:systemPrompt systemPrompt has 4001 characters: 1 more than 4000'] },
    {
      why: 'UTF-16 units: an emoji counts twice',
      pack: { systemPrompt: '😀'.repeat(2001) },
      problems: ['key:systemPrompt systemPrompt has 4002 characters: 2 more than 4000'],
    },
    {
      why: 'the raw template, tags and all',
      pack: { systemPrompt: `{{! ${'x'.repeat(3990)} }}` },
      problems: ['info: key:systemPrompt systemPrompt has 3997 of 4000 characters'],
    },
    {
      why: 'a lowered limit',
      pack: chars(101),
      options: { limit: 100 },
      problems: ['key:systemPrompt systemPrompt has 101 characters: 1 more than 100'],
    },
    {
      why: 'also when the prompt does not parse',
      pack: { systemPrompt: `{{#if ${'x'.repeat(4000)}` },
      problems: ['key:systemPrompt systemPrompt has 4006 characters: 6 more than 4000'],
    },
    {
      why: 'the line break that | keeps',
      yaml: `systemPrompt: |\n  ${'x'.repeat(4000)}\n`,
      problems: ['key:systemPrompt systemPrompt has 4001 characters: 1 more than 4000'],
    },
  ],
})
