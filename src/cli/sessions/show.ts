// onbook agent create, list, show, config, events, transcript: creates, configures and shows sessions.
import type { SessionConfig } from '../../core/session/config.ts'
import { NAME } from '../../core/session/config-format.ts'
import { Fault } from '../../errors.ts'
import { toAosSessionConfig } from '../../wire/aos/config.ts'
import { type OpenRunView, type SessionView, toAosConfigAnswer, toAosState } from '../../wire/aos/state.ts'
import type { AosSessionEvent } from '../../wire/aos/to-event.ts'
import type { SessionDescription, SessionSummary, WireSessionConfig } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { snapshotText } from '../report/snapshot-text.ts'
import { visible } from '../report/visible.ts'
import { printJson, printJsonLine } from '../terminal.ts'
import { configFrom, dialectIn } from './config-options.ts'
import { sentenceOf } from './format.ts'
import { aosEvents, sessionEvents, withSessions } from './with-sessions.ts'

const say = (text: string): void => void process.stdout.write(`${visible(text)}\n`)

export const create = (input: Input): Promise<number> =>
  withSessions(
    input,
    async ({ book }) => {
      // An unknown dialect is refused before anything is created.
      dialectIn(input)
      const config = (await configFrom(book, input, {})) ?? {}
      const given = {
        config,
        ...(typeof input.session === 'string' ? { session: checkedName(input.session) } : {}),
        ...(typeof input.agent === 'string' ? { agentId: input.agent } : {}),
      }
      const made = await book.sessions.create(given)
      if (input.json) printJson(configAnswer(input, made.session, made.config))
      else say(`Session ${made.session} is made. It does nothing until it is asked to: onbook agent run ${made.session} --input TEXT`)
      return 0
    },
    { record: 'made' },
  )

/** Checked before the request, for a message about the name itself. */
function checkedName(session: string): string {
  if (new RegExp(NAME).test(session)) return session
  throw new Fault('name_invalid', {
    problem: `"${session}" cannot name a session: use 1 to 128 letters, digits, dots, underscores, dashes and tildes`,
  })
}

export const list = (input: Input): Promise<number> =>
  withSessions(input, async ({ book }) => {
    const found: SessionSummary[] = []
    for await (const one of book.sessions.list()) found.push(one)
    const all = firstRows(found, input)
    if (input.json) printJson({ sessions: all })
    else if (all.length === 0) say('No sessions yet: onbook agent create NAME')
    else
      process.stdout.write(
        columns([
          ['session', 'newest run', 'workspace', 'since'],
          ...all.map(({ session, run, open, workspace, version, changedAt }) => [
            session,
            run === null ? 'none' : `${run}, ${open ? 'at work' : 'over'}`,
            workspace === null ? '' : `${workspace}, version ${version}`,
            changedAt,
          ]),
        ]),
      )
    return 0
  })

export const show = (input: Input): Promise<number> =>
  withSessions(input, async ({ book }) => {
    const found = await book.sessions.get(String(input.session))
    const isAos = dialectIn(input) === 'aos'
    if (input.json || isAos) {
      printJson(isAos ? aosStateOf(found) : found)
      return 0
    }
    const { session, lifecycle, run, runs, refused, messages, workspace, config } = found
    say(`${session} is ${lifecycle}; runs: ${runs}, messages: ${messages}`)
    if (run !== null) say(`run ${run.run} (${run.runId}) is ${run.phase}, at step ${run.steps}`)
    for (const { approval, call, tool } of run?.approvals ?? [])
      say(`call ${call} (${tool}) waits for an approval: onbook approval approve ${approval}`)
    if (found.unready !== undefined)
      say(`run waits for provider ${found.unready.provider} since ${found.unready.since}: ${found.unready.message}`)
    if (refused !== null) say(`run ${refused.run} was refused (${refused.stage}, ${refused.code}): ${refused.detail}`)
    if (workspace.active !== null) say(`active: ${snapshotText(workspace.active)}`)
    if (workspace.approved !== null) say(`approved for the next ${workspace.approved.at}: ${snapshotText(workspace.approved.snapshot)}`)
    if (workspace.pending !== null) say(`pending: ${snapshotText(workspace.pending.snapshot)}`)
    for (const line of configLines(config)) say(line)
    return 0
  })

/** Wire types are wider than those of core, but a host and a record always answer with whole configs and snapshots. */
const aosStateOf = (found: SessionDescription) =>
  toAosState(found as unknown as SessionView, found.lifecycle, found.run as unknown as OpenRunView | null)

const configAnswer = (input: Input, session: string, config: WireSessionConfig) =>
  dialectIn(input) === 'aos' ? toAosConfigAnswer(session, config as SessionConfig) : { session, config }

const configLines = (config: object): readonly string[] =>
  Object.entries(config).flatMap(([name, value]) => {
    const text = settingText(value)
    return text === '' ? [] : [`${name}: ${text}`]
  })

/** Empty for a setting that is unset. */
function settingText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(settingText).join(', ')
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).map(([name, part]) => [name, settingText(part)] as const)
  return parts.flatMap(([name, text]) => (text === '' ? [] : [`${name} ${text}`])).join(', ')
}

/** Without options it shows the config; with options it sets those, and keeps the others. */
export const config = (input: Input): Promise<number> =>
  withSessions(input, async ({ book }) => {
    const session = String(input.session)
    dialectIn(input)
    const { config: before } = await book.sessions.get(session)
    const wanted = await configFrom(book, input, before)
    if (wanted !== null) await book.sessions.configure(session, wanted)
    const { config: after } = wanted === null ? { config: before } : await book.sessions.get(session)
    if (input.json) printJson(configAnswer(input, session, after))
    else for (const line of configLines(dialectIn(input) === 'aos' ? toAosSessionConfig(after as SessionConfig) : after)) say(line)
    return 0
  })

export const events = (input: Input): Promise<number> =>
  withSessions(input, async open => {
    const stop = new AbortController()
    const follow = input.follow === true
    if (follow) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const signal = follow ? stop.signal : undefined
    if (dialectIn(input) === 'aos') return printAos(aosEvents(open, String(input.session), signal), input)
    for await (const event of sessionEvents(open, String(input.session), signal)) {
      if (input.json) printJsonLine(event)
      else say(`${String(event.seq).padStart(4)}  ${event.at}  ${sentenceOf(event) ?? event.type}`)
    }
    return 0
  })

async function printAos(events: AsyncIterable<AosSessionEvent>, input: Input): Promise<number> {
  for await (const whole of events) {
    const { run_id, event } = whole
    if (input.json) printJsonLine(whole)
    else
      say(
        `${run_id === null ? '' : `run ${run_id.run_seq}  `}${event.$tag}${event.$value === undefined ? '' : ` ${JSON.stringify(event.$value)}`}`,
      )
  }
  return 0
}

export const transcript = (input: Input): Promise<number> =>
  withSessions(input, async ({ book }) => {
    for (let from: number | null = 0; from !== null; ) {
      const page = await book.sessions.transcript(String(input.session), { from })
      for (const entry of page.entries) {
        if (input.json) printJsonLine(entry)
        else if (entry.problem !== null) say(`(${entry.problem})`)
        else for (const { role, content } of entry.messages) say(`${role}: ${content.map(partText).join(' ')}`)
      }
      from = page.next
    }
    return 0
  })

function partText(part: unknown): string {
  const { type, text, ...rest } = part as { readonly type: string; readonly text?: string }
  return type === 'text' ? (text ?? '') : `[${type} ${JSON.stringify(rest)}]`
}
