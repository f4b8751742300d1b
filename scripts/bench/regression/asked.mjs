// @ts-check
// Holds a folder against the newest runs of a record, in a process of its own, and says how long that took and what it held at once.
// `replay` in place of the folder makes each of them again at level 2 instead; `nothing` only opens the record.
import { openProposal } from '../../../dist/cli/questions/open-proposal.js'
import { chosenRuns, newestRuns } from '../../../dist/engine/regression/recorded-runs.js'
import { regressionOf } from '../../../dist/engine/regression/regression.js'
import { replayRun } from '../../../dist/engine/replay/replay.js'
import { openStore, TENANT } from '../sessions/story.mjs'

const [data = '.', against = 'nothing', limit = '1'] = process.argv.slice(2)
const started = performance.now()
const found = against === 'nothing' ? {} : against === 'replay' ? await replayed() : await held()
const ms = performance.now() - started
process.stdout.write(JSON.stringify({ ...found, ms, mb: process.resourceUsage().maxRSS / 1024 }))

async function held() {
  const { proposal, record, close } = await openProposal({ data, workspace: 'newsroom' }, against)
  if (record === null) throw new Error('There is no record')
  const { prompts, changed, causes, unsound } = await regressionOf(proposal, runsIn(record))
  await close()
  return { prompts, changed, unsound, causes: causes.length }
}

/** @param {import('onbook').Store} store */
async function* runsIn(store) {
  const { runIds } = await newestRuns(chosenRuns(store, TENANT, {}), Number(limit))
  for (const runId of runIds) yield { store, tenant: TENANT, runId }
}

async function replayed() {
  const store = openStore(data)
  let prompts = 0
  for await (const { runId } of runsIn(store)) prompts += (await replayRun(store, TENANT, runId)).prompts
  await store.close()
  return { prompts }
}
