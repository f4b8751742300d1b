// onbook run fork: branches a recorded run at an event and continues it with a change. The result is a new run.
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { ForkOverlay } from '../../engine/fork/overlay.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { hostFor } from '../host/which-host.ts'
import { runFileOf } from '../questions/open.ts'
import { visible } from '../report/visible.ts'
import { checkGiven, checkProviders, checkUsed } from '../sessions/ready.ts'
import { numberOption } from '../terminal.ts'
import { checkForHost } from './run.ts'
import { runFrom } from './run-options.ts'
import { readRun } from './status.ts'
import { tellRun } from './tell.ts'
import { type RunBook, withRuns } from './watched-runs.ts'

/** Options that only apply where this process does the work: a host has its own. */
const FOR_WORK_HERE = ['script', 'recordings', 'policy', 'repo', 'config'] as const

export async function fork(input: Input): Promise<number> {
  const source = String(input.run)
  if (input.from === undefined) throw new Fault('usage_invalid', { problem: 'Name the node or the event to branch at with --from' })
  // A named host may have the very run that was imported here.
  if (typeof input.url !== 'string' && (await runFileOf(input, source)) !== null)
    throw new Fault('usage_invalid', {
      problem: `${source} is a run file, or was imported from one: it can be looked at and walked again ("onbook replay ${source} --level 3"), and not gone on with. Branch it where it was recorded`,
    })
  const host = await hostFor(input)
  checkForHost(host, input, FOR_WORK_HERE)
  if (host === null) await checkGiven(input)
  // A branch keeps the model of its source: a script alone does not select the scripted provider.
  const overlay = await overlayFrom(input)
  return withRuns(
    input,
    async open => {
      const fromSeq = await sequenceOf(open, source, String(input.from))
      await checkModels(open, input, source, overlay)
      const { runId: forkId } = await open.book.runs.fork(source, { mode: 'branch', fromSeq, runOptionsOverlay: overlay as JsonObject })
      const code = await tellRun(open, forkId, -1, input)
      if (overlay.configurable !== undefined && !input.json) process.stderr.write(`${visible(await reachText(open, forkId))}\n`)
      return code
    },
    { judges: true },
  )
}

/** A branch asks the models of its source, unless another is named. Without a host this process asks them. */
async function checkModels({ local }: RunBook, input: Input, source: string, { model }: ForkOverlay): Promise<void> {
  if (local === null) return
  const providers = model === undefined ? await local.providers(source) : new Set([model.provider])
  checkUsed(input, providers)
  await checkProviders(input, providers)
}

/** The sequence of an event, given as a number or as the start of a node: `writer`, `writer.2` for its second visit. */
async function sequenceOf(open: RunBook, runId: string, from: string): Promise<number> {
  if (/^\d+$/.test(from)) return numberOption(from, '--from', 0, { least: 0, most: Number.MAX_SAFE_INTEGER })
  const [, nodeId = from, visit = '1'] = /^(.+)\.(\d+)$/.exec(from) ?? []
  const { visits } = (await readRun(open, runId)).reading
  const begun = visits.find(one => one.nodeId === nodeId && one.visit === Number(visit) && one.outcome?.status !== 'skipped')
  if (begun !== undefined) return begun.sequence
  throw new Fault('usage_invalid', { problem: `--from ${from}: no node of run ${runId} was started so; "onbook show ${runId}" lists them` })
}

/** An override applies to the whole run: the message names all nodes that it reached. */
async function reachText(open: RunBook, forkId: string): Promise<string> {
  const { state, reading } = await readRun(open, forkId)
  const reach = reading.steps.filter(
    ({ sequence, prompt }) => sequence >= (state.forkOf?.copied ?? 0) && prompt.templates.some(({ layer }) => layer === 'run-configurable'),
  )
  const nodes = new Set(reach.map(({ nodeId }) => nodeId))
  const reached = nodes.size === 0 ? 'no node so far' : [...nodes].join(', ')
  return `--prompt-override holds for every node from the fork on. It reached: ${reached}`
}

async function overlayFrom(input: Input): Promise<ForkOverlay> {
  const { configurable, inputs, mode, override } = await runFrom('', input)
  const { provider, model } = input
  return {
    ...(configurable === undefined ? {} : { configurable: configurable as JsonObject }),
    ...(input.input === undefined ? {} : { inputs: inputs as JsonObject }),
    ...(mode === undefined ? {} : { mode }),
    ...(override === undefined ? {} : { override }),
    ...(typeof provider === 'string' && typeof model === 'string' ? { model: { provider, model } } : {}),
  }
}
