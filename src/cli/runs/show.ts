// onbook show: the events of a run, and the exact prompt that an agent was sent.
import { ClientError } from '../../client/index.ts'
import { runStream } from '../../core/run/events.ts'
import { isEnded } from '../../core/run/state.ts'
import { answerFor } from '../../engine/reading/malformed.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { openQuestioned, runFileOf } from '../questions/open.ts'
import { numberOption, printJson, useColor } from '../terminal.ts'
import { type Bodies, bodiesOf } from './bodies.ts'
import { diffPage, diffsOf, unappliable } from './changes-page.ts'
import { type ReadRun, readRun } from './status.ts'
import { promptPage, promptText } from './step-page.ts'
import { shownStep, storyOf, type ToldStep } from './story.ts'
import { storyPage } from './story-page.ts'
import { type RecordedRuns, type RunBook, type ShownEvent, withRuns } from './watched-runs.ts'

interface ShownRuns extends RecordedRuns {
  /** The provider that the host waits for; null for none. */
  waiting(runId: string): Promise<ProviderWait | null>
}

export async function show(input: Input): Promise<number> {
  const look = (runs: ShownRuns) => answerFor(String(input.run), () => showFrom(runs, input))
  if ((await runFileOf(input, String(input.run))) === null)
    return withRuns(input, open => look({ ...open, waiting: runId => waitingFor(open, runId) }))
  const { store, tenant, runId, close } = await openQuestioned(input, String(input.run))
  try {
    return await look({
      events: () => recorded(store, tenant, runId),
      object: digest => store.object(tenant, digest),
      waiting: async () => null,
    })
  } finally {
    await close()
  }
}

/** A key that reads the record and no runs still sees the story. */
const waitingFor = ({ book }: RunBook, runId: string): Promise<ProviderWait | null> =>
  book.runs.get(runId).then(
    ({ waiting = null }) => waiting,
    error => {
      if (error instanceof ClientError && error.code === 'forbidden') return null
      throw error
    },
  )

async function* recorded(store: Store, tenant: string, runId: string): AsyncIterable<ShownEvent> {
  for await (const { event } of store.read(tenant, runStream(runId), -1)) yield event as unknown as ShownEvent
}

async function showFrom(runs: ShownRuns, input: Input): Promise<number> {
  if (input.node === undefined && (input.step !== undefined || input.visit !== undefined || input.diff === true))
    throw new Fault('usage_invalid', { problem: '--step, --visit and --diff belong to a node: name it with --node' })
  const run = await readRun(runs, String(input.run))
  const bodies = bodiesOf(runs)
  if (input.node !== undefined) {
    const step = stepOf(run, input)
    if (input.diff === true) return showDiffs(step, bodies, input)
    const page = await promptPage(step, bodies)
    if (input.json) printJson(page)
    else process.stdout.write(promptText(page, useColor(process.stdout)))
    return 0
  }
  const story = await storyOf(run, bodies, isEnded(run.state) ? null : await runs.waiting(run.state.runId))
  if (input.json) printJson(story)
  else process.stdout.write(storyPage(story, useColor(process.stdout), input))
  return 0
}

/** A terminal is shown nothing that it would act on; whoever else reads it gets the bytes as they are, for git to apply. */
async function showDiffs({ nodeId, visit, step, changes }: ToldStep, bodies: Bodies, { json }: Input): Promise<number> {
  const diffs = await diffsOf(changes, bodies)
  const missing = diffs.indexOf(null)
  if (json) {
    const text = (diff: Uint8Array | null) => (diff === null ? null : new TextDecoder().decode(diff))
    printJson({ nodeId, visit, step, changes: changes.map((change, index) => ({ ...change, text: text(diffs[index]!) })) })
  } else if (missing >= 0) throw new Fault('object_missing', { digest: changes[missing]!.diff })
  else {
    for (const diff of diffs) process.stdout.write(process.stdout.isTTY ? diffPage(diff!, useColor(process.stdout)) : diff!)
    process.stderr.write(unappliable(changes))
  }
  return 0
}

/** The newest, where no visit and no step is named. */
function stepOf({ state, reading }: ReadRun, { node, visit, step }: Input): ToldStep {
  const ofNode = reading.steps.filter(({ nodeId }) => nodeId === node)
  const newest = ofNode.at(-1)
  if (newest === undefined) {
    const others = [...new Set(reading.steps.map(({ nodeId }) => nodeId))].join(', ')
    const told = others === '' ? 'nor has any other' : `these have: ${others}`
    throw new Fault('node_missing', { problem: `No node ${String(node)} of run ${state.runId} has taken a step; ${told}` })
  }
  const wanted = numberOption(visit, '--visit', newest.visit, { least: 1, most: newest.visit })
  const steps = ofNode.filter(one => one.visit === wanted)
  return shownStep(steps[numberOption(step, '--step', steps.length, { least: 1, most: steps.length }) - 1]!)
}
