// onbook approvals: what runs wait for a person to decide.
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { withRunDesk } from './desk.ts'
import { readRun } from './standing.ts'
import { tellRun } from './tell.ts'

export const list = (input: Input): Promise<number> =>
  withRunDesk(input, async desk => {
    const approvals = await desk.approvals()
    if (input.json) printJson({ approvals })
    else if (approvals.length === 0) process.stdout.write('Nothing waits for a person.\n')
    else
      process.stdout.write(
        columns([
          ['approval', 'run', 'node', 'wants', 'because'],
          ...approvals.map(({ approval, runId, nodeId, wants }) => [approval, runId, nodeId, `${wants.kind} ${wants.mode}`, wants.reason]),
        ]),
      )
    return 0
  })

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
      const { events } = await readRun(desk, open.runId)
      await desk.resolve(approval, decision, typeof input.note === 'string' ? input.note : null)
      if (!desk.lasts) return tellRun(desk, open.runId, events.length - 1, input)
      if (input.json) printJson({ approval, decision, runId: open.runId })
      else process.stdout.write(`${visible(approval)} is ${decision}.\n`)
      return 0
    },
    { judges: true },
  )
