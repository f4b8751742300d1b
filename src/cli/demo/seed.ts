// Prepares the newsroom for the demo: publishes it, applies its workspace, runs it once. Skips every step that is already done.
import { existsSync } from 'node:fs'
import { openProductStore } from '../../book/product-store.ts'
import { databaseOf, readText, tenantOf } from '../../book/record-folder.ts'
import { ClientError } from '../../client/index.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { openBook } from '../host/open-book.ts'
import { publishFile } from '../runs/publish-file.ts'
import { type ListedRun, type RunBook, runsIn, watchedRuns, withRuns } from '../runs/watched-runs.ts'
import { publishFolder } from '../workspace/publish-folder.ts'

export const WORKFLOW = 'newsroom/workflows/newsroom.yaml'
export const INPUT = 'newsroom/input.json'
export const SCRIPT = 'script.yaml'
/** The name of the workspace, and of the session where all three agents apply its versions. */
export const NEWSROOM = 'newsroom'
const MODEL = { provider: 'scripted', model: 'scripted' }

export interface Seeded {
  /** The first run of the newsroom. */
  readonly runId: string
  /** The number of runs before; 0 when this was the first. */
  readonly before: number
}

export async function seed(input: Input): Promise<Seeded> {
  const known = existsSync(databaseOf(input)) ? await withRecordedRuns(input, firstRun) : null
  if (known !== null) return known
  await publishFile(WORKFLOW, input)
  await publishWorkspace(input)
  await withRuns({ ...input, ...MODEL, script: SCRIPT }, adopt, { record: 'made', judges: true })
  await withRuns({ ...input, ...MODEL, script: SCRIPT }, runOnce, { judges: true })
  const done = (await withRecordedRuns(input, firstRun)) ?? unfinished()
  return { ...done, before: 0 }
}

/** Reads runs, through the host where one runs. */
export async function withRecordedRuns<T>(input: Input, look: (open: RunBook) => Promise<T>): Promise<T> {
  const open = await openBook(input)
  try {
    return await look({ ...open, ...watchedRuns(open) })
  } catch (error) {
    throw error instanceof ClientError ? new Fault('demo_failed', { problem: `its host says: ${error.message}` }, { cause: error }) : error
  } finally {
    await open.close()
  }
}

function unfinished(): never {
  throw new Fault('demo_failed', { problem: 'the newsroom was run, and is not completed' })
}

async function firstRun({ book }: RunBook): Promise<Seeded | null> {
  const runs: ListedRun[] = []
  for await (const run of runsIn(book)) runs.push(run)
  const [first] = runs
    .filter(({ workflowId, status }) => workflowId === NEWSROOM && status === 'completed')
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  return first === undefined ? null : { runId: first.runId, before: runs.length }
}

async function publishWorkspace(input: Input): Promise<void> {
  const store = openProductStore(input)
  try {
    const user = { tenant: tenantOf(input), policy: EVERYTHING }
    await publishFolder(store, user, input, { workspace: NEWSROOM, folder: NEWSROOM, message: 'the newsroom opens' })
  } finally {
    await store.close()
  }
}

async function adopt({ book: { sessions } }: RunBook): Promise<number> {
  await sessions.create({ session: NEWSROOM, config: MODEL }).catch((error: unknown) => {
    if (!(error instanceof ClientError) || error.code !== 'session_exists') throw error
  })
  const { outcome } = await sessions.sync(NEWSROOM, { workspace: NEWSROOM, version: null, prelude: 'house-style', catalog: NEWSROOM })
  if (outcome === 'ready') await sessions.apply(NEWSROOM, 'immediate_if_idle')
  return 0
}

async function runOnce({ book, settled }: RunBook): Promise<number> {
  const inputs = JSON.parse(await readText(INPUT))
  const { runId } = await book.runs.create({ workflowId: NEWSROOM, inputs })
  await settled(runId, -1)
  return 0
}
