// @ts-check
// Workspaces of any size for benchmarks: realistic packs of about 3 kB, each a little different.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SCHEMAS = {
  article: {
    type: 'object',
    required: ['title', 'body'],
    properties: { title: { type: 'string', minLength: 1 }, body: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  },
  summary: {
    type: 'object',
    required: ['summary', 'keyPoints'],
    properties: { summary: { type: 'string' }, keyPoints: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  },
}

const PARAGRAPH =
  'Read the whole article before you write. Keep names, numbers and dates exactly as they are written, and never add a fact that does not stand in it.'

/** @param {number} example */
const nameOf = example => (example === 0 ? 'Empty article' : `Article ${example}`)

/** @param {number} index @param {number} examples */
function pack(index, examples) {
  const agent = `agent-${index}`
  const shown = Array.from(
    { length: examples },
    (_, example) => `  - name: "${nameOf(example)}"
    input:
      title: "Title ${index}-${example}"
      body: "Body of article ${example}"
      tags:
        - one
        - two
    expectedOutput:
      summary: "Summary ${example}"
      keyPoints:
        - "Point ${example}"
`,
  ).join('')
  return {
    agent,
    text: `$schema: "https://architect-studio/schemas/prompt-pack.json"
id: "prompt-${agent}-v1.0.0"
agentId: "${agent}"
version: "1.0.0"
meta:
  name: "Agent ${index}"
  description: "Summarizes articles, variant ${index}"
  lastUpdated: "2026-01-01T00:00:00Z"
systemPrompt: |
  ## OBJECTIVE
  Summarize one article for {{audience}} in at most {{maxSentences}} sentences.
${Array.from({ length: 8 }, () => `  ${PARAGRAPH}`).join('\n')}

  ## INPUT
  A JSON object with "title" and "body".

  ## OUTPUT
  One JSON object that matches https://bench.example/summary.json.
  {{#if tone}}
  Write in a {{tone}} tone.
  {{/if}}

  ## CONSTRAINTS
  {{#each constraints}}
  - {{this}}
  {{/each}}

  ## REFUSAL RULES
  {{#each refusalRules}}
  - {{this}}
  {{/each}}
variables:
  - { name: audience, type: string, default: "a general reader", description: "Who reads it" }
  - { name: maxSentences, type: number, default: 2, description: "Upper limit" }
  - { name: tone, type: string, description: "How it sounds" }
inputSchema: "https://bench.example/article.json"
outputSchema: "https://bench.example/summary.json"
examples:
${shown}constraints:
  - "Use only facts that stand in the article."
  - "Keep names and numbers exactly as written."
refusalRules:
  - "If the body is empty, answer with an empty summary."
`,
    script: `replies:\n${Array.from({ length: examples }, (_, example) => `  "${nameOf(example)}":\n    summary: "Summary ${example}"\n    keyPoints:\n      - "Point ${example}"\n`).join('')}`,
  }
}

/** @param {{ packs: number, examples: number }} size @returns {string} the folder */
export function generateWorkspace({ packs, examples }) {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-bench-'))
  mkdirSync(join(folder, 'schemas'))
  for (const [name, schema] of Object.entries(SCHEMAS))
    writeFileSync(join(folder, 'schemas', `${name}.json`), JSON.stringify({ $id: `https://bench.example/${name}.json`, ...schema }))
  for (let index = 0; index < packs; index++) {
    const { agent, text, script } = pack(index, examples)
    mkdirSync(join(folder, 'prompts', agent), { recursive: true })
    writeFileSync(join(folder, 'prompts', agent, 'v1.0.0.yaml'), text)
    writeFileSync(join(folder, 'prompts', agent, 'v1.0.0.script.yaml'), script)
  }
  writeFileSync(join(folder, 'onbook.config.yaml'), 'rules: {}\n')
  return folder
}
