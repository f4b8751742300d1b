// The loop: append the event, ask what it calls for, do that, append what came back. One for a process.
import type { SessionCommand } from '../../core/session/commands.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { unfinished } from '../../core/session/unfinished.ts'
import { Fault } from '../../errors.ts'
import { inTurn } from '../in-turn.ts'
import { INTERRUPTED, settleCall } from './call-tool.ts'
import { loadSession } from './load.ts'
import { performEffect } from './perform.ts'
import { type Send, type SessionParts, STOPPING } from './performing.ts'
import { openSessions } from './sessions.ts'
import { type SessionPlace, type Submission, type Submitted, submit } from './submit.ts'

export interface SessionName {
  readonly tenant: string
  readonly session: string
}

export interface SessionWork {
  /** Resolves when the command is on record; what it calls for goes on behind. */
  submit(place: SessionPlace, command: SessionCommand, submission?: Submission): Promise<Submitted>
  /** Goes on with what a commit of somebody else's calls for. */
  begin(tenant: string, session: string, effects: readonly SessionEffect[]): void
  /** When nothing that was begun here for the session is under way. */
  quiet(tenant: string, session: string): Promise<void>
  /** Takes up what a host that is gone has left, in all sessions or in one; which sessions. Not for what somebody is at. */
  resume(only?: SessionName): Promise<readonly SessionName[]>
  /** Breaks off what is under way. It is taken up by whoever comes next. */
  close(): Promise<void>
}

interface Busy {
  readonly tasks: Set<Promise<void>>
  /** Ends model calls and tool calls of the present run. */
  calls: AbortController
}

const ACTOR = 'onbook'

/** Why what is under way is to be ended; null when it may go on. Only a model is interrupted: tools are let finish. */
function breaksOff({ events, state: { run } }: Submitted): string | null {
  if (events.some(({ type }) => type === 'run.cancelling')) return 'the run was cancelled'
  const isInterrupt = events.some(event => event.type === 'command.received' && event.command.kind === 'interrupt')
  return isInterrupt && run?.step?.settled === false ? 'it was interrupted' : null
}

/** Whoever lost a run to another process says nothing more about it. */
const isLost = (error: unknown): boolean => error instanceof Fault && error.code === 'run_not_owned'

export function sessionWork(parts: SessionParts): SessionWork {
  const { store } = parts
  const sessions = new Map<string, Busy>()
  const turns = inTurn()
  let closed = false

  const busyOf = (tenant: string, session: string): Busy => {
    const key = JSON.stringify([tenant, session])
    const found = sessions.get(key) ?? { tasks: new Set(), calls: new AbortController() }
    sessions.set(key, found)
    return found
  }

  const send = async (place: SessionPlace, command: SessionCommand, submission?: Submission): Promise<Submitted> => {
    const key = JSON.stringify([place.tenant, place.session])
    const { state } = await loadSession(store, place.tenant, place.session)
    const node = state.run?.node ?? null
    // Of many at once only one is not too late, and all others decide again: in turn nobody has to.
    const submitted =
      node === null || parts.graph === undefined
        ? await turns(key, () => submit(store, place, command, submission))
        : await parts.graph.submit(place, node, command, submission ?? {})
    const busy = sessions.get(key)
    const broken = busy === undefined ? null : breaksOff(submitted)
    if (broken !== null) {
      busy!.calls.abort(new Error(broken))
      busy!.calls = new AbortController()
    }
    begin(place.tenant, place.session, submitted.effects)
    return submitted
  }
  const senderOf =
    (place: SessionPlace): Send =>
    (command, submission, session = place.session) =>
      send({ ...place, session }, command, submission)

  /** What one commit calls for is done in order: tools are called one after the other. */
  function begin(tenant: string, session: string, effects: readonly SessionEffect[]): void {
    if (closed || effects.length === 0) return
    const busy = busyOf(tenant, session)
    const place: SessionPlace = { tenant, session, actor: ACTOR }
    const { signal } = busy.calls
    const task = perform(place, effects, signal)
      .catch(error => giveUp(error as Error, place))
      .finally(() => {
        busy.tasks.delete(task)
        if (busy.tasks.size === 0) sessions.delete(JSON.stringify([tenant, session]))
      })
    busy.tasks.add(task)
  }

  async function perform(place: SessionPlace, effects: readonly SessionEffect[], signal: AbortSignal): Promise<void> {
    for (const effect of effects) if (!closed) await performEffect({ parts, place, signal, send: senderOf(place) }, effect)
  }

  /** A defect of ours: the run must not wait for ever for what nobody does any more. */
  async function giveUp(error: Error, place: SessionPlace): Promise<void> {
    if (isLost(error)) return
    parts.failed(error, place)
    const { code, message } = error instanceof Fault ? error : { code: 'internal_error', message: 'something went wrong in the host' }
    await send(place, { type: 'failRun', code, detail: message }).catch(again => parts.failed(again as Error, place))
  }

  async function takeUp(tenant: string, session: string, tries = 3): Promise<void> {
    const place: SessionPlace = { tenant, session, actor: ACTOR }
    const { state } = await loadSession(store, tenant, session)
    const { commands, effects, interrupted } = unfinished(state, tool => parts.bindings.get(tool)?.repeatable === true)
    for (const command of commands) {
      const { refusal } = await send(place, command)
      // Somebody was quicker, and what was found is no longer so: cancelled, for one.
      if (refusal !== null && tries > 1) return takeUp(tenant, session, tries - 1)
    }
    const { epoch, run } = state
    for (const call of interrupted)
      await settleCall(
        { parts, place, send: senderOf(place) },
        { run: run!.run, batch: run!.batch!.batch, call, epoch, stepEpoch: run!.batch!.stepEpoch },
        INTERRUPTED,
      )
    begin(tenant, session, effects)
  }

  return {
    submit: send,
    begin,
    async quiet(tenant, session) {
      for (;;) {
        const tasks = sessions.get(JSON.stringify([tenant, session]))?.tasks
        if (tasks === undefined || tasks.size === 0) return
        await Promise.allSettled([...tasks])
      }
    },
    async resume(only) {
      const taken: SessionName[] = []
      for (const tenant of only === undefined ? await store.tenants() : [only.tenant])
        for (const session of only === undefined ? await openSessions(store, tenant) : [only.session]) {
          // One that cannot be taken up keeps no other from it.
          await takeUp(tenant, session).catch(error => {
            if (!isLost(error)) parts.failed(error as Error, { tenant, session, actor: ACTOR })
          })
          taken.push({ tenant, session })
        }
      return taken
    },
    async close() {
      closed = true
      for (const { calls } of sessions.values()) calls.abort(STOPPING)
      await Promise.allSettled([...sessions.values()].flatMap(({ tasks }) => [...tasks]))
    },
  }
}
