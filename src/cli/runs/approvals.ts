// onbook approval: lists, shows, approves and denies requests of agents.

import { readText } from '../../book/record-folder.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { Fault } from '../../errors.ts'
import type { AskedApproval } from '../../wire/onbook/runs.ts'
import type { Input } from '../commands.ts'
import { firstRows } from '../report/page.ts'
import { clip, visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { readRun } from './status.ts'
import { tellRun } from './tell.ts'
import { type RunBook, withRuns } from './watched-runs.ts'

export const list = (input: Input): Promise<number> =>
  withRuns(input, async ({ book }) => {
    const found = [...(await openApprovals(book))].sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1))
    const approvals = firstRows(found, input)
    if (input.json) printJson({ approvals: approvals.map(withExpiry) })
    else if (approvals.length === 0) process.stdout.write('Nothing waits for a person.\n')
    else process.stdout.write(approvals.map(approvalText).join('\n'))
    return 0
  })

/** `--json` has the complete arguments. */
const WIDEST = 118

async function openApprovals({ approvals }: RunBook['book']): Promise<readonly AskedApproval[]> {
  const open: AskedApproval[] = []
  for await (const one of approvals.list()) open.push(one)
  return open
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const withExpiry = (one: AskedApproval) =>
  one.wants.kind === 'tool' ? { ...one, wants: { ...one.wants, expires: timeOf(one.wants.expiresAt) } } : one

export function approvalText({ approval, askedAt, runId, nodeId, session, wants }: AskedApproval): string {
  const wanted = wants.kind === 'mode' ? `mode ${wants.mode}` : `${wants.tool} ${JSON.stringify(wants.arguments)}`
  const until = wants.kind === 'mode' ? null : timeOf(wants.expiresAt)
  const by = wants.kind === 'mode' ? null : wants.by
  const lines = [
    approval,
    `  of       ${runId}, node ${nodeId}${session === null ? '' : ` in session ${session}`}`,
    `  wants    ${wanted}`,
    `  because  ${wants.reason}`,
    `  asked    ${askedAt}${until === null ? '' : `, until ${until}`}`,
    `  for      ${by === null ? 'every key that may answer approvals' : by.join(', ')}`,
  ]
  return lines.map(line => `${clip(visible(line), WIDEST)}\n`).join('')
}

export const approve = (input: Input): Promise<number> => resolved(input, 'approved')
export const deny = (input: Input): Promise<number> => resolved(input, 'denied')

/** Without a host, this process continues the run with the answer. */
const resolved = (input: Input, decision: 'approved' | 'denied'): Promise<number> =>
  withRuns(
    input,
    async open => {
      const approval = String(input.approval)
      const wanted = (await openApprovals(open.book)).find(one => one.approval === approval)
      const { runId = null } = wanted ?? {}
      const after = runId === null ? -1 : (await readRun(open, runId)).reading.last.sequence
      const note = typeof input.message === 'string' ? input.message : null
      // A closed approval is refused by the book, with its outcome.
      const changed = await changedArguments(input)
      await open.book.approvals.resolve(approval, {
        decision,
        ...(note === null ? {} : { note }),
        ...(changed === null ? {} : { arguments: changed as JsonObject }),
      })
      if (open.local !== null && runId !== null) return tellRun(open, runId, after, input)
      return told({ approval, runId, session: wanted?.session ?? null }, decision, input)
    },
    { judges: true },
  )

async function changedArguments({ arguments: given }: Input): Promise<Json> {
  if (typeof given !== 'string') return null
  const text = given.startsWith('@') ? await readText(given.slice(1)) : given
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new Fault('usage_invalid', { problem: `--arguments is not JSON: ${(error as Error).message}` })
  }
}

interface Told {
  readonly approval: string
  readonly runId: string | null
  readonly session: string | null
}

function told({ approval, runId, session }: Told, decision: string, { json }: Input): number {
  if (json) printJson({ approval, decision, runId, session })
  else process.stdout.write(`${visible(approval)} is ${decision}.\n`)
  return 0
}
