// onbook policy log: lists the changes of a record's policy.

import { withRecord } from '../../book/record-folder.ts'
import { changeLines, type PolicyChange } from '../../core/gate/policy-diff.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import { HOST_POLICY } from '../../engine/policy/record-config.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'

interface LoggedChange {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly changes: readonly PolicyChange[]
}

export const log = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const logged: LoggedChange[] = []
    for await (const { event } of store.read(HOST_TENANT, HOST_POLICY.stream, -1)) {
      const { seq, at, actor, type, payload } = event
      if (type === HOST_POLICY.type) logged.push({ seq, at, actor, changes: (payload as unknown as LoggedChange).changes })
    }
    if (input.json) printJson({ changes: logged })
    else if (logged.length === 0) process.stdout.write('No policy has decided anything here yet.\n')
    else process.stdout.write(logged.map(page).join('\n'))
    return 0
  })

const page = ({ at, actor, changes }: LoggedChange): string =>
  [`${at}  ${actor}`, ...changes.flatMap(changeLines).map(line => `  ${line}`)].map(line => `${visible(line)}\n`).join('')
