// @ts-check
// The effective prompt of one step, as functions alone: four kinds resolved with their full trace, rendered with segments, laid out in five
// blocks, everything hashed. Beside it, handlebars that only renders the largest of its texts. Calls no host and no store.
import Handlebars from 'handlebars'
import {
  compose,
  digestText,
  parseTemplate,
  readRole,
  refText,
  renderPrompt,
  renderTemplate,
  resolve,
  shippedRoles,
} from '../../../dist/core/index.js'
import { interleave, number, table, timePerCall } from '../measuring/measure.mjs'

const ROUNDS = 25
const TIMES = 1_000
/** A step differs from the one before: nothing that is made of its values may be found ready. */
const STEPS = 64

const NAMES = ['audience', 'tone', 'outlet', 'desk', 'author', 'language', 'deadline', 'length', 'style', 'region']
const PARAGRAPH =
  'Read the whole article before you write. Keep names, numbers and dates as they are, and never add a fact of your own. '.repeat(2)
const SYSTEM = `${NAMES.map(name => `${PARAGRAPH}The ${name} is {{${name}}}.`).join('\n')}\n{{#each facts}}- {{text}} ({{source}})\n{{/each}}`
const LONG_TEXT = /** @type {const} */ ({ type: 'string', required: true })

/** @type {readonly import('../../../dist/core/library/template.js').LibraryTemplate[]} */
export const TEMPLATES = [
  {
    templateId: 'system',
    version: '1.0.0',
    kind: 'system',
    text: SYSTEM,
    variables: [...NAMES.map(name => ({ name, ...LONG_TEXT })), { name: 'facts', type: 'array', required: true }],
  },
  { templateId: 'few-shot', version: '1.0.0', kind: 'few-shot', text: `For example:\n\n${PARAGRAPH.repeat(2)}` },
  {
    templateId: 'user',
    version: '1.0.0',
    kind: 'user',
    text: 'Write for {{audience}}, on {{desk}}.',
    variables: [
      { name: 'audience', ...LONG_TEXT },
      { name: 'desk', ...LONG_TEXT },
    ],
  },
  { templateId: 'schema-hint', version: '1.0.0', kind: 'schema-hint', text: 'Answer with one JSON object: {"title": text, "body": text}.' },
]
const found = new Map(
  TEMPLATES.map(({ templateId, version }) => {
    const template = { libraryId: 'onbook', templateId, version, digest: digestText(templateId) }
    return [templateId, { status: /** @type {const} */ ('found'), template, meant: /** @type {const} */ ('newest') }]
  }),
)
/** @type {import('../../../dist/core/resolve/resolve.js').Lookup} */
const lookup = { find: ref => found.get(ref.templateId) ?? { status: 'missing' }, defaultOf: () => null }
const refs = Object.fromEntries(TEMPLATES.map(template => [template.kind, refText({ ...template, label: null })]))
const request = {
  nodeId: 'writer',
  config: { systemPromptRef: 'prompt:system' },
  agent: null,
  agentBindings: true,
  workflowDefaults: refs,
  hostDefaults: refs,
}

/** What every step of a node has in common. */
const read = readRole(shippedRoles.get('implementer') ?? '', 'implementer')
if (!read.ok) throw new Error('the shipped role does not read')
const role = {
  name: { ref: 'role:implementer@1', digest: digestText(read.role.raw) },
  text: read.role.text,
  trust: /** @type {const} */ ('trusted'),
}
const tools = {
  lineTools: ['send_handoff', 'command', 'spawn_node'].map(name => ({
    name,
    description: `What ${name} does.`,
    inputSchema: { type: 'object' },
  })),
  nativeTools: true,
}

/** @param {number} step */
export const valuesOf = step => ({
  ...Object.fromEntries(NAMES.map((name, index) => [name, `value ${index} of ${name} at ${step}`])),
  facts: Array.from({ length: 20 }, (_, index) => ({
    text: `Fact number ${index} with some words to it at ${step}`,
    source: `Source ${index}`,
  })),
})

/** @param {number} step @returns {import('../../../dist/core/compose/task-payload.js').TaskPayload} */
const taskOf = step => ({
  runId: 'run-1',
  nodeId: 'n0',
  orchestration: 'auto',
  objective: `Write part ${step} of the article.\nKeep to the facts.`,
  definitionOfDone: 'Every fact is named with its source.',
  inputs: { part: step, notes: `Notes for part ${step}.\nThe desk wants it short.` },
  handoffs: ['n1', 'n2'].map(from => ({
    from,
    message: `Part ${step} is checked.\nThree facts are open; their sources are in the list.`,
    artifacts: [{ type: 'diff', ref: `artifact:${step}` }],
    response: { expectation: 'required', replyTo: from },
  })),
  repository: { root: '/repo', branch: 'main', changedFiles: ['a.md', 'b.md'] },
  settings: { edgeManagement: 'self', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false },
  requests: ['read_repo', 'write_code'],
  nodes: Array.from({ length: 6 }, (_, index) => ({ id: `n${index}`, label: `Desk ${6 - index}`, role: 'implementer', status: 'idle' })),
  edges: Array.from({ length: 5 }, (_, index) => ({ from: `n${index + 1}`, to: 'n0', type: 'handoff', bidirectional: true })),
})

const steps = Array.from({ length: STEPS }, (_, step) => ({ values: valuesOf(step), task: taskOf(step) }))
/** @typedef {(typeof steps)[number]} Step */

/** One step after the other. @param {(step: Step) => unknown} call */
function keyedMutex(call) {
  let turn = 0
  return () => call(/** @type {Step} */ (steps[turn++ % STEPS]))
}

const resolved = () => resolve(request, lookup)

/** @param {Step} step @param {ReturnType<typeof resolved>} resolution */
function composed({ values, task }, { resolutions }) {
  const bind = { sources: { input: values } }
  const templates = resolutions.map(({ kind, trace, resolved: pinned }, index) => {
    const chosen = trace.find(({ applied }) => applied)
    if (chosen === undefined || chosen.ref === null || pinned === null) throw new Error(`no template of kind ${kind}`)
    return { ref: chosen.ref, digest: pinned.digest, kind, layer: chosen.layer, template: TEMPLATES[index] ?? null, bind }
  })
  const result = compose({ tools, role, mode: 'implementation', task, templates, override: null })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
  return result.prompt
}

export async function benchRunsPrompt() {
  const bare = Handlebars.compile(SYSTEM, { noEscape: true })
  const parsed = parseTemplate(SYSTEM)
  const [system] = TEMPLATES
  if (!parsed.ok || system === undefined) throw new Error('the template does not parse')
  for (const { values } of steps) {
    const ours = renderTemplate(parsed.template, values)
    if (!ours.ok || ours.text !== bare(values)) throw new Error('the two do not render the same text')
  }
  const resolution = resolved()
  const { full, blocks } = composed(/** @type {Step} */ (steps[0]), resolution)
  // Of the others the text is the same at every step, and so is the hash.
  const changing = [full, blocks.role, blocks.task]

  /** @type {Readonly<Record<string, () => unknown>>} */
  const calls = {
    'handlebars, compiled, noEscape: render only': keyedMutex(({ values }) => bare(values)),
    'onbook: render with segments': keyedMutex(({ values }) => renderTemplate(parsed.template, values)),
    'onbook: resolve four kinds': resolved,
    'onbook: bind, render, hash text and variables': keyedMutex(({ values }) => renderPrompt(system, { sources: { input: values } })),
    'onbook: compose five blocks, hash': keyedMutex(step => composed(step, resolution)),
    'onbook: resolve and compose, the whole': keyedMutex(step => composed(step, resolved())),
    'floor: handlebars, and one sha256 of its text': keyedMutex(({ values }) => digestText(bare(values))),
    'floor: sha256 of the prompt and two blocks': () => changing.map(digestText),
  }
  const timed = Object.entries(calls).map(([name, call]) => [name, () => timePerCall(call, TIMES)])
  const times = await interleave(Object.fromEntries(timed), ROUNDS)
  const [first = Number.NaN] = Object.values(times)
  const rendered = bare(steps[0]?.values).length
  table(`Effective prompt of a step: ${number(rendered, 0)} characters rendered, ${number(full.length, 0)} composed`, [
    ['', 'µs', 'times handlebars'],
    ...Object.entries(times).map(([name, ms]) => [name, number(ms * 1_000), number(ms / first)]),
  ])
}
