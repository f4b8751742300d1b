// Folder: Commands about sessions, sync and apply.
// onbook agent run, say, resume, cancel: sends commands to a session, and prints the result.

import { readText } from '../../book/record-folder.ts'
import { ClientError } from '../../client/index.ts'
import { Fault } from '../../errors.ts'
import type { SessionDescription, WireSessionConfig } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { readRun, statusOf } from '../runs/status.ts'
import { placeAgain, workAgain } from '../runs/typed-again.ts'
import { watchRun } from '../runs/watch.ts'
import type { RunBook } from '../runs/watched-runs.ts'
import { printJson } from '../terminal.ts'
import { configFrom } from './config-options.ts'
import { withSessions } from './with-sessions.ts'

/** A run of a session. */
interface Awaited {
  readonly session: string
  /** The number of the run in its session. */
  readonly run: number
  readonly runId: string
  /** The newest event of the run before the command. */
  readonly after: number
}

interface Ended {
  readonly session: string
  readonly run: number
  /** Null for a run that was refused before it began. */
  readonly runId: string | null
  readonly status: string
  readonly reply: string | null
  readonly code?: string
  readonly detail?: string
  /** The id of the open approval. */
  readonly approval?: string
}

export const run = (input: Input): Promise<number> =>
  withSessions(
    input,
    async open => {
      const { book } = open
      const session = String(input.session)
      if (input.detach && open.host === null)
        throw new Fault('usage_invalid', {
          problem: 'No host runs on this folder to continue it: leave out --detach, or start a host',
        })
      const found = await book.sessions.get(session)
      const { run: active } = found
      const overrides = await configFrom(book, input, configOfNextRun(found))
      if (overrides !== null && active !== null)
        throw new Fault('run_already_active', { problem: `Run ${active.run} is ${active.phase}; end it first` })
      const request = {
        ...(input.input === undefined ? {} : { input: await textOf(String(input.input)) }),
        ...(overrides === null ? {} : { overrides }),
        interactive: input.interactive === true,
      }
      const asked = await book.sessions.run(session, request).catch(refusedRun)
      if ('refused' in asked) return sayEnded(asked.refused, open, input)
      return input.detach ? detached(session, asked, input) : tell(open, { session, ...asked, after: -1 }, input)
    },
    { judges: true },
  )

/** Options change single fields of it. An approved snapshot brings its own selectors. */
function configOfNextRun({ config, workspace: { approved }, runs }: SessionDescription): WireSessionConfig {
  return approved !== null && approved.at === 'run' && approved.firstRun <= runs + 1 ? { ...config, ...approved.selection } : config
}

const textOf = async (given: string): Promise<string> => (given.startsWith('@') ? readText(given.slice(1)) : given)

/** A run without a usable workspace is on record as refused. Any other error is thrown again. */
function refusedRun(error: unknown): { readonly refused: Ended } {
  if (!((error instanceof Fault || error instanceof ClientError) && error.code === 'run_refused')) throw error
  const { session, run: number, code, detail } = error.details as { session: string; run: number; code: string; detail: string }
  return { refused: { session, run: number, runId: null, status: 'refused', reply: null, code, detail } }
}

function detached(session: string, { run: number, runId }: Pick<Awaited, 'run' | 'runId'>, input: Input): number {
  if (input.json) printJson({ session, run: number, runId, status: 'requested' })
  else process.stdout.write(`Run ${number} of ${visible(session)} is asked for: onbook show ${runId}${placeAgain(input)}\n`)
  return 0
}

/** Waits for the run to end, or to wait for input. Exits with 1 when it failed. */
async function tell(open: RunBook, awaited: Awaited, input: Input): Promise<number> {
  const { runId, after } = awaited
  const watch = input.watch === true && !input.json ? watchRun(open, runId, after) : null
  await open.settled(runId, after)
  await watch?.end()
  return sayEnded(await endOf(open, awaited), open, input)
}

function sayEnded(ended: Ended, { host }: RunBook, input: Input): number {
  const { session, run: number, runId } = ended
  if (input.json) printJson(ended)
  else {
    if (ended.reply !== null) process.stdout.write(`${visibleLines(ended.reply).join('\n')}\n`)
    const why = ended.code === undefined ? '' : ` (${ended.code}): ${ended.detail}`
    const named = runId === null ? '' : ` (${runId})`
    // A watched run has already printed its end.
    if (input.watch !== true || runId === null)
      process.stderr.write(`${visible(`run ${number} of ${session}${named} is ${ended.status}${why}`)}\n`)
    if (ended.approval !== undefined)
      for (const line of approvalLines(ended.approval, session, host !== null, input)) process.stderr.write(`${visible(line)}\n`)
  }
  return ended.status === 'completed' || ended.status === 'waiting' ? 0 : 1
}

/** Without a host, deciding also continues the run, so the command repeats the options for the work. */
function approvalLines(approval: string, session: string, lasts: boolean, input: Input): readonly string[] {
  const place = placeAgain(input)
  const answer = `Decide: onbook approval approve ${approval}${lasts ? place : workAgain(input)}`
  return lasts ? [answer, `Then look at it: onbook agent show ${session}${place}`] : [answer]
}

async function endOf(open: RunBook, { session, run: number, runId }: Awaited): Promise<Ended> {
  const { state } = await readRun(open, runId)
  const { approvals, failure } = state
  const found = statusOf(state)
  if (found === 'waiting-approval') return { session, run: number, runId, status: found, reply: null, approval: approvals[0]!.approval }
  const status = found === 'waiting-input' ? 'waiting' : found
  const why = failure === null ? {} : { code: failure.code, detail: failure.detail }
  return { session, run: number, runId, status, reply: await lastReply(open, session), ...why }
}

async function lastReply({ book }: RunBook, session: string): Promise<string | null> {
  const { messages } = await book.sessions.get(session)
  if (messages === 0) return null
  const { entries } = await book.sessions.transcript(session, { from: messages - 1 })
  const last = entries.at(-1)?.messages.at(-1)
  if (last?.role !== 'assistant') return null
  // Reasoning is not part of the reply. A command-line agent may have written several messages: the last one is its answer.
  const parts = last.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.findLast(({ type }) => type === 'text')?.text ?? ''
}

/** A run that continues from its newest event. */
async function awaitedIn(open: RunBook, session: string, { run: number, runId }: Pick<Awaited, 'run' | 'runId'>): Promise<Awaited> {
  return { session, run: number, runId, after: (await readRun(open, runId)).reading.last.sequence }
}

const WHEN_TOLD = {
  interrupt: 'The agent receives it now.',
  steer: 'The agent receives it at the next step.',
  'follow-up': 'It is the next thing that is said to the session.',
}

/** Input for a run that waits; else a follow-up. */
export const say = (input: Input): Promise<number> =>
  withSessions(
    input,
    async open => {
      const { book } = open
      const session = String(input.session)
      const message = await textOf(String(input.text))
      const { run: active } = await book.sessions.get(session)
      if (input.steer !== true && active?.phase === 'waiting') {
        const awaited = await awaitedIn(open, session, active)
        await book.sessions.provideInput(session, message)
        return tell(open, awaited, input)
      }
      const kind = input.interrupt === true ? 'interrupt' : input.steer === true ? 'steer' : 'follow-up'
      const { id } = await book.sessions.command(session, { kind, message })
      await open.local?.sessionIdle(session)
      if (input.json) printJson({ session, id, kind })
      else process.stdout.write(`${WHEN_TOLD[kind]}\n`)
      return 0
    },
    { judges: true },
  )

export const resume = (input: Input): Promise<number> =>
  withSessions(
    input,
    async open => {
      const { book } = open
      const session = String(input.session)
      const { run: active } = await book.sessions.get(session)
      if (active === null) throw new Fault('run_missing', { problem: `Session ${session} has no run to resume` })
      const awaited = await awaitedIn(open, session, active)
      // A host resumes abandoned runs when it starts.
      if (active.phase === 'paused' || open.local !== null) await book.sessions.command(session, { kind: 'resume' })
      return tell(open, awaited, input)
    },
    { judges: true },
  )

/** Ends an interactive run that waits for input. */
export const complete = (input: Input): Promise<number> =>
  withSessions(input, async open => {
    const { book } = open
    const session = String(input.session)
    const { id } = await book.sessions.command(session, { kind: 'complete' })
    await open.local?.sessionIdle(session)
    const { lifecycle } = await book.sessions.get(session)
    if (input.json) printJson({ session, id, lifecycle })
    else process.stdout.write(`${visible(session)} is ${lifecycle}.\n`)
    return 0
  })

export const cancel = (input: Input): Promise<number> =>
  withSessions(input, async open => {
    const { book } = open
    const session = String(input.session)
    const reason = typeof input.message === 'string' ? { reason: input.message } : {}
    const { id } = await book.sessions.command(session, { kind: 'cancel', ...reason })
    await open.local?.sessionIdle(session)
    const { lifecycle } = await book.sessions.get(session)
    if (input.json) printJson({ session, id, lifecycle })
    else process.stdout.write(`${visible(session)} is ${lifecycle}.\n`)
    return 0
  })
