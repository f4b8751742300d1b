// onbook sessions run, say, resume, cancel: asking something of a session, and saying what came of it.
import { Fault } from '../../errors.ts'
import type { SessionDescription, WireSessionConfig } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { readText } from '../record/open-record.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { placeAgain, workAgain } from '../runs/typed-again.ts'
import { printJson } from '../terminal.ts'
import { configFrom } from './config-options.ts'
import { type Desk, withDesk } from './desk.ts'
import { sentenceOf } from './words.ts'

const ENDS: Readonly<Record<string, string>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.refused': 'refused',
  'run.waiting': 'waiting',
  'run.paused': 'paused',
  'approval.requested': 'waiting-approval',
}

/** A run, and from where on its end is looked for. */
interface Awaited {
  readonly session: string
  readonly run: number
  readonly after: number
}

interface Ended {
  readonly session: string
  readonly run: number
  readonly status: string
  readonly reply: string | null
  readonly code?: string
  readonly detail?: string
  /** The id that a person answers with. */
  readonly approval?: string
}

export const run = (input: Input): Promise<number> =>
  withDesk(
    input,
    async desk => {
      const session = String(input.session)
      if (input.detach && !desk.lasts)
        throw new Fault('usage_invalid', {
          problem: 'No host runs on this folder that could go on with it: leave --detach away, or start one',
        })
      const found = await desk.get(session)
      const { run: open, seq } = found
      const overrides = await configFrom(desk, input, configOfNextRun(found))
      if (overrides !== null && open !== null)
        throw new Fault('run_already_active', { problem: `Run ${open.run} is ${open.phase}; end it first` })
      const asked = await desk.run(session, {
        ...(input.input === undefined ? {} : { input: await textOf(String(input.input)) }),
        ...(overrides === null ? {} : { overrides }),
        interactive: input.interactive === true,
      })
      return input.detach ? detached(session, asked.run, input) : tell(desk, { session, run: asked.run, after: seq }, input)
    },
    { judges: true },
  )

/** Options change single fields of it. An approved snapshot brings its own selectors. */
function configOfNextRun({ config, workspace: { approved }, runs }: SessionDescription): WireSessionConfig {
  return approved !== null && approved.at === 'run' && approved.firstRun <= runs + 1 ? { ...config, ...approved.selection } : config
}

const textOf = async (given: string): Promise<string> => (given.startsWith('@') ? readText(given.slice(1)) : given)

function detached(session: string, number: number, { json }: Input): number {
  if (json) printJson({ session, run: number, status: 'requested' })
  else process.stdout.write(`Run ${number} is asked for: onbook sessions events ${visible(session)} --follow\n`)
  return 0
}

/** Waits for the run to end, or to wait for more. Ends with 1 when it did not go well. */
async function tell(desk: Desk, awaited: Awaited, input: Input): Promise<number> {
  const { session, run: number } = awaited
  const ended = await endOf(desk, awaited, input.watch === true && !input.json)
  await desk.quiet(session)
  if (input.json) printJson(ended)
  else {
    if (ended.reply !== null) process.stdout.write(`${visibleLines(ended.reply).join('\n')}\n`)
    const why = ended.code === undefined ? '' : ` (${ended.code}): ${ended.detail}`
    // Whoever watches has been told.
    if (input.watch !== true) process.stderr.write(`${visible(`run ${number} of ${session} is ${ended.status}${why}`)}\n`)
    if (ended.approval !== undefined)
      for (const line of approvalLines(ended.approval, session, desk.lasts, input)) process.stderr.write(`${visible(line)}\n`)
  }
  return ended.status === 'completed' || ended.status === 'waiting' ? 0 : 1
}

/** On a folder without a host, the answer and the rest of the run are two commands. */
function approvalLines(approval: string, session: string, lasts: boolean, input: Input): readonly string[] {
  const place = placeAgain(input)
  const answer = `Decide: onbook approvals approve ${approval}${lasts ? place : workAgain(input)}`
  return lasts ? [answer, `Then look at it: onbook sessions show ${session}${place}`] : [answer]
}

async function endOf(desk: Desk, { session, run: number, after }: Awaited, watch: boolean): Promise<Ended> {
  const stop = new AbortController()
  try {
    for await (const event of desk.events(session, { after, signal: stop.signal })) {
      const { type, payload } = event
      const sentence = watch ? sentenceOf(event) : null
      if (sentence !== null) process.stderr.write(`${visible(sentence)}\n`)
      const status = payload.run === number ? ENDS[type] : undefined
      if (status === undefined) continue
      const { code, detail, approval } = payload as { readonly code?: string; readonly detail?: string; readonly approval?: string }
      if (status === 'waiting-approval') return { session, run: number, status, reply: null, approval: approval! }
      const reply = status === 'refused' ? null : await lastReply(desk, session)
      return { session, run: number, status, reply, ...(code === undefined ? {} : { code, detail: detail ?? '' }) }
    }
  } finally {
    stop.abort()
  }
  throw new Fault('run_missing', { problem: `Run ${number} of ${session} has no end on record` })
}

async function lastReply(desk: Desk, session: string): Promise<string | null> {
  const { messages } = await desk.get(session)
  if (messages === 0) return null
  const { entries } = await desk.transcript(session, { from: messages - 1 })
  const last = entries.at(-1)?.messages.at(-1)
  if (last?.role !== 'assistant') return null
  // Reasoning is not part of the reply. A command-line agent may have written several messages: the last one is its answer.
  const parts = last.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.findLast(({ type }) => type === 'text')?.text ?? ''
}

const WHEN_TOLD = {
  interrupt: 'It is told at once.',
  steer: 'It is told at the next step.',
  'follow-up': 'It is the next thing that is said to the session.',
}

/** To a run that waits, as its input; else it is left as a follow-up. */
export const say = (input: Input): Promise<number> =>
  withDesk(
    input,
    async desk => {
      const session = String(input.session)
      const message = await textOf(String(input.text))
      const { run: open, seq } = await desk.get(session)
      if (input.steer !== true && open?.phase === 'waiting') {
        const { run: number } = await desk.provideInput(session, message)
        return tell(desk, { session, run: number, after: seq }, input)
      }
      const kind = input.interrupt === true ? 'interrupt' : input.steer === true ? 'steer' : 'follow-up'
      const { id } = await desk.command(session, { kind, message })
      await desk.quiet(session)
      if (input.json) printJson({ session, id, kind })
      else process.stdout.write(`${WHEN_TOLD[kind]}\n`)
      return 0
    },
    { judges: true },
  )

export const resume = (input: Input): Promise<number> =>
  withDesk(
    input,
    async desk => {
      const session = String(input.session)
      const { run: open, seq } = await desk.get(session)
      if (open === null) throw new Fault('run_missing', { problem: `Session ${session} has no run to go on with` })
      if (open.phase === 'paused') await desk.command(session, { kind: 'resume' })
      else await desk.takeUp(session)
      return tell(desk, { session, run: open.run, after: seq }, input)
    },
    { judges: true },
  )

/** An interactive run that waits for input has all of it. */
export const complete = (input: Input): Promise<number> =>
  withDesk(input, async desk => {
    const session = String(input.session)
    const { id } = await desk.command(session, { kind: 'complete' })
    await desk.quiet(session)
    const { lifecycle } = await desk.get(session)
    if (input.json) printJson({ session, id, lifecycle })
    else process.stdout.write(`${visible(session)} is ${lifecycle}.\n`)
    return 0
  })

export const cancel = (input: Input): Promise<number> =>
  withDesk(input, async desk => {
    const session = String(input.session)
    const reason = typeof input.reason === 'string' ? { reason: input.reason } : {}
    const { id } = await desk.command(session, { kind: 'cancel', ...reason })
    await desk.takeUp(session)
    await desk.quiet(session)
    const { lifecycle } = await desk.get(session)
    if (input.json) printJson({ session, id, lifecycle })
    else process.stdout.write(`${visible(session)} is ${lifecycle}.\n`)
    return 0
  })
