// Asks every question about a run of an untrusted record: each must answer, or fail with a code.
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { blamePage } from '../../cli/questions/blame-page.ts'
import { diffPage } from '../../cli/questions/diff-page.ts'
import { prefixPage } from '../../cli/questions/prefix-page.ts'
import { promptLine, replayPage } from '../../cli/questions/replay-page.ts'
import { whyPage } from '../../cli/questions/why-page.ts'
import { faultText } from '../../cli/report/visible.ts'
import { bodiesOf } from '../../cli/runs/bodies.ts'
import { readRun } from '../../cli/runs/status.ts'
import { promptPage, promptText } from '../../cli/runs/step-page.ts'
import { shownStep, storyOf } from '../../cli/runs/story.ts'
import { storyPage } from '../../cli/runs/story-page.ts'
import type { ShownEvent } from '../../cli/runs/watched-runs.ts'
import { runStream } from '../../core/run/events.ts'
import { blameRun } from '../../engine/blame/blame.ts'
import { diffRuns } from '../../engine/diff/diff-runs.ts'
import { prefixOfRun } from '../../engine/prefix/prefix.ts'
import { answerFor } from '../../engine/reading/malformed.ts'
import type { ReplayedPrompt } from '../../engine/replay/decisions.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import { exportRun } from '../../engine/run-files/export-run.ts'
import { whyRun } from '../../engine/why/why.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { picking } from '../mutations/find-mutations.ts'
import { changedRun, holdRun } from './changed-run.ts'

type Question = (store: Store, tenant: string, runId: string, before: Store) => Promise<string>

async function replayed(level: 1 | 2, store: Store, tenant: string, runId: string): Promise<string> {
  const lines: string[] = []
  const onPrompt = (prompt: ReplayedPrompt): void => void lines.push(promptLine(prompt, false))
  const page = replayPage(await replayRun(store, tenant, runId, { level, onPrompt }), false)
  return `${lines.join('\n')}${page}`
}

/** Each with what a person is shown. */
const QUESTIONS: Readonly<Record<string, Question>> = {
  'replay, level 1': (store, tenant, runId) => replayed(1, store, tenant, runId),
  'replay, level 2': (store, tenant, runId) => replayed(2, store, tenant, runId),
  why: async (store, tenant, runId) => whyPage(await whyRun(store, tenant, runId), false),
  blame: async (store, tenant, runId) => blamePage(await blameRun(store, tenant, runId), true, false),
  prefix: async (store, tenant, runId) => prefixPage(await prefixOfRun(store, tenant, runId), false),
  diff: async (store, tenant, runId, before) => {
    const found = await diffRuns({ store: before, tenant, runId }, { store, tenant, runId })
    return diffPage({ a: runId, b: runId }, found, { useColor: false, decisionsOnly: false })
  },
  export: async (store, tenant, runId) => {
    for await (const _ of exportRun(store, { tenant, runId, withPolicy: true }));
    return ''
  },
  show: (store, tenant, runId) => answerFor(runId, () => shown(store, tenant, runId)),
}

async function shown(store: Store, tenant: string, runId: string): Promise<string> {
  const recorded = { events: () => shownEvents(store, tenant, runId), object: (digest: never) => store.object(tenant, digest) }
  const run = await readRun(recorded, runId)
  const bodies = bodiesOf(recorded)
  const pages = [storyPage(await storyOf(run, bodies), false, { run: runId } as never)]
  for (const step of run.reading.steps) pages.push(promptText(await promptPage(shownStep(step), bodies), false))
  return pages.join('')
}

async function* shownEvents(store: Store, tenant: string, runId: string): AsyncIterable<ShownEvent> {
  for await (const { event } of store.read(tenant, runStream(runId), -1)) yield event as unknown as ShownEvent
}

interface Asked {
  readonly question: string
  /** The printed output, on one of the two streams of a terminal; null when it ended in neither an answer nor a Fault. */
  readonly page: string | null
  readonly crash: string
}

export async function* askAll(store: Store, tenant: string, runId: string, before: Store): AsyncIterable<Asked> {
  for (const [question, ask] of Object.entries(QUESTIONS))
    try {
      yield { question, page: await ask(store, tenant, runId, before), crash: '' }
    } catch (error) {
      if (error instanceof Fault) yield { question, page: faultText(error), crash: '' }
      else yield { question, page: null, crash: (error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? '' }
    }
}

/** Changes a run, one thing at a time, and asks everything of each. The same for the same seed. */
export async function crashesIn(path: string, count: number, seed: number): Promise<readonly string[]> {
  const { store, header } = await exportedStore(path)
  const { tenant, run: runId } = header
  const streams = header.streams.filter(one => one.tenant === tenant).map(({ stream }) => stream)
  const held = await holdRun(store, tenant, streams)
  const pick = picking(seed)
  const crashes: string[] = []
  for (let at = 0; at < count; at += 1) {
    const changed = changedRun(held, pick)
    for await (const { question, page, crash } of askAll(changed.store, tenant, runId, held.store))
      if (page === null) crashes.push(`${changed.name}\n  ${question}: ${crash}`)
  }
  await store.close()
  return crashes
}
