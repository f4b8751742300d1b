// onbook run pause, resume, cancel, mode, override, say: sends commands to an existing run.
import { isEnded } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { choiceOption, printJson } from '../terminal.ts'
import { MODES, textOf } from './run-options.ts'
import { readRun, statusOf } from './status.ts'
import { tellRun } from './tell.ts'
import { placeAgain } from './typed-again.ts'
import { type RunBook, withRuns } from './watched-runs.ts'

const runOf = (input: Input): string => String(input.run)

async function answer(open: RunBook, input: Input, sentence: (status: string) => string): Promise<number> {
  const { state } = await readRun(open, runOf(input))
  const status = statusOf(state)
  if (input.json) printJson({ runId: state.runId, status, mode: state.mode })
  else process.stdout.write(`${visible(sentence(status))}\n`)
  return 0
}

const asking = (
  input: Input,
  ask: (runs: RunBook['book']['runs'], runId: string) => Promise<unknown>,
  sentence: (status: string) => string,
): Promise<number> =>
  withRuns(input, async open => {
    const runId = runOf(input)
    await ask(open.book.runs, runId)
    // Without a host, this process waits until the work in progress has ended.
    await open.local?.idle(runId)
    return answer(open, input, sentence)
  })

export const pause = (input: Input): Promise<number> =>
  asking(
    input,
    (runs, runId) => runs.pause(runId),
    status => `${runOf(input)} is ${status}: no node starts, and no step. Go on: onbook run resume ${runOf(input)}${placeAgain(input)}`,
  )

export const cancel = (input: Input): Promise<number> =>
  asking(
    input,
    (runs, runId) => runs.cancel(runId, typeof input.message === 'string' ? input.message : undefined),
    status => `${runOf(input)} is ${status}.`,
  )

export function mode(input: Input): Promise<number> {
  const wanted = choiceOption(input.mode, 'the mode', MODES)
  return asking(
    input,
    (runs, runId) => runs.mode(runId, wanted),
    () => `${runOf(input)} has mode ${wanted} from its next step on.`,
  )
}

export async function override(input: Input): Promise<number> {
  if ((input.text === undefined) === (input.remove !== true))
    throw new Fault('usage_invalid', { problem: 'Give the text of the override, or --remove to take it back' })
  const nodeId = typeof input.node === 'string' ? input.node : null
  const text = input.remove === true ? null : await textOf(String(input.text))
  const whom = nodeId ?? 'every node without one of its own'
  return asking(
    input,
    (runs, runId) => runs.override(runId, { nodeId, text }),
    () => (text === null ? `The override for ${whom} is removed.` : `${whom} receives it from the next step on.`),
  )
}

/** Continues a paused run, and resumes an abandoned one. */
export const resume = (input: Input): Promise<number> =>
  withRuns(
    input,
    async open => {
      const { state, reading } = await readRun(open, runOf(input))
      if (isEnded(state)) throw new Fault('run_ended', { problem: `Run ${state.runId} is ${state.phase}` })
      // A host resumes abandoned runs when it starts.
      if (state.phase === 'paused' || open.local !== null) await open.book.runs.resume(runOf(input))
      const isLeft = open.host !== null && (input.detach === true || state.phase !== 'paused')
      if (isLeft) return answer(open, input, status => `${runOf(input)} is ${status}. The host is at it.`)
      return tellRun(open, runOf(input), reading.last.sequence, input)
    },
    { judges: true },
  )

export const say = (input: Input): Promise<number> =>
  withRuns(
    input,
    async open => {
      const kinds = (['steer', 'interrupt'] as const).filter(kind => input[kind] === true)
      if (kinds.length > 1) throw new Fault('usage_invalid', { problem: 'Choose one of --steer and --interrupt' })
      const kind = kinds[0] ?? 'follow-up'
      const { reading } = await readRun(open, runOf(input))
      await open.book.runs.say(runOf(input), String(input.node), kind, await textOf(String(input.text)))
      if (open.host !== null) return answer(open, input, () => `${String(input.node)} receives it.`)
      return tellRun(open, runOf(input), reading.last.sequence, input)
    },
    { judges: true },
  )
