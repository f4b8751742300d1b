// @ts-check
// What is run: workflows of any number of nodes with a model that costs nothing, and what a run leaves in the record.
import { digestBytes } from 'onbook/core'
import { readWorkflow } from '../../../dist/core/workflow/read-workflow.js'
import { TENANT, workOn } from '../sessions/story.mjs'

/** @typedef {import('onbook').Store} Store */
/** @typedef {import('../../../dist/engine/runs/work.js').RunWork} RunWork */
/** @typedef {import('../../../dist/core/workflow/workflow.js').Workflow} Workflow */

const OBJECTIVE = 'Summarize what was said on the desk today: what is decided, what is open, and who does what by when.'

/** One after the other, each handing over to the next. @param {number} nodes */
export const documentOf = nodes => ({
  id: `line-${nodes}`,
  objective: OBJECTIVE,
  nodes: Array.from({ length: nodes }, (_, n) => ({ id: `desk-${n + 1}`, role: 'implementer' })),
  edges: Array.from({ length: nodes - 1 }, (_, n) => ({ id: `edge-${n + 1}`, from: `desk-${n + 1}`, to: `desk-${n + 2}` })),
})

/** @param {number} nodes @returns {Workflow} */
export function workflowOf(nodes) {
  const read = readWorkflow(documentOf(nodes))
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.workflow
}

/** @param {number} run */
export const inputsOf = run => ({ topic: `The night ferry leaves half an hour later from May, says note ${run}.`, words: 200 })

export const SAID = 'Decided: the night ferry leaves half an hour later from May. Open: the fares. The desk asks the port office by Friday.'
let replies = 0

/** No two of them are the same, so that each is stored. @returns {import('../../../dist/core/messages/receipt.js').Receipt} */
export const reply = () => ({
  status: 'ok',
  text: `${SAID} This is reply ${++replies}.`,
  toolCalls: [],
  finishReason: { reason: 'stop' },
  usage: { prompt: 900, completion: 60, total: 960 },
  warnings: [],
  providerId: 'bench',
})

/** @param {Store} store @param {import('onbook').ChatModel['call']} [call] what the model does when it is asked */
export const runsOn = (store, call = async () => reply()) => workOn(store, { call })

/** On record, and not waited for. @param {RunWork} work @param {Workflow} workflow @param {number} run */
export async function create(work, workflow, run) {
  const runId = `run-${run}`
  await work.create({ tenant: TENANT, runId, actor: 'bench' }, { workflow, inputs: inputsOf(run) })
  return runId
}

/** @param {RunWork} work @param {Workflow} workflow @param {number} run */
export async function complete(work, workflow, run) {
  await work.quiet(TENANT, await create(work, workflow, run))
}

/** What one commit brought: the sizes of its events, and the objects that nobody had brought before. @typedef {{ events: number[], objects: number[] }} Written */

/**
 * What every commit of one run writes, on a store that has seen another run of the workflow.
 * @param {Store} store @param {Workflow} workflow @returns {Promise<readonly Written[]>}
 */
export async function writtenBy(store, workflow) {
  /** @type {{ stream: string, count: number, commit: number }[]} */
  const appended = []
  /** @type {Written[]} */
  const written = []
  const seen = new Set()
  const { work, close } = runsOn({
    ...store,
    commit(given) {
      const brought = new Map((given.objects ?? []).map(bytes => [digestBytes(bytes), bytes.length]))
      const objects = [...brought].filter(([digest]) => !seen.has(digest)).map(([, size]) => size)
      for (const digest of brought.keys()) seen.add(digest)
      for (const { stream, entries } of given.appends ?? []) appended.push({ stream, count: entries.length, commit: written.length })
      written.push({ events: [], objects })
      return store.commit(given)
    },
  })
  await complete(work, workflow, 1)
  appended.length = 0
  written.length = 0
  await complete(work, workflow, 2)
  await close()
  for (const stream of new Set(appended.map(one => one.stream))) {
    const commits = appended.filter(one => one.stream === stream).flatMap(({ count, commit }) => Array(count).fill(commit))
    for await (const { event, bytes } of store.read(TENANT, stream, -1)) written[commits[event.seq]]?.events.push(bytes.length)
  }
  return written
}

/** @param {readonly number[]} values */
export const sum = values => values.reduce((total, value) => total + value, 0)
