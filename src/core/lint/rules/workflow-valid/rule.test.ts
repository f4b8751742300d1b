import { expect } from 'vitest'
import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { workflowValid } from './rule.ts'

const nodes = 'nodes:\n  - id: writer\n  - id: critic\n'

testLayoutRule(workflowValid, {
  accepts: [
    { why: 'nodes and edges', files: { 'workflows/news.yaml': `id: news\n${nodes}edges:\n  - { from: writer, to: critic }\n` } },
    { why: 'JSON', files: { 'workflows/news.json': { id: 'news', nodes: [{ id: 'a' }], configurableSchema: { type: 'object' } } } },
    {
      why: 'what is no file of a workflow',
      files: { 'workflows/README.md': '#', 'workflows/old/a.yaml': '[', '.github/workflows/ci.yaml': '[' },
    },
  ],
  rejects: [
    {
      why: 'no YAML, and a key twice',
      files: { 'workflows/a.yaml': 'id: [', 'workflows/b.yaml': `id: b\n${nodes}id: c\n` },
      problems: [
        'workflows/a.yaml:1:6 Flow sequence in block collection must be sufficiently indented and end with a ]',
        'workflows/b.yaml:5:1 The key "id" occurs here a second time',
      ],
    },
    {
      why: 'everything at once, each at its place',
      files: {
        'workflows/news.yaml': `id: news\n${nodes}  - id: editor\n    role: con\nedges:\n  - from: writer\n    to: critc\n  - from: writer\n    to: editor\n    condition: { type: regex, left: output }\n`,
      },
      problems: [
        'workflows/news.yaml:6:11 "con" is no name of a role: on Windows it is a device',
        'workflows/news.yaml:9:9 There is no node "critc": did you mean "critic"?',
        'workflows/news.yaml:12:24 Conditions of type regex are not supported, because they are untrusted code: compare with equals or contains',
      ],
    },
    {
      why: 'a cycle without a bound',
      files: {
        'workflows/news.json': {
          id: 'news',
          nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
          edges: [
            { from: 'a', to: 'b' },
            { from: 'b', to: 'c' },
            { from: 'c', to: 'b' },
          ],
        },
      },
      problems: ['workflows/news.json:23:5 A cycle without a bound: "c" leads back to "b". Say "repeats" at the edge that leads back'],
    },
    {
      why: 'a schema that is none',
      files: { 'workflows/news.yaml': `id: news\n${nodes}configurableSchema:\n  type: objekt\n` },
      problems: [expect.stringMatching(/^workflows\/news\.yaml:6:3 It is not a JSON Schema: /)],
    },
    {
      why: 'two of one id',
      files: { 'workflows/a.yaml': `id: news\n${nodes}`, 'workflows/b.yaml': `${nodes}id: news\n` },
      problems: ['workflows/b.yaml:4:5 workflows/a.yaml has this id too: choose another'],
    },
  ],
})
