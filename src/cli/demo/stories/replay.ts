// Story: the first run is replayed without a model. Its events are folded, every prompt is composed again from frozen inputs, and hashes are
// compared.
import type { Replayed } from '../../../engine/replay/replay.ts'
import type { Stage } from '../stage.ts'

export async function replay({ type, say, runId }: Stage): Promise<string> {
  const { status, sent } = await type<{ readonly status: string; readonly sent: readonly unknown[] }>(['show', runId])
  say(`${status}; ${sent.length} prompts were sent`)
  say('', 'The same again from the record alone: no model, no library, no files.')
  const { identical, prompts, verdicts, events, phase } = await type<Replayed>(['replay', runId])
  say(`${events} events fold to a run that is ${phase}`, `${prompts} prompts composed and ${verdicts} calls judged again`)
  return identical
    ? `All ${prompts} prompts are byte for byte the recorded ones, although other versions may be published since.`
    : 'Not every prompt is the recorded one.'
}
