// @ts-check
// What is replayed: runs of any length, with a model that costs nothing, in a record of their own.
import { runStream } from '../../../dist/core/run/events.js'
import { readWorkflow } from '../../../dist/core/workflow/read-workflow.js'
import { publishTemplates } from '../../../dist/engine/library/publish.js'
import { TEMPLATES, valuesOf } from '../runs/prompt.mjs'
import { documentOf, reply, runsOn } from '../runs/story.mjs'
import { openStore, TENANT } from '../sessions/story.mjs'

/** @typedef {import('onbook').Store} Store */
/** @typedef {import('../../../dist/core/digest/digest.js').Json} Json */

/** One node that asks for a tool it is not shown, so many times: five events each. @param {string} folder @param {number} steps */
export const recordSteps = (folder, steps) =>
  record(
    folder,
    { id: 'long', objective: 'Go on until you are told to stop.', stallAfter: 0, nodes: [{ id: 'writer' }] },
    { budget: { steps, stepsPerNode: steps } },
    () => ({ ...reply(), toolCalls: [{ callId: 'c1', toolName: 'nothing', arguments: {} }] }),
  )

/** One step of so many nodes, each handing over to the next. @param {string} folder @param {number} nodes */
export const recordNodes = (folder, nodes) => record(folder, documentOf(nodes), {}, reply)

/** The same with templates of four kinds, as a workflow that somebody uses has them. @param {string} folder @param {number} nodes */
export async function recordPrompts(folder, nodes) {
  const store = openStore(folder)
  await publishTemplates(store, { tenant: TENANT, libraryId: 'onbook', actor: 'bench' }, TEMPLATES, { mode: 'create', origin: 'user' })
  await store.close()
  const promptRefs = Object.fromEntries(TEMPLATES.map(({ kind, templateId, version }) => [kind, `prompt:${templateId}@${version}`]))
  const variables = Object.entries(valuesOf(0)).map(([name, value]) => ({ name, type: Array.isArray(value) ? 'array' : 'string' }))
  return record(folder, { ...documentOf(nodes), defaults: { promptRefs }, variables }, { inputs: valuesOf(0) }, reply)
}

/** Left open for whoever reads. @param {string} folder @param {object} document @param {object} more @param {typeof reply} say */
async function record(folder, document, more, say) {
  const read = readWorkflow(/** @type {Json} */ (document))
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const store = openStore(folder)
  const { work, close } = runsOn(store, async () => say())
  await work.create({ tenant: TENANT, runId: 'r1', actor: 'bench' }, { workflow: read.workflow, ...more })
  await work.quiet(TENANT, 'r1')
  await close()
  return store
}

/** @param {Store} store */
export async function bytesOf(store) {
  /** @type {Uint8Array[]} */
  const all = []
  for await (const { bytes } of store.read(TENANT, runStream('r1'), -1)) all.push(bytes)
  return all
}
