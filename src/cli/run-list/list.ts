// Folder: The command that lists runs.
// onbook run list: lists the newest runs, with their agents, prompt versions and decisions. Reads no more runs than it shows.
import { existsSync } from 'node:fs'
import { databaseOf } from '../../book/record-folder.ts'
import type { RunFilter } from '../../client/index.ts'
import { Fault } from '../../errors.ts'
import { RUN_STATUSES } from '../../wire/openwop/run-status.ts'
import type { Input } from '../commands.ts'
import { type ImportedRun, importedRuns } from '../questions/imported-runs.ts'
import { columns } from '../report/columns.ts'
import { limitOf } from '../report/page.ts'
import { type ListedRun, runsIn, withRuns } from '../runs/watched-runs.ts'
import { choiceOption, printJson } from '../terminal.ts'
import { instantOf, timeAgo } from './relative-time.ts'

type Listed = ListedRun | ImportedRun

/** The greatest page size of a host. */
const PAGE = 1_000

export async function list(input: Input): Promise<number> {
  if (input.status !== undefined) choiceOption(input.status, '--status', RUN_STATUSES)
  const query = queryOf(input)
  // Imported runs lie in the folder; a host does not have them.
  const imported = (typeof input.url === 'string' ? [] : await importedRuns(input)).filter(run => run.createdAt >= (query.since ?? ''))
  if (imported.length > 0 && !existsSync(databaseOf(input))) return print(imported, input)
  return withRuns(input, async ({ book }) => {
    const runs: Listed[] = [...imported]
    let found = 0
    for await (const run of runsIn(book, query)) {
      if (!isMeant(run, input)) continue
      runs.push(run)
      // One run more than is shown proves that there are more.
      if (++found > limitOf(input)) break
    }
    return print(runs, input)
  })
}

/** Details require reading the whole run, so a list of all runs goes without them. */
function queryOf(input: Input): RunFilter {
  const limit = limitOf(input)
  const page = input.status === undefined && input.grep === undefined ? Math.min(limit + 1, PAGE) : undefined
  const since = input.since === undefined ? null : instantOf(String(input.since))
  if (since === null && input.since !== undefined)
    throw new Fault('usage_invalid', {
      problem: `--since must be a date such as 2027-01-31 or a time such as 2h, not "${String(input.since)}"`,
    })
  return {
    order: 'newest',
    details: limit !== Infinity,
    ...(since === null ? {} : { since }),
    ...(typeof input.workflow === 'string' ? { workflowId: input.workflow } : {}),
    ...(page === undefined ? {} : { limit: page }),
  }
}

const isMeant = (run: Listed, { status, workflow, grep }: Input): boolean =>
  (status === undefined || run.status === status) &&
  (workflow === undefined || run.workflowId === workflow) &&
  (typeof grep !== 'string' ||
    [run.runId, ...(run.agents ?? []), ...(run.prompts ?? []), ...cellsOf(run)].join(' ').toLowerCase().includes(grep.toLowerCase()))

function print(all: readonly Listed[], input: Input): number {
  const limit = limitOf(input)
  const found = all.filter(run => isMeant(run, input)).sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1))
  const runs = found.slice(0, limit)
  if (input.json) printJson({ runs })
  else if (runs.length === 0) process.stdout.write('No such runs. Start one: onbook run <workflow>\n')
  else process.stdout.write(table(runs))
  if (found.length > limit && !input.json)
    process.stderr.write(`There are more runs. Show them: --limit ${limit * 2}, or all of them with --json\n`)
  return 0
}

const HEADS = ['run', 'workflow', 'status', 'agent', 'prompt', 'decision', 'started', 'fork']

/** Columns that are empty for every run are left out. */
function table(runs: readonly Listed[]): string {
  const ids = shortIds(runs.map(({ runId }) => runId))
  const rows = runs.map((run, index) => [ids[index]!, ...cellsOf(run)])
  const used = HEADS.map((_, column) => column < 3 || rows.some(row => row[column] !== ''))
  return columns([HEADS, ...rows].map(row => row.filter((_, column) => used[column])))
}

const cellsOf = (run: Listed): readonly string[] => [
  run.workflowId,
  `${run.status}${'imported' in run ? ', imported' : ''}`,
  firstOf(run.agents?.map(agent => agent.replace(/^.*\./, ''))),
  firstOf(run.prompts),
  decisionText(run),
  timeAgo(run.createdAt),
  run.forkOf === undefined ? '' : `${run.forkOf.mode} of ${run.forkOf.runId}`,
]

/** `writer +2`: `onbook show` lists the others. */
const firstOf = ([first = '', ...others]: readonly string[] = []): string => (others.length === 0 ? first : `${first} +${others.length}`)

const decisionText = ({ decisions = { allowed: 0, denied: 0, waiting: 0 } }: Listed): string =>
  Object.entries(decisions)
    .filter(([, count]) => count > 0)
    .map(([decision, count]) => `${count} ${decision}`)
    .join(' ')

/** `run_` and the nine letters of the time of creation. */
const SHORT = 13

/** The start of each id, as short as it can be and still unique. Every command accepts it. */
function shortIds(ids: readonly string[]): readonly string[] {
  for (let length = SHORT; ; length++) {
    const short = ids.map(id => id.slice(0, length))
    if (new Set(short).size === new Set(ids).size) return short
  }
}
