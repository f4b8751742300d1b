// @ts-check
// npm run bench -- regression: a proposed workspace held against 1,000 recorded runs, beside replaying each of them, and what it holds at once.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadWorkflow } from '../../dist/engine/definitions/workflows.js'
import { interleave, number, table } from './measuring/measure.mjs'
import { inFolder } from './record/story.mjs'
import { reply, runsOn } from './runs/story.mjs'
import { openStore, TENANT } from './sessions/story.mjs'

const CLI = resolve('bin', 'onbook.mjs')
const ASKED = resolve('scripts/bench/regression/asked.mjs')
const RUNS = 1_000
const ROUNDS = 3

await inFolder(async folder => {
  const data = join(folder, '.onbook')
  for (const name of ['newsroom', 'branch']) cpSync(resolve('examples/newsroom'), join(folder, name), { recursive: true })
  typed(folder, ['publish', 'newsroom', '--workspace', 'newsroom', '--data', data])
  const workflow = join(folder, 'branch/workflows/newsroom.yaml')
  writeFileSync(workflow, readFileSync(workflow, 'utf8').replace(/^definitionOfDone: .*$/m, 'definitionOfDone: The story is in print.'))
  const pack = join(folder, 'branch/prompts/critic/v1.0.0.yaml')
  writeFileSync(pack, readFileSync(pack, 'utf8').replace('## CONSTRAINTS', '## CONSTRAINTS\n  Be brief.'))
  const rows = [['', 'runs', 'prompts', 'replay each, ms', 'regression, ms', 'replay is', 'prompts/s']]
  const sizes = [['', 'opened, MB', ...[RUNS / 4, RUNS / 2, RUNS].map(runs => `${runs} runs, MB`)]]
  await record(data, RUNS)
  const branch = join(folder, 'branch')
  const { prompts = 0, changed = 0 } = asked(data, branch, RUNS)
  if (changed === 0) throw new Error('The proposal changes nothing')
  const { replay = 0, regression = 0 } = await interleave(
    { replay: () => asked(data, 'replay', RUNS).ms, regression: () => asked(data, branch, RUNS).ms },
    ROUNDS,
  )
  rows.push([
    'newsroom',
    number(RUNS, 0),
    number(prompts, 0),
    number(replay, 0),
    number(regression, 0),
    number(replay / regression),
    number(prompts / (regression / 1_000), 0),
  ])
  const mb = [asked(data, 'nothing', 1), ...[RUNS / 4, RUNS / 2, RUNS].map(runs => asked(data, branch, runs))].map(found =>
    number(found.mb, 0),
  )
  sizes.push(['newsroom', ...mb])
  table('The regression set: every step made again as it was, and with the proposal; beside level 2 of a replay', rows)
  table('Memory at its peak, of the process that asks', sizes)
})

/** No two have the same input or are told the same. @param {string} data @param {number} runs */
async function record(data, runs) {
  const store = openStore(data)
  const { workflow } = (await loadWorkflow(store, TENANT, 'newsroom')) ?? fail('The workflow is not published')
  const { work, close } = runsOn(store, async () => reply())
  for (let run = 0; run < runs; run++) {
    const place = { tenant: TENANT, runId: `run-${String(run).padStart(5, '0')}`, actor: 'bench' }
    await work.create(place, { workflow, inputs: { topic: `Ferry ${run}`, facts: ['It leaves half an hour later from May.'] } })
    await work.quiet(TENANT, place.runId)
  }
  await close()
  await store.close()
}

/** @param {string} data @param {string} against @param {number} limit @returns {{ ms: number, mb: number, prompts?: number, changed?: number }} */
function asked(data, against, limit) {
  const { stdout, stderr } = spawnSync(process.execPath, [ASKED, data, against, String(limit)], { encoding: 'utf8' })
  return stdout === '' ? fail(stderr) : JSON.parse(stdout)
}

/** @param {string} cwd @param {readonly string[]} args */
function typed(cwd, args) {
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) fail(stderr)
}

/** @param {string} message @returns {never} */
function fail(message) {
  throw new Error(message)
}
