// onbook runs pause, resume, cancel, mode, override, say: asking something of a run that is there.
import { isEnded } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { choiceOption, printJson } from '../terminal.ts'
import { type RunDesk, type RunRequest, type SayKind, withRunDesk } from './desk.ts'
import { MODES, textOf } from './run-options.ts'
import { readRun, statusOf } from './standing.ts'
import { tellRun } from './tell.ts'
import { placeAgain } from './typed-again.ts'

const runOf = (input: Input): string => String(input.run)

async function answer(desk: RunDesk, input: Input, sentence: (status: string) => string): Promise<number> {
  const { state } = await readRun(desk, runOf(input))
  const status = statusOf(state)
  if (input.json) printJson({ runId: state.runId, status, mode: state.mode })
  else process.stdout.write(`${visible(sentence(status))}\n`)
  return 0
}

const asking = (input: Input, request: RunRequest, sentence: (status: string) => string): Promise<number> =>
  withRunDesk(input, async desk => {
    await desk.ask(runOf(input), request)
    return answer(desk, input, sentence)
  })

export const pause = (input: Input): Promise<number> =>
  asking(
    input,
    { type: 'pause' },
    status => `${runOf(input)} is ${status}: no node starts, and no step. Go on: onbook runs resume ${runOf(input)}${placeAgain(input)}`,
  )

export const cancel = (input: Input): Promise<number> =>
  asking(
    input,
    { type: 'cancel', reason: typeof input.reason === 'string' ? input.reason : null },
    status => `${runOf(input)} is ${status}.`,
  )

export function mode(input: Input): Promise<number> {
  const wanted = choiceOption(input.mode, 'the mode', MODES)
  return asking(input, { type: 'mode', mode: wanted }, () => `${runOf(input)} has mode ${wanted} from its next step on.`)
}

export async function override(input: Input): Promise<number> {
  if ((input.text === undefined) === (input.remove !== true))
    throw new Fault('usage_invalid', { problem: 'Give the text of the override, or --remove to take it back' })
  const nodeId = typeof input.node === 'string' ? input.node : null
  const text = input.remove === true ? null : await textOf(String(input.text))
  const whom = nodeId ?? 'every node without one of its own'
  return asking(input, { type: 'override', nodeId, text }, () =>
    text === null ? `The override for ${whom} is removed.` : `${whom} receives it from the next step on.`,
  )
}

/** A run that is paused goes on; one that whoever was at it has left is taken up. */
export const resume = (input: Input): Promise<number> =>
  withRunDesk(
    input,
    async desk => {
      const { state, reading } = await readRun(desk, runOf(input))
      if (isEnded(state)) throw new Fault('run_ended', { problem: `Run ${state.runId} is ${state.phase}` })
      if (state.phase === 'paused') await desk.ask(runOf(input), { type: 'resume' })
      else await desk.takeUp(runOf(input))
      const isLeft = desk.lasts && (input.detach === true || state.phase !== 'paused')
      if (isLeft) return answer(desk, input, status => `${runOf(input)} is ${status}. The host is at it.`)
      return tellRun(desk, runOf(input), reading.last.sequence, input)
    },
    { judges: true },
  )

export const say = (input: Input): Promise<number> =>
  withRunDesk(
    input,
    async desk => {
      const kinds = (['steer', 'interrupt'] as const).filter(kind => input[kind] === true)
      if (kinds.length > 1) throw new Fault('usage_invalid', { problem: 'Choose one of --steer and --interrupt' })
      const kind: SayKind = kinds[0] ?? 'follow-up'
      const { reading } = await readRun(desk, runOf(input))
      await desk.say(runOf(input), String(input.node), kind, await textOf(String(input.text)))
      // At rest, whoever takes up the run to tell it something goes on with it.
      if (desk.lasts) return answer(desk, input, () => `${String(input.node)} receives it.`)
      return tellRun(desk, runOf(input), reading.last.sequence, input)
    },
    { judges: true },
  )
