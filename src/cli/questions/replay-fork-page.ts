// What a replay of level 3 found, for a person, in the words of the other levels. Pure.
import pc from 'picocolors'
import type { ReplayedByFork } from '../../engine/fork/replay-by-fork.ts'
import { visible } from '../report/visible.ts'
import { counted } from '../workspace/format.ts'
import { outcomeLines } from './replay-page.ts'

/** Where the run was read from: a fork is kept only beside its source. */
export type ReadFrom = 'the record' | 'a run file' | 'a host'
export type ShownFork = Omit<ReplayedByFork, 'forkId'> & { readonly forkId: string | null }

export function replayForkPage(replayed: ShownFork, from: ReadFrom, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const { forkId, events, phase, prompts, verdicts, over, last } = replayed
  const lines = [
    ...(prompts === 0 ? [] : ['']),
    visible(`${events} events repeated in recorded order: the run is ${phase}`),
    `${counted(prompts, 'prompt')} composed and ${counted(verdicts, 'call')} judged; no model, tool or person was asked`,
    ...(over ? [] : [color.yellow(`The record ends with event ${last}, and its run was not over: the fork ends there.`)]),
    forkId === null ? color.dim(`The fork is not kept: its source was read from ${from}.`) : visible(`It is recorded as ${forkId}.`),
    ...outcomeLines(replayed, color),
  ]
  return `${lines.join('\n')}\n`
}
