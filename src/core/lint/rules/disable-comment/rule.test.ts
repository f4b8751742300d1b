import { testRule } from '../../../../testing/rules/test-rule.ts'
import { disableComment } from './rule.ts'

testRule(disableComment, {
  accepts: [
    { why: 'none' },
    { why: 'a rule and a reason', yaml: 'a: 1\n# onbook-disable-next-line unknown-key -- kept for the old host\nb: 2\n' },
    { why: 'several rules', yaml: '# onbook-disable-file unknown-key, pack-schema -- a fragment\na: 1\n' },
    {
      why: 'in the prompt',
      yaml: `systemPrompt: |\n  {{! onbook-disable-next-line no-undefined-variables -- set by the host }}\n  {{who}} ${'x'.repeat(50)}\n`,
    },
    {
      why: 'mere text in quotes, in the prompt and in a description',
      yaml: `a: "# onbook-disable-file"\nb: '{{! onbook-disable-file }}'\nsystemPrompt: |\n  # onbook-disable-file\n  ${'x'.repeat(50)}\n`,
    },
    { why: 'a comment about something else', yaml: '# onbook is nice\na: 1\n' },
  ],
  rejects: [
    {
      why: 'no reason',
      yaml: 'a: 1 # onbook-disable-line unknown-key\n',
      problems: ['file 1:6 This comment gives no reason'],
      suggestions: ['add one behind --'],
    },
    { why: 'no rule', yaml: '# onbook-disable-file -- because\na: 1\n', problems: ['file 1:1 This comment names no rule'] },
    {
      why: 'a rule that does not exist',
      yaml: '# onbook-disable-file unknown-keys -- because\na: 1\n',
      problems: ['file 1:1 There is no rule "unknown-keys"'],
    },
    {
      why: 'a scope that does not exist',
      yaml: '# onbook-disable-nextline unknown-key -- because\na: 1\n',
      problems: ['file 1:1 This comment does not name a rule'],
    },
    {
      why: 'behind the header of a block',
      yaml: `systemPrompt: | # onbook-disable-line required-sections\n  ${'x'.repeat(50)}\n`,
      problems: ['file 1:17 This comment gives no reason'],
    },
    {
      why: 'in the prompt without a reason',
      yaml: `systemPrompt: |\n  Hi {{!-- onbook-disable-line template-syntax --}}\n  ${'x'.repeat(50)}\n`,
      problems: ['file 2:6 This comment gives no reason'],
    },
  ],
})
