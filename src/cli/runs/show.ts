// onbook runs, onbook show: which runs there are, what happened in one, and what exactly an agent was told.
import { existsSync } from 'node:fs'
import { databaseOf } from '../../book/record-folder.ts'
import { ClientError } from '../../client/index.ts'
import { runStream } from '../../core/run/events.ts'
import { isEnded } from '../../core/run/state.ts'
import { answerFor } from '../../engine/reading/malformed.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import { RUN_STATUSES } from '../../wire/openwop/run-status.ts'
import type { Input } from '../commands.ts'
import { type ImportedRun, importedRuns } from '../questions/imported-runs.ts'
import { openQuestioned, runFileOf } from '../questions/open.ts'
import { columns } from '../report/columns.ts'
import { newestRows } from '../report/page.ts'
import { numberOption, printJson, useColor } from '../terminal.ts'
import { type Bodies, bodiesOf } from './bodies.ts'
import { diffPage, diffsOf, unappliable } from './changes-page.ts'
import { type ReadRun, readRun } from './status.ts'
import { promptPage, promptText } from './step-page.ts'
import { shownStep, storyOf, type ToldStep } from './story.ts'
import { storyPage } from './story-page.ts'
import { type ListedRun, type RecordedRuns, type RunBook, type ShownEvent, withRuns } from './watched-runs.ts'

export async function list(input: Input): Promise<number> {
  if (input.status !== undefined && !RUN_STATUSES.some(one => one === input.status))
    throw new Fault('usage_invalid', { problem: `--status is one of ${RUN_STATUSES.join(', ')}` })
  // They lie in the folder, and are no host's.
  const imported = typeof input.url === 'string' ? [] : await importedRuns(input)
  if (imported.length > 0 && !existsSync(databaseOf(input))) return listed(imported, input)
  return withRuns(input, async ({ book }) => {
    const runs: ListedRun[] = [...imported]
    for await (const run of runsIn(book)) runs.push(run)
    return listed(runs, input)
  })
}

/** The list of a host has phases. The snapshot of a run says what it waits for. */
export async function* runsIn({ runs }: RunBook['book']): AsyncIterable<ListedRun> {
  for await (const run of runs.list()) yield run.status === 'running' ? { ...run, status: (await runs.get(run.runId)).status } : run
}

function listed(all: readonly (ListedRun | ImportedRun)[], input: Input): number {
  const found = all.filter(run => isMeant(run, input)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const runs = newestRows(found, input)
  if (input.json) printJson({ runs })
  else if (runs.length === 0) process.stdout.write('No such runs. Start one: onbook run WORKFLOW\n')
  else {
    const fork = runs.some(({ forkOf }) => forkOf !== undefined) ? ['fork'] : []
    process.stdout.write(columns([['run', 'workflow', 'status', 'started', 'last changed', ...fork], ...runs.map(rowOf)]))
  }
  return 0
}

const rowOf = (run: ListedRun | ImportedRun): readonly string[] => [
  run.runId,
  run.workflowId,
  `${run.status}${'imported' in run ? ', imported' : ''}`,
  run.createdAt,
  run.changedAt,
  ...(run.forkOf === undefined ? [] : [`${run.forkOf.mode} of ${run.forkOf.runId}`]),
]

const isMeant = (run: ListedRun, { status, workflow }: Input): boolean =>
  (status === undefined || run.status === status) && (workflow === undefined || run.workflowId === workflow)

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
