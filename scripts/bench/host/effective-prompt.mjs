// @ts-check
// The effective prompt, as functions alone: four kinds resolved with their full trace, the text rendered with segments, and hashed. Beside
// it, handlebars that only renders the same text.
import Handlebars from 'handlebars'
import { renderPrompt } from '../../../dist/core/compose/render-prompt.js'
import { digestText } from '../../../dist/core/digest/digest.js'
import { resolveNode } from '../../../dist/core/resolve/resolve.js'
import { findAmong } from '../../../dist/engine/library/lookup.js'
import { interleave, number, table, timePerCall } from '../measuring/measure.mjs'

const ROUNDS = 15
const TIMES = 2_000

const NAMES = ['audience', 'tone', 'outlet', 'desk', 'author', 'language', 'deadline', 'length', 'style', 'region']
const PARAGRAPH =
  'Read the whole article before you write. Keep names, numbers and dates as they are, and never add a fact of your own. '.repeat(2)
const text = `${NAMES.map(name => `${PARAGRAPH}The ${name} is {{${name}}}.`).join('\n')}\n{{#each facts}}- {{text}} ({{source}})\n{{/each}}`
const values = {
  ...Object.fromEntries(NAMES.map((name, index) => [name, `value ${index} of ${name}`])),
  facts: Array.from({ length: 20 }, (_, index) => ({ text: `Fact number ${index} with some words to it`, source: `Source ${index}` })),
}
const template = {
  text,
  variables: /** @type {const} */ ([
    ...NAMES.map(name => ({ name, type: /** @type {const} */ ('string'), required: true })),
    { name: 'facts', type: 'array', required: true },
  ]),
}

const KINDS = /** @type {const} */ (['system', 'few-shot', 'user', 'schema-hint'])
/** @type {readonly import('../../../dist/engine/library/rows.js').LibraryRow[]} */
const rows = KINDS.map(kind => ({
  tenant: 'default',
  workspace: null,
  libraryId: 'onbook',
  templateId: kind,
  version: '1.0.0',
  digest: digestText(kind),
  kind,
  origin: 'user',
  tags: [],
  modelClass: null,
  removed: false,
  retired: false,
}))
const refs = Object.fromEntries(KINDS.map(kind => [kind, `prompt:${kind}@1.0.0`]))
const request = {
  nodeId: 'node',
  config: { systemPromptRef: 'prompt:system' },
  agent: null,
  agentBindings: true,
  workflowDefaults: refs,
  hostDefaults: refs,
}
const labels = new Map()
/** @type {import('../../../dist/core/resolve/resolve.js').Lookup} */
const lookup = { find: ref => findAmong(rows, ref, labels), defaultOf: () => null }

export async function benchEffectivePrompt() {
  const resolved = () => resolveNode(request, lookup)
  const rendered = () => renderPrompt(template, { sources: { input: values } })
  const plain = Handlebars.compile(text, { noEscape: true })
  const escaping = Handlebars.compile(text)
  const ours = rendered()
  if (!ours.ok || ours.rendered.text !== plain(values)) throw new Error('the two do not render the same text')
  if (resolved().resolutions.some(one => one.resolved === null)) throw new Error('a kind was not resolved')

  const both = () => [resolved(), rendered()]
  const times = await interleave(
    {
      'handlebars, compiled, noEscape: render only': () => timePerCall(() => plain(values), TIMES),
      'handlebars, compiled, escaping: render only': () => timePerCall(() => escaping(values), TIMES),
      'onbook: resolve four kinds, render, hash': () => timePerCall(both, TIMES),
      '  of which resolve': () => timePerCall(resolved, TIMES),
      '  of which render and hash': () => timePerCall(rendered, TIMES),
    },
    ROUNDS,
  )
  const [bare = Number.NaN] = Object.values(times)
  table(`Effective prompt of ${number(ours.rendered.text.length, 0)} characters`, [
    ['', 'µs', 'times handlebars'],
    ...Object.entries(times).map(([name, ms]) => [name, number(ms * 1_000), number(ms / bare)]),
  ])
}
