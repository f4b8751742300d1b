// Folder: The conductor: freezes the world of a run, starts nodes, lets each turn do its work, ends runs. It sends nothing that is not on record, and writes to no run that another process has claimed.
// The conductor: starts nodes that may start, lets each turn do what it calls for, and ends what has to end. Nothing else advances runs.
import { decideRun, type RunCommand } from '../../core/run/decide.ts'
import { draftRun } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { isReplay } from '../../core/run/fork.ts'
import { graphOf, nextIn } from '../../core/run/graph/graph.ts'
import { isEnded, nodeOf } from '../../core/run/state.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import { Fault } from '../../errors.ts'
import type { Commit } from '../../ports.ts'
import { checkMessage } from '../sessions/check-message.ts'
import { type SessionWork, sessionWork } from '../sessions/work.ts'
import { offeredTools } from '../tools/bound.ts'
import { type ApprovalAnswer, answerCommand } from '../turns/answer-approval.ts'
import type { TurnParts } from '../turns/performing.ts'
import { checkReady } from '../turns/ready-provider.ts'
import { requestImplementation } from '../turns/request-implementation.ts'
import { type NodeDesk, storedCatalog } from '../turns/start-step.ts'
import { deadlinesOf } from '../work/deadlines.ts'
import { deliverLetters } from './graph/mail.ts'
import { askForMode } from './graph/mode-request.ts'
import { settleReply } from './graph/replies.ts'
import { keptRun, type LoadedRun, loadRun } from './load.ts'
import { background } from './ownership/background.ts'
import { isLost } from './ownership/lost.ts'
import { openCount } from './ownership/open-count.ts'
import { ownedRuns, type WriteOwned } from './ownership/owned-runs.ts'
import { busyNodes, resumeTurn, visitOf } from './ownership/resume-turn.ts'
import { scrubbedCommand } from './remarks.ts'
import { openRuns } from './runs.ts'
import { type AskSession, askSession } from './start/ask-session.ts'
import { type CreatedRun, type CreateRun, createRun } from './start/create.ts'
import { type RunWorld, roleIn } from './start/frozen.ts'
import { providersOfWorkflow } from './start/providers.ts'
import { workflowNow } from './start/world.ts'
import { startNode } from './start-node.ts'
import { timesOf } from './times.ts'
import { turnWork } from './turn-work.ts'
import { type RunChange, type RunPlace, unchanged } from './write-run.ts'

export interface RunParts extends TurnParts {
  /** Names this process for as long as it lives: another that claims a run takes it away. */
  readonly owner: string
  readonly world: RunWorld
  /** Runs of one tenant that may be open; a further one is refused with `runs_busy`. */
  readonly mostOpenRuns?: number
}

export interface RunSubmission {
  readonly objects?: readonly Uint8Array[]
  readonly idempotency?: (events: readonly RunEvent[]) => Commit['idempotency'] | undefined
}

export interface SubmittedRun {
  readonly run: LoadedRun
  readonly events: readonly RunEvent[]
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly replayed: boolean
}

export type RunName = Pick<RunPlace, 'tenant' | 'runId'>

export interface RunWork {
  readonly sessions: SessionWork
  /** Resolves when the run is on record; it goes on by itself. */
  create(place: RunPlace, request: CreateRun): Promise<SubmittedRun & Pick<CreatedRun, 'warnings'>>
  /** Creates a run with a graph of one node, which asks the session directly. */
  ask(place: RunPlace, request: AskSession): Promise<SubmittedRun>
  /** Throws `runs_busy` when the tenant has as many open runs as it may. */
  admit(tenant: string): void
  submit(place: RunPlace, command: RunCommand, submission?: RunSubmission): Promise<SubmittedRun>
  /** A person's answer about a call. `approval_arguments_refused` when the arguments that they give cannot be used. */
  answer(place: RunPlace & { readonly nodeId: string }, answer: ApprovalAnswer, submission?: RunSubmission): Promise<SubmittedRun>
  /** Resumes the work of a host that is gone, in all runs or in one. Returns the number of runs. */
  resume(only?: RunName): Promise<number>
  /** When nothing of the run is under way here. */
  quiet(tenant: string, runId: string): Promise<void>
  close(): Promise<void>
}

const keyOf = ({ tenant, runId }: RunName): string => JSON.stringify([tenant, runId])
const ACTOR = 'onbook'
const RETRY_MS = 5_000

export function runWork(given: RunParts): RunWork {
  const { store, owner, mostOpenRuns = Infinity } = given
  const asking = requestImplementation((tenant, node, reason) =>
    askForMode(store, submit, `approval_${given.newId()}`, tenant, node, reason),
  )
  const parts: RunParts = { ...given, bindings: new Map([...given.bindings, [asking.descriptor.name, asking]]) }
  const opened = openCount()
  const writeOwned = ownedRuns(store, owner)
  const tasks = background(parts, {
    goOn: async (tenant, runId) => advance(tenant, await loadRun(store, tenant, runId)),
    fail: (tenant, runId, failure) => submit({ tenant, runId, actor: ACTOR }, { type: 'fail', ...failure }),
    lost: (tenant, runId) => opened.note(tenant, runId, false),
  })
  const { begin, signal } = tasks
  /** Runs that are being resumed. No work begins in them before every turn is resumed: it would count as work that another host left. */
  const arriving = new Set<string>()

  const resumes = (provider: string): boolean => parts.models.resumes?.(provider) === true
  const calls = async (provider: string): Promise<Calling> => (await parts.models.calls?.(provider)) ?? 'native'

  const write: WriteOwned = async (place, decide, claiming) => {
    const written = await writeOwned(place, decide, claiming)
    if (written !== null) tasks.wrote(place.tenant, place.runId)
    if (written?.wrote === true && !arriving.has(keyOf(place))) advance(place.tenant, written.run)
    return written
  }
  const roleNamed = (name: string) => roleIn(parts.world.roles, name)
  const later = (tenant: string, runId: string): void => void tasks.later(tenant, runId)
  const turns = turnWork({ parts, write, graph: { write, roleNamed, calls }, later, resumes, calls })
  const sessions = sessionWork(parts)
  const deadlines = deadlinesOf(parts)
  const times = timesOf(deadlines, {
    async approval(tenant, runId, nodeId, approval) {
      const command = { type: 'answerApproval', approval, decision: 'expired', by: ACTOR, note: null, arguments: null } as const
      await submit({ tenant, runId, actor: ACTOR }, { type: 'turn', nodeId, command })
    },
    reply: (tenant, runId, handoff) => settle(tenant, runId, handoff),
    async budget(tenant, runId, detail) {
      await submit({ tenant, runId, actor: ACTOR }, { type: 'fail', code: 'budget_exhausted', detail })
    },
    begin,
  })

  /** Starts the work that the run's state calls for. */
  function advance(tenant: string, run: LoadedRun): void {
    const { state } = run
    const { runId, phase, awaited, inbox } = state
    opened.note(tenant, runId, !isEnded(state))
    if (signal.aborted) return
    times.watch(tenant, run)
    if (isEnded(state)) return
    if (phase === 'running')
      begin(tenant, runId, async () => {
        for (const nodeId of nextIn(graphOf(await workflowNow(store, tenant, state)), state).start) start(tenant, runId, nodeId)
      })
    for (const nodeId of busyNodes(state)) turns.go(tenant, run, nodeId)
    for (const { handoff, nodeId, reply } of awaited)
      if (reply !== null || nodeOf(state, nodeId).turn?.phase === 'cancelling') begin(tenant, runId, () => settle(tenant, runId, handoff))
    for (const to of new Set(inbox.map(one => one.to)))
      if (nodeOf(state, to).status === 'waiting' && phase === 'running') begin(tenant, runId, () => deliver(tenant, runId, to))
  }

  const starting = new Set<string>()

  function start(tenant: string, runId: string, nodeId: string): void {
    const key = JSON.stringify([tenant, runId, nodeId])
    if (starting.has(key)) return
    starting.add(key)
    begin(tenant, runId, async () => {
      try {
        await write({ tenant, runId, actor: ACTOR }, async (run, frozen, load) =>
          startNode({ store, tenant, nodeId, run, frozen, load, hostCatalog: await catalogOf(tenant), resumes, calls }),
        )
      } finally {
        starting.delete(key)
      }
    })
  }

  async function catalogOf(tenant: string): Promise<NodeDesk['hostCatalog']> {
    const offered = await offeredTools(parts, tenant)
    return offered === null ? null : storedCatalog(offered)
  }

  async function settle(tenant: string, runId: string, handoff: string): Promise<void> {
    const place = { tenant, runId, actor: ACTOR }
    await write(place, (run, frozen) => settleReply(parts, place, handoff, run, frozen))
  }

  /** A handoff for a node that waits. A node at work finds its mail at its next step. */
  async function deliver(tenant: string, runId: string, nodeId: string): Promise<void> {
    await write({ tenant, runId, actor: ACTOR }, async ({ state }, { workflow }) => {
      if (nodeOf(state, nodeId).status !== 'waiting' || state.phase !== 'running') return null
      return { ...(await deliverLetters(store, tenant, draftRun(state), workflow, nodeId, 1)), answer: null }
    })
  }

  async function submit(place: RunPlace, asked: RunCommand, submission: RunSubmission = {}): Promise<SubmittedRun> {
    if (asked.type === 'turn' && asked.command.type === 'leaveMessage')
      await checkMessage(store, place.tenant, asked.command.message.message, submission.objects)
    const command = await scrubbedCommand(parts, place.tenant, asked)
    const written = await write(
      place,
      async (run, { workflow }): Promise<RunChange<Pick<SubmittedRun, 'events' | 'refusal'>>> => {
        const ruling = decideRun(draftRun(run.state), workflow, command)
        if (!('events' in ruling)) return unchanged(run, { events: [], refusal: ruling })
        const storedAnswer = submission.idempotency?.(ruling.events)
        return {
          draft: ruling,
          objects: submission.objects ?? [],
          ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
          answer: { events: ruling.events, refusal: null },
        }
      },
      command.type === 'claim',
    )
    const { run, answer, replayed } = written!
    return { run, events: replayed ? [] : answer.events, refusal: answer.refusal, replayed }
  }

  const admit = (tenant: string): void => {
    const count = opened.of(tenant)
    if (count >= mostOpenRuns) throw new Fault('runs_busy', { open: count, retryAfterMs: RETRY_MS })
  }

  async function resumeRun({ tenant, runId }: RunName): Promise<void> {
    const { state } = await loadRun(store, tenant, runId)
    for (const nodeId of busyNodes(state)) {
      const place = { tenant, runId, nodeId, actor: ACTOR }
      await resumeTurn(turns.performing(place, visitOf(state, nodeId), signal))
    }
    arriving.delete(keyOf({ tenant, runId }))
    advance(tenant, await loadRun(store, tenant, runId))
  }

  return {
    sessions,
    submit,
    admit,
    async create(place, request) {
      admit(place.tenant)
      if (parts.models.unready !== undefined)
        await checkReady(parts, await providersOfWorkflow(store, place.tenant, request.workflow, parts.world))
      const made = await createRun(store, place, request, parts.world, owner, parts.validator)
      if (!made.replayed) advance(place.tenant, made.run)
      return { ...made, refusal: null }
    },
    async ask(place, request) {
      admit(place.tenant)
      const made = await askSession(parts, place, request, { owner, hostCatalog: await catalogOf(place.tenant), resumes, calls })
      if (!made.replayed) advance(place.tenant, made.run)
      return { ...made, refusal: null }
    },
    async answer(place, answer, submission = {}) {
      const { tenant, runId, nodeId } = place
      const { state } = await loadRun(store, tenant, runId)
      const at = await turns.performing(place, visitOf(state, nodeId), signal).now()
      const { command, objects } = await answerCommand(parts, place, at, answer)
      const isLate = command.decision === 'expired'
      const accepted = isLate ? {} : { ...submission, objects: [...(submission.objects ?? []), ...objects] }
      const done = await submit(place, { type: 'turn', nodeId, command }, accepted)
      if (isLate) throw new Fault('approval_closed', { problem: `Approval ${answer.approval} has expired` })
      return done
    },
    async resume(only) {
      const claimed: RunName[] = []
      for (const tenant of only === undefined ? await store.tenants() : [only.tenant])
        for (const runId of only === undefined ? await openRuns(store, tenant) : [only.runId]) {
          const place = { tenant, runId, actor: ACTOR }
          arriving.add(keyOf(place))
          const take = async () => (isReplay((await loadRun(store, tenant, runId)).state) ? null : submit(place, { type: 'claim', owner }))
          // A run that cannot be resumed does not block others.
          const taken = await take().catch(error => {
            parts.failed(error as Error, { tenant, runId })
            return null
          })
          if (taken === null) arriving.delete(keyOf(place))
          else claimed.push({ tenant, runId })
        }
      if (only === undefined) await sessions.resume()
      for (const run of claimed)
        await resumeRun(run).catch(error => {
          arriving.delete(keyOf(run))
          if (!isLost(error, run.runId)) parts.failed(error as Error, run)
        })
      return claimed.length
    },
    async quiet(tenant, runId) {
      for (;;) {
        const { seq } = await keptRun(store, tenant, runId)
        await tasks.settled(tenant, runId)
        await turns.quiet(tenant, runId)
        if (!tasks.isBusy(tenant, runId) && (await keptRun(store, tenant, runId)).seq === seq) return
      }
    },
    async close() {
      tasks.stop()
      deadlines.close()
      await turns.close()
      await sessions.close()
      await tasks.close()
    },
  }
}
