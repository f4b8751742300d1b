import { testRule } from '../../../../testing/rules/test-rule.ts'
import { volatileBeforeStable } from './rule.ts'

const long = 'x'.repeat(200)
const says = (place: string, name: string, behind: number, prefix: number) =>
  `systemPrompt ${place} "${name}" changes on every call and comes before ${behind} bytes that do not: the stable prefix ends after ${prefix} bytes`

testRule(volatileBeforeStable, {
  accepts: [
    { why: 'no variables', pack: { systemPrompt: long } },
    { why: 'at the end', pack: { systemPrompt: `${long}{{now}}`, variables: ['now'] } },
    { why: 'too little behind it to matter', pack: { systemPrompt: `{{now}}${'x'.repeat(199)}`, variables: ['now'] } },
    { why: 'a name that sounds stable', pack: { systemPrompt: `{{topic}}${long}`, variables: ['topic'] } },
    {
      why: 'declared as stable',
      pack: { systemPrompt: `{{userId}}${long}`, variables: [{ name: 'userId', type: 'string', volatile: false }] },
    },
    { why: 'a variable nobody declares', pack: { systemPrompt: `{{now}}${long}` } },
    { why: 'a raised limit', pack: { systemPrompt: `{{now}}${long}`, variables: ['now'] }, options: { minStableBytes: 201 } },
    { why: 'comments are not sent', pack: { systemPrompt: `{{now}}{{! ${long} }}`, variables: ['now'] } },
  ],
  rejects: [
    {
      why: 'in front of all',
      pack: { systemPrompt: `{{now}}${long}`, variables: ['now'] },
      problems: [says('1:3', 'now', 200, 0)],
      suggestions: ['move it to the end, or say volatile: false in its declaration'],
    },
    ...['requestId', 'user_query', 'createdAt', 'timestamp'].map(name => ({
      why: `named ${name}`,
      pack: { systemPrompt: `ab{{${name}}}${long}`, variables: [name] },
      problems: [says('1:5', name, 200, 2)],
    })),
    {
      why: 'declared as volatile',
      pack: { systemPrompt: `{{mood}}${long}`, variables: [{ name: 'mood', type: 'string', volatile: true }] },
      problems: [says('1:3', 'mood', 200, 0)],
    },
    {
      why: 'only the first is named',
      pack: { systemPrompt: `{{now}} {{today}}${long}`, variables: ['now', 'today'] },
      problems: [says('1:3', 'now', 201, 0)],
    },
    {
      why: 'bytes, not characters',
      pack: { systemPrompt: `é{{now}}${'é'.repeat(100)}`, variables: ['now'] },
      problems: [says('1:4', 'now', 200, 2)],
    },
    {
      why: 'as a condition, and text inside blocks',
      pack: { systemPrompt: `a{{#if now}}${long}{{else}}b{{/if}}`, variables: ['now'] },
      problems: [says('1:8', 'now', 201, 1)],
    },
    {
      why: 'the item of a loop over it',
      pack: { systemPrompt: `{{#each now}}{{this}}{{/each}}${long}`, variables: [{ name: 'now', type: 'array' }] },
      problems: [says('1:9', 'now', 200, 0)],
    },
  ],
})
