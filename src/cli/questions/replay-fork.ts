// onbook replay --level 3: replays a run as a fork. On the folder's record the fork is kept; for a run file or a host it is discarded.

import { randomBytes } from 'node:crypto'
import pc from 'picocolors'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, clock, existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { runStream } from '../../core/run/events.ts'
import { runIdOf } from '../../core/run/run-id.ts'
import { type ReplayedByFork, replayByFork } from '../../engine/fork/replay-by-fork.ts'
import type { ReplayedPrompt } from '../../engine/replay/decisions.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { runNotFound } from '../runs/watched-runs.ts'
import { printJson, useColor } from '../terminal.ts'
import { counted } from '../workspace/format.ts'
import { openQuestioned, type Questioned, runFileOf } from './open.ts'
import { presentDefaults } from './replay.ts'
import { outcomeLines, promptLine } from './replay-page.ts'

export async function replayFork(input: Input, ref: string): Promise<number> {
  const { store, tenant, runId, close, from } = await openForked(input, ref)
  const kept = from === 'the record'
  const to: Store = kept ? store : memoryStore(clock)
  try {
    const colored = useColor(process.stdout)
    const onPrompt = (prompt: ReplayedPrompt): void => void process.stdout.write(`${promptLine(prompt, colored)}\n`)
    const replayed = await replayByFork({
      from: store,
      to,
      tenant,
      runId,
      forkId: runIdOf(Date.now(), randomBytes(20)),
      actor: actorOf(),
      hostDefaults: await presentDefaults(input, store),
      ...(input.json ? {} : { onPrompt }),
    })
    const told = { ...replayed, forkId: kept ? replayed.forkId : null }
    if (input.json) printJson(told)
    else process.stdout.write(replayForkPage(told, from, colored))
    return replayed.identical ? 0 : 1
  } finally {
    await close()
  }
}

/** A run file and a remote run are read-only; the folder's record can take one more run. */
async function openForked(input: Input, ref: string): Promise<Questioned & { readonly from: ReadFrom }> {
  if ((await runFileOf(input, ref)) !== null) return { ...(await openQuestioned(input, ref)), from: 'a run file' }
  if (typeof input.url === 'string') return { ...(await openQuestioned(input, ref)), from: 'a host' }
  existingDatabase(input)
  const store = openProductStore(input)
  const tenant = tenantOf(input)
  if ((await store.head(tenant, runStream(ref))).seq >= 0)
    return { store, tenant, runId: ref, from: 'the record', close: () => store.close() }
  await store.close()
  throw runNotFound(ref)
}

/** The source of the run: a fork is kept only beside its source. */
type ReadFrom = 'the record' | 'a run file' | 'a host'
type ShownFork = Omit<ReplayedByFork, 'forkId'> & { readonly forkId: string | null }

function replayForkPage(replayed: ShownFork, from: ReadFrom, useColor: boolean): string {
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
