import { testRule } from '../../../../testing/rules/test-rule.ts'
import { packYaml } from './rule.ts'

testRule(packYaml, {
  accepts: [
    { why: 'plain YAML' },
    { why: 'an alias', yaml: 'a: &x [1]\nb: *x\n' },
    { why: 'a document marker', yaml: '---\na: 1\n' },
    { why: 'JSON', yaml: '{"a": 1}' },
  ],
  rejects: [
    { why: 'a key that stands twice', yaml: 'a: 1\nb:\n  c: 1\n  c: 2\n', problems: ['file 4:3 The key "c" occurs here a second time'] },
    { why: 'an empty file', yaml: '', problems: ['file 1:1 The file is empty'] },
    { why: 'two documents', yaml: 'a: 1\n---\nb: 1\n', problems: ['file 3:1 A second YAML document begins here: keep one'] },
    { why: 'a tag', yaml: 'a: !date 2026\n', problems: ['file 1:4 Tags are not supported: remove !date'] },
    { why: 'a merge key', yaml: 'a: &x {b: 1}\nc:\n  <<: *x\n', problems: ['file 3:3 Merge keys << are not supported'] },
    { why: 'a number that JSON cannot say', yaml: 'a: .nan\n', problems: ['file 1:4 .nan is not a JSON number'] },
    { why: 'a text that is never closed', yaml: 'a: "b\n', problems: ['file 2:1 Missing closing "quote'] },
  ],
})
