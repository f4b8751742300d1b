// onbook replay: replays a run from its record, and shows what differs. Asks no model and runs no tool.
import { existsSync } from 'node:fs'
import { HOST_FILE, hostConfigOf } from '../../book/host-config.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { KindRefs } from '../../core/resolve/layers.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import { HOST_STREAM, lastConfig } from '../../engine/policy/record-config.ts'
import type { ReplayedPrompt } from '../../engine/replay/decisions.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { numberOption, printJson, useColor } from '../terminal.ts'
import { openQuestioned } from './open.ts'
import { promptLine, replayPage } from './replay-page.ts'

export async function replay(input: Input): Promise<number> {
  if ([input.against, input.label, input.activate].some(one => one !== undefined) || input.all === true)
    return (await import('./regression.ts')).regression(input)
  const [run, ...more] = (input.runs as readonly string[] | undefined) ?? []
  if (run === undefined || more.length > 0) throw new Fault('usage_invalid', { problem: 'name one run; several are for --against' })
  for (const name of ['workflow', 'since', 'limit', 'workspace'])
    if (input[name] !== undefined)
      throw new Fault('usage_invalid', {
        problem: `--${name} belongs to --against${name === 'workspace' ? '' : ' with --all'}: leave it away, or say what runs are held against`,
      })
  const level = numberOption(input.level, '--level', 2, { least: 1, most: 3 }) as 1 | 2 | 3
  if (level === 3) return (await import('./replay-fork.ts')).replayFork(input, run)
  const { store, tenant, runId, close } = await openQuestioned(input, run)
  try {
    const colored = useColor(process.stdout)
    // A run may have any number of prompts: each is printed at once, and none is kept.
    const onPrompt = (prompt: ReplayedPrompt): void => void process.stdout.write(`${promptLine(prompt, colored)}\n`)
    const hostDefaults = await presentDefaults(input, store)
    const replayed = await replayRun(store, tenant, runId, { level, hostDefaults, ...(input.json ? {} : { onPrompt }) })
    if (input.json) printJson(replayed)
    else process.stdout.write(replayPage(replayed, colored))
    return replayed.identical ? 0 : 1
  } finally {
    await close()
  }
}

/** The host defaults of the settings file that is named or lies in the folder, else the last recorded ones; null without either. */
export async function presentDefaults(input: Input, store: Store): Promise<KindRefs | null> {
  if (input.config !== undefined || existsSync(HOST_FILE)) return hostConfigOf(input).hostDefaults
  const { seq } = await store.head(HOST_TENANT, HOST_STREAM)
  const config = seq < 0 ? null : await lastConfig(store, HOST_STREAM, seq)
  return config !== null && isObject(config.hostDefaults) ? config.hostDefaults : null
}
