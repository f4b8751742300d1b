// The first run once more, without a model: its events folded, every prompt composed again from what the run froze, hashes compared.
import { recomputePrompts } from '../../../engine/runs/recompute.ts'
import { openProductStore } from '../../host/product-store.ts'
import { tenantOf } from '../../record/open-record.ts'
import { shortHash } from '../../runs/words.ts'
import type { Stage } from '../stage.ts'

export async function replay({ type, say, input, runId, color }: Stage): Promise<string> {
  const { status, sent } = await type<{ readonly status: string; readonly sent: readonly unknown[] }>(['show', runId])
  say(`${status}; ${sent.length} prompts were sent`)
  say('', 'The same again from the record alone: no model, no library, no files.')
  const store = openProductStore(input)
  const { events, prompts, identical, state } = await recomputePrompts(store, tenantOf(input), runId).finally(() => store.close())
  for (const { nodeId, visit, step, recorded, found, block } of prompts) {
    const mark = recorded === found ? color.green('=') : color.red('≠')
    const other = recorded === found ? shortHash(recorded) : `${found === null ? 'nothing' : shortHash(found)}, first in block ${block}`
    say(`${nodeId.padEnd(6)}  visit ${visit}, step ${step}  ${shortHash(recorded)} ${mark} ${other}`)
  }
  say(`${events} events fold to a run that is ${state.phase}`, color.dim('(a command of its own, onbook replay, is to come)'))
  return identical
    ? `Every composed prompt came out byte for byte as it is on record, all ${prompts.length}, whatever was published since.`
    : 'Not every composed prompt came out as it is on record.'
}
