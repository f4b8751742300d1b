// onbook approvals: what runs wait for a person to decide.
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { printJson } from '../terminal.ts'
import { withRunDesk } from './desk.ts'

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

const resolved = (input: Input, decision: 'approved' | 'denied'): Promise<number> =>
  withRunDesk(input, async desk => {
    const approval = String(input.approval)
    const open = (await desk.approvals()).find(one => one.approval === approval)
    await desk.resolve(approval, decision, typeof input.note === 'string' ? input.note : null)
    const runId = open?.runId ?? null
    if (input.json) printJson({ approval, decision, runId })
    else process.stdout.write(`${approval} is ${decision}.${desk.lasts || runId === null ? '' : ` Go on: onbook runs resume ${runId}`}\n`)
    return 0
  })
