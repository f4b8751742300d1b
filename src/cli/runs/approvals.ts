// onbook approvals: what waits for a person to decide, and the decision.
import type { Json } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { readText } from '../record/open-record.ts'
import { columns } from '../report/columns.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { type ListedApproval, type RunDesk, withRunDesk } from './desk.ts'
import { readRun } from './standing.ts'
import { tellRun } from './tell.ts'

export const list = (input: Input): Promise<number> =>
  withRunDesk(input, async desk => {
    const approvals = await desk.approvals()
    if (input.json) printJson({ approvals })
    else if (approvals.length === 0) process.stdout.write('Nothing waits for a person.\n')
    else process.stdout.write(columns([['approval', 'where', 'node', 'wants', 'because'], ...approvals.map(rowOf)]))
    return 0
  })

const rowOf = ({ approval, runId, nodeId, session, wants }: ListedApproval): readonly string[] => [
  approval,
  runId ?? `session ${session}`,
  nodeId ?? '',
  wants.kind === 'mode' ? `mode ${wants.mode}` : `${wants.tool} ${JSON.stringify(wants.arguments)}`,
  wants.reason,
]

export const approve = (input: Input): Promise<number> => resolved(input, 'approved')
export const deny = (input: Input): Promise<number> => resolved(input, 'denied')

/** At rest, whoever answers goes on with the run. */
const resolved = (input: Input, decision: 'approved' | 'denied'): Promise<number> =>
  withRunDesk(
    input,
    async desk => {
      const approval = String(input.approval)
      const open = (await desk.approvals()).find(one => one.approval === approval)
      if (open === undefined) throw new Fault('approval_missing', { problem: `Nobody waits for approval ${approval}` })
      const after = open.runId === null ? -1 : (await readRun(desk, open.runId)).events.length - 1
      const note = typeof input.note === 'string' ? input.note : null
      await desk.resolve(approval, { decision, note, arguments: await changedArguments(input) })
      if (!desk.lasts && open.runId !== null) return tellRun(desk, open.runId, after, input)
      return told(desk, open, decision, input)
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

async function told(desk: RunDesk, { approval, runId, session }: ListedApproval, decision: string, { json }: Input): Promise<number> {
  if (session !== null && runId === null) await desk.settledSession(session)
  if (json) printJson({ approval, decision, runId, session })
  else process.stdout.write(`${visible(approval)} is ${decision}.\n`)
  return 0
}
