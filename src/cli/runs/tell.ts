// Waits for a run, and prints its result.
import type { RunWarning } from '../../core/run/warning.ts'
import type { Input } from '../commands.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { bodiesOf } from './bodies.ts'
import { exitOf, readRun } from './status.ts'
import { type Story, storyOf } from './story.ts'
import { nextOf } from './story-page.ts'
import { placeAgain, workAgain } from './typed-again.ts'
import { watchRun } from './watch.ts'
import type { RunBook } from './watched-runs.ts'

/** Waits until the run ends, is paused, or waits for a person. @param after the sequence from which to watch */
export async function tellRun(
  open: RunBook,
  runId: string,
  after: number,
  input: Input,
  warnings: readonly RunWarning[] = [],
): Promise<number> {
  const watch = input.watch === true ? watchRun(open, runId, after) : null
  const interrupt = interrupted()
  const isOver = await Promise.race([open.settled(runId, after).then(() => true), interrupt.promise])
  interrupt.forget()
  await watch?.end()
  if (!isOver) return left(open, runId, input)
  const read = await readRun(open, runId)
  const story = await storyOf(read, bodiesOf(open))
  if (input.json) printJson({ ...summaryOf(story), warnings })
  else sayStory(story, input)
  return exitOf(read.state)
}

const summaryOf = ({ runId, status, workflowId, mode, steps, tokens, outputs, error, paused, approvals }: Story) => ({
  runId,
  status,
  workflowId,
  mode,
  steps,
  tokens,
  ...(outputs === null ? {} : { outputs }),
  ...(error === null ? {} : { error }),
  ...(paused === null ? {} : { paused }),
  ...(approvals.length === 0 ? {} : { approvals }),
})

/** Outputs go to standard output, everything else to standard error. */
function sayStory(story: Story, input: Input): void {
  const { runId, workflowId, status, error, outputs } = story
  const outcomes = Object.values(outputs ?? {})
  for (const output of outcomes)
    process.stdout.write(`${visibleLines(typeof output === 'string' ? output : JSON.stringify(output, null, 2)).join('\n')}\n`)
  const why = error === null ? '' : `${error.nodeId === null ? '' : ` at ${error.nodeId}`} (${error.code}): ${error.message}`
  const lines = [`${runId} of ${workflowId} is ${status}${why}`, ...nextOf(story, input)]
  for (const line of lines) process.stderr.write(`${visible(line)}\n`)
}

function left({ host }: RunBook, runId: string, input: Input): number {
  const place = placeAgain(input)
  const next =
    host !== null
      ? `The host continues ${runId}. Show it: onbook show ${runId}${place}\nCancel it: onbook run cancel ${runId}${place}`
      : `${runId} is interrupted; its record is complete. Resume it: onbook run resume ${runId}${workAgain(input)}`
  if (input.json) printJson({ runId, status: host !== null ? 'running' : 'left' })
  else process.stderr.write(`\n${next}\n`)
  return 1
}

function interrupted(): { readonly promise: Promise<false>; readonly forget: () => void } {
  const signals = ['SIGINT', 'SIGTERM'] as const
  let say: () => void = () => {}
  const promise = new Promise<false>(resolve => {
    say = () => resolve(false)
  })
  for (const signal of signals) process.once(signal, say)
  return {
    promise,
    forget() {
      for (const signal of signals) process.off(signal, say)
    },
  }
}
