import { testRule } from '../../../../testing/rules/test-rule.ts'
import { ambiguousScalar } from './rule.ts'

testRule(ambiguousScalar, {
  accepts: [
    { why: 'quoted', yaml: 'a: "2026-01-31"\nb: \'yes\'\nc: |\n  on\n' },
    { why: 'what all readers agree on', yaml: 'a: true\nb: null\nc: 1.0.0\nd: 2026\ne: yes please\nf: 2026-01-31x\n' },
    { why: 'keys', yaml: 'on: 1\n' },
  ],
  rejects: [
    {
      why: 'dates',
      yaml: 'meta:\n  lastUpdated: 2026-01-31T09:00:00Z\n  other: 2026-1-1\n  third: 2001-12-14 21:59:43.10 -5\n',
      problems: [
        'meta/lastUpdated 2026-01-31T09:00:00Z without quotes is text here, but a date to other YAML readers',
        'meta/other 2026-1-1 without quotes is text here, but a date to other YAML readers',
        'meta/third 2001-12-14 21:59:43.10 -5 without quotes is text here, but a date to other YAML readers',
      ],
    },
    {
      why: 'old booleans',
      yaml: 'a: yes\nb: [No, ON, off]\n',
      problems: ['a yes', 'b/0 No', 'b/1 ON', 'b/2 off'].map(
        said => `${said} without quotes is text here, but a boolean to other YAML readers`,
      ),
      suggestions: ['write "yes"', 'write "No"', 'write "ON"', 'write "off"'],
    },
  ],
})
