// Folder: Commands about runs and approvals.
// onbook run: runs a workflow until it ends, or waits for a person.
import type { RunWarning } from '../../core/run/warning.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { hostFor, type WhichHost } from '../host/which-host.ts'
import { visible } from '../report/visible.ts'
import { list } from '../run-list/list.ts'
import { checkGiven } from '../sessions/ready.ts'
import { printJson } from '../terminal.ts'
import { isFileName, publishFile } from './publish-file.ts'
import { runFrom } from './run-options.ts'
import { tellRun } from './tell.ts'
import { placeAgain } from './typed-again.ts'
import { type RunBook, withRuns } from './watched-runs.ts'

/** Options that only apply where this process does the work: a host has its own. */
const FOR_WORK_HERE = ['script', 'recordings', 'policy', 'provider', 'model', 'repo', 'config'] as const

/** Options that `run list` has too. */
const OF_A_LIST = ['data', 'tenant', 'url', 'key', 'hostTimeout', 'json', 'workflow']

/** `onbook run` alone lists runs, as every group without a verb does. */
export async function runOrList(input: Input): Promise<number> {
  if (input.workflow !== undefined) return run(input)
  const option = Object.keys(input).find(name => input[name] !== undefined && !OF_A_LIST.includes(name))
  if (option !== undefined)
    throw new Fault('usage_invalid', { problem: 'Name the workflow to run, as a file or by its id: onbook run <workflow>' })
  return list(input)
}

export async function run(input: Input): Promise<number> {
  const workflow = String(input.workflow)
  const host = await hostFor(input)
  if (host === null && input.detach)
    throw new Fault('usage_invalid', {
      problem: 'No host runs on this folder to continue the run: leave out --detach, or start a host with "onbook host serve"',
    })
  checkForHost(host, input, FOR_WORK_HERE)
  const given = await runFrom(workflow, input)
  // Checked before anything is published.
  if (host === null) await checkGiven(input)
  const workflowId = isFileName(workflow) ? await published(workflow, input) : workflow
  return withRuns(
    withModel(input),
    async open => {
      const { runId } = await open.book.runs.create({ ...given, workflowId })
      const warnings = await warningsOf(open, runId)
      if (!input.json) for (const { message } of warnings) process.stderr.write(`${visible(`warning: ${message}`)}\n`)
      if (!input.detach) return tellRun(open, runId, -1, input, warnings)
      if (input.json) printJson({ runId, status: 'running', warnings })
      else process.stdout.write(`${runId} is recorded, and the host continues it: onbook show ${runId}${placeAgain(input)}\n`)
      return 0
    },
    { judges: true },
  )
}

/** Warnings of the start, printed before the wait begins. */
async function warningsOf({ events }: RunBook, runId: string): Promise<readonly RunWarning[]> {
  for await (const { type, payload } of events(runId))
    if (type === 'run.created') return (payload as unknown as { readonly warnings?: readonly RunWarning[] }).warnings ?? []
  return []
}

/** @param here options that a host gets when it starts, not from a command */
export function checkForHost(host: WhichHost | null, input: Input, here: readonly string[]): void {
  const unused = host === null ? undefined : here.find(name => input[name] !== undefined)
  if (unused !== undefined)
    throw new Fault('usage_invalid', {
      problem: `The host at ${host!.url} does the work, with what it was started with: leave --${unused} away here; if the host needs it, start it again with it`,
    })
  if ((input.provider === undefined) !== (input.model === undefined))
    throw new Fault('usage_invalid', { problem: '--provider and --model belong together' })
}

async function published(path: string, input: Input): Promise<string> {
  // This command publishes only to the folder's own record.
  if (typeof input.url === 'string')
    throw new Fault('usage_invalid', { problem: `Publish ${path} to that host first, and then name the workflow by its id` })
  const { workflowId, published: fresh, unchanged } = await publishFile(path, input)
  if (!input.json) {
    for (const name of fresh) process.stderr.write(`published ${visible(name)}\n`)
    process.stderr.write(`Published ${fresh.length}, ${unchanged} there already; running ${workflowId}.\n`)
  }
  return workflowId
}

/** A script or recordings select their provider, unless --provider is given. */
function withModel(input: Input): Input {
  if (input.provider !== undefined) return input
  if (input.script !== undefined) return { ...input, provider: 'scripted', model: 'scripted' }
  return input.recordings === undefined ? input : { ...input, provider: 'recorded', model: 'recorded' }
}
