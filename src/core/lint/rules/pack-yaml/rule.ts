import type { Rule } from '../../rule.ts'

export const packYaml: Rule = {
  name: 'pack-yaml',
  summary: 'The file is one plain YAML document: no duplicate keys, tags, merge keys or runaway aliases, and nothing JSON cannot say.',
  severity: 'error',

  *check({ document }) {
    for (const { message, start, end } of document.problems) yield { message, at: { pointer: [], source: { start, end } } }
  },
}
