// onbook run prefix: shows how much of a node's requests stays the same from step to step, what breaks the prefix, and the cost.
import { prefixOfRun } from '../../engine/prefix/prefix.ts'
import type { Input } from '../commands.ts'
import { printJson, useColor } from '../terminal.ts'
import { openQuestioned } from './open.ts'
import { prefixPage } from './prefix-page.ts'

export async function prefix(input: Input): Promise<number> {
  const { store, tenant, runId, close } = await openQuestioned(input, String(input.run))
  try {
    const answers = await prefixOfRun(store, tenant, runId, { nodeId: input.node === undefined ? undefined : String(input.node) })
    if (input.json) printJson(answers)
    else if (answers.length === 0) process.stdout.write('No node has received a prompt yet.\n')
    else process.stdout.write(prefixPage(answers, useColor(process.stdout)))
    return 0
  } finally {
    await close()
  }
}
