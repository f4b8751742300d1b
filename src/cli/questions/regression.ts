// onbook replay --against: shows which recorded prompts would differ under a proposed version of a workspace. Asks no model, and writes nothing.

import { existingDatabase, tenantOf } from '../../book/record-folder.ts'
import type { Proposal } from '../../engine/regression/proposal.ts'
import { chosenRuns, type NewestRuns, newestRuns } from '../../engine/regression/recorded-runs.ts'
import type { ComparedRun, Regression } from '../../engine/regression/regression.ts'
import { regressionOf } from '../../engine/regression/regression.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostAnswer } from '../host/host-pages.ts'
import { hostFor } from '../host/which-host.ts'
import { withRuns } from '../runs/watched-runs.ts'
import { numberOption, printJson, useColor } from '../terminal.ts'
import { choiceOf } from '../workspace/open-workspaces.ts'
import { refusal } from './exported-by.ts'
import { openQuestioned } from './open.ts'
import { isFolder, openProposal } from './open-proposal.ts'
import { type AskedAgainst, regressionPage } from './regression-page.ts'

interface Asked {
  /** Null when only labels move. */
  readonly against: string | null
  readonly runs: readonly string[]
  readonly workflowId?: string | undefined
  readonly since?: string | undefined
  readonly limit?: number | undefined
}

/** `replays`: left out, because they repeat the prompts of other runs. */
type Left = Pick<NewestRuns, 'older'> & { readonly replays: number }
type Answered = Regression & Left

/** A host compares no more runs in one request. */
const MOST_OF_HOST = 1_000

/** Exits with 1 when anything would change, or when a run cannot be compared. */
export async function regression(input: Input): Promise<number> {
  const asked = askedOf(input)
  const found = asksHost(input, asked) ? await answerOfHost(input, asked) : await answerHere(input, asked)
  const { against, ...rest } = found
  const folder = asked.against !== null && isFolder(asked.against) ? asked.against : null
  if (found.runs + found.unsound + found.older === 0) throw usage(nothingCompared(asked))
  if (folder !== null && input.workspace === undefined) checkGuessed(folder, found)
  const { version: _, ...named } = against
  const moved = [...listOf(input.label), ...listOf(input.activate)]
  const place = asked.against === null ? { root: against.root } : folder === null ? against : { ...named, folder }
  const shown: AskedAgainst = { against: { ...place, ...(moved.length === 0 ? {} : { moved }) }, ...rest }
  if (input.json) printJson(shown)
  else process.stdout.write(regressionPage(shown, useColor(process.stdout)))
  return found.unchanged === found.prompts && found.unsound === 0 ? 0 : 1
}

/** An empty comparison is an error: it would read as if nothing changed. */
const nothingCompared = ({ workflowId, since }: Asked): string =>
  workflowId === undefined && since === undefined
    ? 'there is no recorded run to compare: --against needs runs'
    : `there is no recorded run${workflowId === undefined ? '' : ` of workflow ${workflowId}`}${since === undefined ? '' : ` since ${since}`} to compare`

/** The workspace name is guessed from the folder. When no run uses that workspace, nothing would be compared, so this refuses. */
function checkGuessed(folder: string, { against: { workspace }, workspaces }: Answered): void {
  if (workspaces.length > 0 && !workspaces.includes(workspace))
    throw usage(
      `these runs have snapshots of ${workspaces.join(', ')}, and none of ${workspace}, which ${folder} is called: name its workspace with --workspace`,
    )
}

/** An option that may be given several times. */
const listOf = (given: unknown): readonly string[] => (given as readonly string[] | undefined) ?? []

const usage = (problem: string): Fault<'usage_invalid'> => new Fault('usage_invalid', { problem })

function askedOf(input: Input): Asked {
  const { against, all, workflow, since, limit, level } = input
  const runs = (input.runs as readonly string[] | undefined) ?? []
  const moves = [...listOf(input.label), ...listOf(input.activate)]
  if (against === undefined && moves.length === 0)
    throw usage('--all belongs to --against, --label or --activate: name what all runs are held against')
  if (against === undefined && typeof input.url === 'string')
    throw usage('--label and --activate alone look at the record here: with --url, name a workspace of the host with --against')
  if (runs.length > 0 === (all === true)) throw usage('name runs or run files, or all of them with --all')
  if (level !== undefined) throw usage('--level belongs to a replay of one run')
  if (runs.length > 0 && [workflow, since, limit].some(one => one !== undefined))
    throw usage('--workflow, --since and --limit choose among all runs: they belong to --all')
  if (runs.length > 0 && typeof input.url === 'string' && against !== undefined && !isFolder(String(against)))
    throw usage('a version that is published on a host is held against all of its runs: say --all, or name a folder that lies here')
  if (since !== undefined && Number.isNaN(Date.parse(String(since))))
    throw usage(`--since must be a date or a time: 2026-03-02, not "${String(since)}"`)
  return {
    against: against === undefined ? null : String(against),
    runs,
    ...(workflow === undefined ? {} : { workflowId: String(workflow) }),
    ...(since === undefined ? {} : { since: new Date(String(since)).toISOString() }),
    ...(limit === undefined ? {} : { limit: numberOption(limit, '--limit', 1, { least: 1, most: 1_000_000 }) }),
  }
}

/** The host compares published versions with its own record. A local folder is compared here, with run files of the host. */
const asksHost = ({ url, all }: Input, { against }: Asked): boolean =>
  typeof url === 'string' && all === true && against !== null && !isFolder(against)

async function answerOfHost(input: Input, { against, workflowId, since, limit = MOST_OF_HOST }: Asked): Promise<Answered> {
  const host = (await hostFor(input))!
  const { workspace, version } = choiceOf(against!)
  const [labels, activate] = [input.label, input.activate].map(given => (given === undefined ? undefined : listOf(given).join(',')))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ version, workflowId, since, limit, labels, activate }))
    if (value !== undefined) query.set(name, String(value))
  const answer = await hostAnswer(host, `/v1/workspaces/${encodeURIComponent(workspace)}/regression?${query}`, { long: true })
  if (!answer.ok) throw await refusal(host, answer)
  return (await answer.json()) as Answered
}

async function answerHere(input: Input, asked: Asked): Promise<Answered> {
  const isHere = asked.runs.length === 0 && typeof input.url !== 'string'
  // Without a record nothing would be compared.
  if (isHere) existingDatabase(input)
  const { proposal, record, close } = await openProposal(input, asked.against)
  try {
    if (isHere) return await answerOfRecord(proposal, record!, tenantOf(input), asked)
    const { runIds, ...left } = asked.runs.length > 0 ? { runIds: asked.runs, older: 0, replays: 0 } : await runsOfHost(input, asked)
    return { ...(await regressionOf(proposal, opened(input, runIds))), ...left }
  } finally {
    await close()
  }
}

async function answerOfRecord(proposal: Proposal, store: Store, tenant: string, asked: Asked): Promise<Answered> {
  let replays = 0
  const chosen = chosenRuns(store, tenant, asked, () => {
    replays += 1
  })
  const newest = asked.limit === undefined ? null : await newestRuns(chosen, asked.limit)
  const runs = async function* (): AsyncIterable<ComparedRun> {
    for await (const runId of newest?.runIds ?? idsOf(chosen)) yield { store, tenant, runId }
  }
  const found = await regressionOf(proposal, runs())
  return { ...found, older: newest?.older ?? 0, replays }
}

async function* idsOf(runs: ReturnType<typeof chosenRuns>): AsyncIterable<string> {
  for await (const { runId } of runs) yield runId
}

async function* opened(input: Input, refs: readonly string[]): AsyncIterable<ComparedRun> {
  for (const ref of refs) yield await openQuestioned(input, ref)
}

async function runsOfHost(input: Input, { workflowId, since = '', limit }: Asked): Promise<NewestRuns & Left> {
  let replays = 0
  const found: (readonly [createdAt: string, runId: string])[] = []
  await withRuns(input, async ({ book }) => {
    for await (const { runId, createdAt, ...run } of book.runs.list())
      if ((workflowId === undefined || run.workflowId === workflowId) && createdAt >= since) {
        if (run.forkOf?.mode === 'replay') replays += 1
        else found.push([createdAt, runId])
      }
    return 0
  })
  const runIds = found.sort().map(([, runId]) => runId)
  const newest = limit === undefined ? runIds : runIds.slice(-limit)
  return { runIds: newest, older: runIds.length - newest.length, replays }
}
