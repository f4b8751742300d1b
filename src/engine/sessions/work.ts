// The loop: append the event, ask what it calls for, do that, append what came back. One for a process.
import type { SessionCommand } from '../../core/session/commands.ts'
import type { ApprovalTerms, NodeOfRun, SessionEvent } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { isAsked, type OpenCall, type SessionState } from '../../core/session/state.ts'
import { unfinished } from '../../core/session/unfinished.ts'
import { Fault } from '../../errors.ts'
import { deadlinesOf } from '../deadlines.ts'
import { inTurn } from '../in-turn.ts'
import { keepTrying, retryWait } from '../keep-trying.ts'
import { isStoreTrouble } from '../store-trouble.ts'
import { type ApprovalAnswer, answerCommand } from './answer-approval.ts'
import { settleCall } from './call-tool.ts'
import { checkMessage } from './check-message.ts'
import { brokenOff, INTERRUPTED } from './done.ts'
import { keptSession, loadSession } from './load.ts'
import { performEffect } from './perform.ts'
import { type Send, type SessionParts, STOPPING } from './performing.ts'
import { checkReady } from './ready-provider.ts'
import { tellChange } from './repo-look.ts'
import { openSessions } from './sessions.ts'
import { type SessionPlace, type Submission, type Submitted, submitIf } from './submit.ts'

export interface SessionName {
  readonly tenant: string
  readonly session: string
}

export interface SessionWork {
  /** Resolves when the command is on record; what it calls for goes on behind. */
  submit(place: SessionPlace, command: SessionCommand, submission?: Submission): Promise<Submitted>
  /** What a person says about a call. `approval_arguments_refused` when what they put in its place cannot be. */
  answer(place: SessionPlace, answer: ApprovalAnswer, submission?: Submission): Promise<Submitted>
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

/** Whoever lost a run to another process says nothing more about it. To have been refused by somebody else's run is another matter. */
export const isLost = (error: unknown, runId: string | undefined): boolean =>
  error instanceof Fault &&
  (error.code === 'run_not_owned' || error.code === 'run_is_replay') &&
  (error as Fault<'run_not_owned'>).details.runId === runId

const nodeIn = ({ run }: SessionState): NodeOfRun | null => run?.node ?? null

const isSameNode = (one: NodeOfRun | null, other: NodeOfRun | null): boolean => one?.runId === other?.runId && one?.nodeId === other?.nodeId

/** Nothing is written: the session is somebody else's by now. */
const tooLate = (state: SessionState): Submitted => ({
  state,
  events: [],
  refusal: { code: 'run_missing', message: 'the session works for another run by now' },
  effects: [],
  replayed: null,
})

export function sessionWork(parts: SessionParts): SessionWork {
  const { store } = parts
  const sessions = new Map<string, Busy>()
  const turns = inTurn()
  const deadlines = deadlinesOf(parts)
  const stopping = new AbortController()
  /** Sessions whose work met a trouble of the disk, and goes on when it has passed. */
  const stalled = new Map<string, Promise<void>>()
  let closed = false

  const busyOf = (tenant: string, session: string): Busy => {
    const key = JSON.stringify([tenant, session])
    const found = sessions.get(key) ?? { tasks: new Set(), calls: new AbortController() }
    sessions.set(key, found)
    return found
  }

  /**
   * A session that works for a node is written together with its run. Which of the two ways a command takes is looked at again when it is decided.
   * @param expected where what is under way was begun: it has nothing to say to anybody else
   */
  const send = async (
    place: SessionPlace,
    command: SessionCommand,
    submission: Submission = {},
    expected?: NodeOfRun | null,
  ): Promise<Submitted> => {
    const { tenant, session } = place
    const key = JSON.stringify([tenant, session])
    for (;;) {
      const { state } = await loadSession(store, tenant, session)
      const node = nodeIn(state)
      if (expected !== undefined && !isSameNode(expected, node)) return tooLate(state)
      if (node === null && state.home !== null && (await parts.graph?.isReplay(tenant, state.home)) === true)
        throw new Fault('run_is_replay', { runId: state.home.runId })
      // Of many at once only one is not too late, and all others decide again: in turn nobody has to.
      const submitted =
        node === null || parts.graph === undefined
          ? await turns(key, () => submitIf(store, place, command, submission, found => isSameNode(nodeIn(found), node)))
          : await parts.graph.submit(place, node, command, submission)
      if (submitted === null) continue
      const busy = sessions.get(key)
      const broken = busy === undefined ? null : breaksOff(submitted)
      if (broken !== null) {
        busy!.calls.abort(new Error(broken))
        busy!.calls = new AbortController()
      }
      watch(place, submitted.events)
      begin(tenant, session, submitted.effects)
      return submitted
    }
  }
  /** Nobody waits for an answer for ever. */
  function watch({ tenant, session }: SessionPlace, events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (event.type === 'approval.requested') expire(tenant, session, event)
      if (event.type === 'approval.resolved') deadlines.forget(event.approval)
    }
  }

  function expire(tenant: string, session: string, { approval, expiresAt }: ApprovalTerms): void {
    if (expiresAt === null || closed) return
    const place: SessionPlace = { tenant, session, actor: ACTOR }
    const over = async (): Promise<void> => {
      await send(place, { type: 'answerApproval', approval, decision: 'expired', by: ACTOR }).catch(error => {
        if (!(error instanceof Fault && error.code === 'run_not_owned')) throw error
      })
    }
    deadlines.set(approval, expiresAt, () => void keepTrying(parts, over, error => parts.failed(error, place), stopping.signal))
  }

  /** @param node what it was begun for: null for a session on its own */
  const senderOf =
    (place: SessionPlace, node: NodeOfRun | null): Send =>
    (command, submission, session = place.session) =>
      send({ ...place, session }, command, submission, node === null || session !== place.session ? undefined : node)

  /** What one commit calls for is done in order: tools are called one after the other. */
  function begin(tenant: string, session: string, effects: readonly SessionEffect[]): void {
    if (closed || effects.length === 0) return
    const busy = busyOf(tenant, session)
    const place: SessionPlace = { tenant, session, actor: ACTOR }
    const { signal } = busy.calls
    const task = perform(place, effects, signal).finally(() => {
      busy.tasks.delete(task)
      if (busy.tasks.size === 0) sessions.delete(JSON.stringify([tenant, session]))
    })
    busy.tasks.add(task)
  }

  async function perform(place: SessionPlace, effects: readonly SessionEffect[], signal: AbortSignal): Promise<void> {
    let node: NodeOfRun | null | undefined
    for (const effect of effects) {
      if (closed) return
      try {
        if (node === undefined) node = nodeIn((await keptSession(store, place.tenant, place.session)).state)
        await performEffect({ parts, place, signal, send: senderOf(place, node) }, effect)
      } catch (error) {
        return giveUp(error as Error, place, node ?? null, effect)
      }
    }
  }

  /** A defect of ours: the run must not wait for ever for what nobody does any more. */
  async function giveUp(error: Error, place: SessionPlace, node: NodeOfRun | null, effect: SessionEffect): Promise<void> {
    if (isLost(error, node?.runId)) return
    parts.failed(error, place)
    if (isStoreTrouble(error)) return goOnLater(place)
    const { code, message } = error instanceof Fault ? error : { code: 'internal_error', message: 'something went wrong in the host' }
    const run = 'run' in effect ? { run: effect.run } : {}
    // A call without a result would keep everything after it waiting; with one, the model goes on.
    const give =
      effect.type === 'tool.call'
        ? () => settleCall({ parts, place, send: senderOf(place, node) }, effect, brokenOff(code, message))
        : () => send(place, { type: 'failRun', code, detail: message, ...run }, {}, node === null ? undefined : node)
    await keepTrying(
      parts,
      give,
      again => {
        if (!isLost(again, node?.runId)) parts.failed(again, place)
      },
      stopping.signal,
    )
  }

  /** Takes the session up again, as the next process would, until the disk lets it. */
  function goOnLater(place: SessionPlace): void {
    const { tenant, session } = place
    const key = JSON.stringify([tenant, session])
    if (closed || stalled.has(key)) return
    const goOn = async (): Promise<void> => {
      for (let tried = 1; ; tried += 1) {
        await parts.wait(retryWait(tried), stopping.signal)
        // Work that is under way here would be taken for work that was left behind.
        await Promise.allSettled([...(sessions.get(key)?.tasks ?? [])])
        if (closed) return
        if (sessions.has(key)) continue
        try {
          return await takeUp(tenant, session)
        } catch (error) {
          if (error instanceof Fault && error.code === 'run_not_owned') return
          parts.failed(error as Error, place)
          if (!isStoreTrouble(error)) return
        }
      }
    }
    const going = goOn().finally(() => stalled.delete(key))
    stalled.set(key, going)
  }

  async function takeUp(tenant: string, session: string, tries = 3): Promise<void> {
    const place: SessionPlace = { tenant, session, actor: ACTOR }
    const { state } = await loadSession(store, tenant, session)
    // A run that was taken up starts its nodes, and what was begun here is nothing that another left.
    if (sessions.has(JSON.stringify([tenant, session]))) return
    const node = nodeIn(state)
    if (node !== null && (await parts.graph?.isReplay(tenant, node)) === true) return
    const { commands, effects, interrupted } = unfinished(state, tool => parts.bindings.get(tool)?.repeatable === true)
    for (const command of commands) {
      const { refusal } =
        command.type === 'settleStep'
          ? await tellChange({ parts, place }, { by: 'model', call: null }, brought => send(place, command, brought))
          : await send(place, command)
      // Somebody was quicker, and what was found is no longer so: cancelled, for one.
      if (refusal !== null && tries > 1) return takeUp(tenant, session, tries - 1)
    }
    const { epoch, run } = state
    for (const call of run?.batch?.calls ?? []) {
      if (!isAsked(call)) continue
      const { approval, expiresAt } = call.approval!
      // Time ran out while no host was there: the run goes on from that now, so that a command that waits for it sees its end.
      if (expiresAt !== null && expiresAt <= parts.now())
        await send(place, { type: 'answerApproval', approval, decision: 'expired', by: ACTOR })
      else expire(tenant, session, call.approval!)
    }
    const isAwaited = async ({ id }: OpenCall) =>
      node !== null && run!.phase !== 'cancelling' && (await parts.graph?.awaits(tenant, node, id)) === true
    if (interrupted !== null && !(await isAwaited(interrupted)))
      await settleCall(
        { parts, place, send: senderOf(place, nodeIn(state)) },
        { run: run!.run, batch: run!.batch!.batch, call: interrupted, epoch, stepEpoch: run!.batch!.stepEpoch },
        INTERRUPTED,
      )
    begin(tenant, session, effects)
  }

  return {
    async submit(place, command, submission = {}) {
      await checkMessage(store, place.tenant, command, submission)
      if (command.type === 'requestRun') {
        const { state } = await loadSession(store, place.tenant, place.session)
        // A session that has an open run refuses a further one, whatever its provider lacks.
        if (state.run === null) await checkReady(parts, [(command.overrides ?? state.config).provider.trim()])
      }
      return send(place, command, submission)
    },
    async answer(place, answer, submission = {}) {
      const { command, objects } = await answerCommand(parts, place, answer)
      const isLate = command.decision === 'expired'
      const done = await send(place, command, isLate ? {} : { ...submission, objects: [...(submission.objects ?? []), ...objects] })
      if (isLate) throw new Fault('approval_closed', { problem: `Approval ${answer.approval} has expired` })
      return done
    },
    begin,
    async quiet(tenant, session) {
      for (;;) {
        const key = JSON.stringify([tenant, session])
        const tasks = [...(sessions.get(key)?.tasks ?? []), ...(stalled.has(key) ? [stalled.get(key)] : [])]
        if (tasks.length === 0) return
        await Promise.allSettled(tasks)
      }
    },
    async resume(only) {
      const taken: SessionName[] = []
      for (const tenant of only === undefined ? await store.tenants() : [only.tenant])
        for (const session of only === undefined ? await openSessions(store, tenant) : [only.session]) {
          // One that cannot be taken up keeps no other from it.
          await takeUp(tenant, session).catch(error => {
            if (!(error instanceof Fault && error.code === 'run_not_owned')) parts.failed(error as Error, { tenant, session, actor: ACTOR })
          })
          taken.push({ tenant, session })
        }
      return taken
    },
    async close() {
      closed = true
      stopping.abort()
      deadlines.close()
      for (const { calls } of sessions.values()) calls.abort(STOPPING)
      await Promise.allSettled([...stalled.values(), ...[...sessions.values()].flatMap(({ tasks }) => [...tasks])])
    },
  }
}
