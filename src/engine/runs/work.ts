// The conductor of graphs: starts what may start, ends what has to end, and lets sessions do the rest. The only one who advances runs.

import type { RunCommand } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { isReplay } from '../../core/run/fork.ts'
import { graphOf, nextIn } from '../../core/run/graph.ts'
import { isBusy, isEnded, nodeOf } from '../../core/run/state.ts'
import { goOn as goOnIn } from '../../core/session/plan.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import { Fault } from '../../errors.ts'
import { deadlinesOf } from '../deadlines.ts'
import { validatorOf } from '../fair-validator.ts'
import { keepTrying, retryWait } from '../keep-trying.ts'
import { loadSession } from '../sessions/load.ts'
import type { SessionGraph, SessionParts } from '../sessions/performing.ts'
import { checkReady } from '../sessions/ready-provider.ts'
import { isLost, type SessionWork, sessionWork } from '../sessions/work.ts'
import { isStoreTrouble } from '../store-trouble.ts'
import { offeredTools } from '../tools/bound.ts'
import { replyMisfit } from './check-reply.ts'
import { commandRun, type RunSubmission } from './command-run.ts'
import { type CreatedRun, type CreateRun, createRun } from './create.ts'
import type { RunWorld } from './frozen.ts'
import { graphWork } from './graph-work.ts'
import { attachNode, detachEnded, detachNodes } from './homes.ts'
import { keptRun, type LoadedRun, loadRun } from './load.ts'
import { askForMode } from './mode-answers.ts'
import { ownedRuns, type WriteOwned } from './owned-runs.ts'
import { providersOfWorkflow } from './providers.ts'
import { scrubbedCommand } from './remarks.ts'
import { requestImplementation } from './request-implementation.ts'
import { openRuns } from './runs.ts'
import { changeSession } from './session-graph.ts'
import { startNode } from './start-node.ts'
import { storedCatalog } from './start-step.ts'
import { workflowNow } from './world.ts'
import type { RunPlace } from './write-run.ts'

export interface RunParts extends Omit<SessionParts, 'graph'> {
  /** Names this process for as long as it lives: who else claims a run takes it away. */
  readonly owner: string
  readonly world: RunWorld
  /** Runs of one tenant that may be open; a further one is refused with `runs_busy`. */
  readonly mostOpenRuns?: number
}

export interface SubmittedRun {
  readonly run: LoadedRun
  readonly events: readonly RunEvent[]
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly replayed: boolean
}

export type RunName = Pick<RunPlace, 'tenant' | 'runId'>

export interface RunWork {
  /** Everything that is not a run's, and the sessions of its nodes as well. */
  readonly sessions: SessionWork
  /** Resolves when the run is on record; it goes on by itself. */
  create(place: RunPlace, request: CreateRun): Promise<SubmittedRun & Pick<CreatedRun, 'warnings'>>
  /** Throws `runs_busy` when the tenant has as many open runs as it may. */
  admit(tenant: string): void
  submit(place: RunPlace, command: RunCommand, submission?: RunSubmission): Promise<SubmittedRun>
  /** Takes up what a host that is gone has left, in all runs or in one; how many runs. */
  resume(only?: RunName): Promise<number>
  /** When nothing of the run is under way here. */
  quiet(tenant: string, runId: string): Promise<void>
  close(): Promise<void>
}

const ACTOR = 'onbook'
const RETRY_MS = 5_000
const keyOf = (tenant: string, runId: string): string => JSON.stringify([tenant, runId])

export function runWork(parts: RunParts): RunWork {
  const { store, owner, mostOpenRuns = Infinity } = parts
  const opened = openCount()
  const writeOwned = ownedRuns(store, owner)
  const tasks = new Map<string, Set<Promise<void>>>()
  const deadlines = deadlinesOf(parts)
  const stopping = new AbortController()
  /** Runs whose work met a trouble of the disk and waits; and how often it did since the last write. */
  const stalled = new Set<string>()
  const tries = new Map<string, number>()
  let closed = false

  const resumes = (provider: string): boolean => parts.models.resumes?.(provider) === true
  const calls = async (provider: string): Promise<Calling> => (await parts.models.calls?.(provider)) ?? 'native'

  const write: WriteOwned = async (place, decide, claiming) => {
    const written = await writeOwned(place, decide, claiming)
    if (written !== null) tries.delete(keyOf(place.tenant, place.runId))
    // Whoever claims takes up first what another left: what is begun before that would be taken for it.
    if (written !== null && !written.replayed && claiming !== true) advance(place.tenant, written.run)
    return written
  }
  const grown = graphWork({ parts, write, sessions: () => sessions, deadlines, begin, resumes, calls })

  const graph: SessionGraph = {
    async submit(place, { runId, nodeId }, command, submission) {
      const { tenant, session, actor, cause = null } = place
      const written = await write({ tenant, runId, actor, cause }, async (run, frozen, load) =>
        changeSession({ store, tenant, nodeId, session, run, frozen, resumes, calls }, await load(session), command, submission),
      )
      if (written === null) return null
      return written.replayed ? { ...written.answer, events: [], effects: [] } : written.answer
    },
    async held(place, { runId, nodeId }) {
      // Nobody but its owner writes to a run: what is kept here is what was committed last.
      const { state } = await keptRun(store, place.tenant, runId)
      const { conversation, delta } = nodeOf(state, nodeId)
      return delta ? conversation : null
    },
    misfit: async (tenant, { runId, nodeId }, text, snapshot) => {
      const { state } = await keptRun(store, tenant, runId)
      return replyMisfit({ store, validator: validatorOf(parts.validator, tenant) }, tenant, state, nodeId, text, snapshot)
    },
    isReplay: async (tenant, { runId }) => isReplay((await loadRun(store, tenant, runId)).state),
    ...grown.graph,
  }
  const asking = requestImplementation(
    async ({ tenant, session }) => (await loadSession(store, tenant, session)).state.run?.node ?? null,
    (tenant, node, reason) => askForMode(store, submit, `approval_${parts.newId()}`, tenant, node, reason),
  )
  const bindings = new Map([...parts.bindings, [asking.descriptor.name, asking]])
  const sessions = sessionWork({ ...parts, bindings, graph })

  function begin(tenant: string, runId: string, work: () => Promise<void>): void {
    if (closed) return
    const key = keyOf(tenant, runId)
    const open = tasks.get(key) ?? new Set()
    tasks.set(key, open)
    const task = work()
      .catch(error => giveUp(error as Error, tenant, runId))
      .finally(() => {
        open.delete(task)
        if (open.size === 0) tasks.delete(key)
      })
    open.add(task)
  }

  /** A defect of ours: the run must not wait for ever for what nobody does any more. Whoever lost a run says nothing more about it. */
  async function giveUp(error: Error, tenant: string, runId: string): Promise<void> {
    if (isLost(error, runId)) return opened.note(tenant, runId, false)
    parts.failed(error, { tenant, session: runId, actor: ACTOR })
    if (isStoreTrouble(error)) return goOnLater(tenant, runId)
    const { code, message } = error instanceof Fault ? error : { code: 'internal_error', message: 'something went wrong in the host' }
    const fail = () => submit({ tenant, runId, actor: ACTOR }, { type: 'fail', code, detail: message })
    const failed = (again: Error): void => {
      if (!isLost(again, runId)) parts.failed(again, { tenant, session: runId, actor: ACTOR })
    }
    await keepTrying(parts, fail, failed, stopping.signal)
  }

  /** Advances the run once more after a wait, and after a longer one each time that it meets the same trouble. */
  async function goOnLater(tenant: string, runId: string): Promise<void> {
    const key = keyOf(tenant, runId)
    if (stalled.has(key)) return
    stalled.add(key)
    const tried = (tries.get(key) ?? 0) + 1
    tries.set(key, tried)
    await parts.wait(retryWait(tried), stopping.signal)
    stalled.delete(key)
    begin(tenant, runId, async () => advance(tenant, await loadRun(store, tenant, runId)))
  }

  /** What the run calls for as it stands. */
  function advance(tenant: string, run: LoadedRun): void {
    const { state } = run
    const { runId, phase, nodes } = state
    opened.note(tenant, runId, !isEnded(state))
    if (closed) return
    if (isEnded(state)) {
      deadlines.forget(keyOf(tenant, runId))
      begin(tenant, runId, () => detachNodes(store, sessions, tenant, state))
    }
    if (phase === 'running')
      begin(tenant, runId, async () => {
        for (const nodeId of nextIn(graphOf(await workflowNow(store, tenant, state)), state).start) start(tenant, runId, nodeId)
      })
    grown.advance(tenant, run)
    if (phase === 'cancelling')
      for (const node of Object.values(nodes)) if (isBusy(node)) begin(tenant, runId, () => cancel(tenant, runId, node.session))
  }

  const starting = new Set<string>()

  function start(tenant: string, runId: string, nodeId: string): void {
    const key = JSON.stringify([tenant, runId, nodeId])
    if (starting.has(key)) return
    starting.add(key)
    begin(tenant, runId, async () => {
      try {
        const place = { tenant, runId, actor: ACTOR }
        await attachNode(store, sessions, place, nodeId)
        const offered = await offeredTools(parts, tenant)
        const hostCatalog = offered === null ? null : storedCatalog(offered)
        const written = await write(place, (run, frozen, load) =>
          startNode({ store, tenant, nodeId, run, frozen, resumes, calls }, load, hostCatalog),
        )
        if (written !== null) sessions.begin(tenant, written.answer.session, written.answer.effects)
        // Ended while its home was told that it starts.
        const { state } = await keptRun(store, tenant, runId)
        if (written === null && isEnded(state)) await detachNodes(store, sessions, tenant, state)
      } finally {
        starting.delete(key)
      }
    })
  }

  async function cancel(tenant: string, runId: string, session: string): Promise<void> {
    const { state } = await loadSession(store, tenant, session)
    if (state.run?.node?.runId !== runId || state.run.phase === 'cancelling') return
    const command = { kind: 'cancel', id: parts.newId(), reason: 'the run ends' } as const
    await sessions.submit({ tenant, session, actor: ACTOR }, { type: 'receive', command })
  }

  async function takeUpNodes(tenant: string, { state: { runId, phase, nodes } }: LoadedRun): Promise<void> {
    for (const node of Object.values(nodes)) {
      if (!isBusy(node)) continue
      // The session must know that it is cancelled before it is taken up: otherwise it asks its model again, and waits where that is not ready.
      if (phase === 'cancelling') await cancel(tenant, runId, node.session)
      await sessions.resume({ tenant, session: node.session })
    }
  }

  /** What a pause held back. */
  async function poke(tenant: string, runId: string): Promise<void> {
    const { state } = await loadRun(store, tenant, runId)
    for (const { status, session } of Object.values(state.nodes)) {
      if (status !== 'running') continue
      const { state: of } = await loadSession(store, tenant, session)
      if (of.run?.node?.runId === runId) sessions.begin(tenant, session, goOnIn(of.run))
    }
  }

  async function submit(place: RunPlace, asked: RunCommand, submission: RunSubmission = {}): Promise<SubmittedRun> {
    const { tenant, runId } = place
    const command = await scrubbedCommand(parts, tenant, asked)
    const written = await write(
      place,
      (run, { workflow }, load) => commandRun(load, run, workflow, command, submission),
      command.type === 'claim',
    )
    const { run, answer, replayed } = written!
    const { events, refusal, told } = answer
    if (replayed) return { run, events: [], refusal, replayed }
    if (command.type === 'resume' && refusal === null) begin(tenant, runId, () => poke(tenant, runId))
    if (told !== null) sessions.begin(tenant, told.session, told.decided.effects)
    return { run, events, refusal, replayed }
  }

  /** Whatever is under way is ended when the time is up. */
  function watch(tenant: string, { state: { runId, budget }, createdAt }: LoadedRun): void {
    const { milliseconds } = budget
    if (milliseconds === null) return
    const detail = `the run may take ${milliseconds} ms, and they are over`
    deadlines.set(keyOf(tenant, runId), Date.parse(createdAt) + milliseconds, () =>
      begin(tenant, runId, async () => {
        await submit({ tenant, runId, actor: ACTOR }, { type: 'fail', code: 'budget_exhausted', detail })
      }),
    )
  }

  const admit = (tenant: string): void => {
    const count = opened.of(tenant)
    if (count >= mostOpenRuns) throw new Fault('runs_busy', { open: count, retryAfterMs: RETRY_MS })
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
      if (made.replayed) return { ...made, refusal: null }
      if (!isEnded(made.run.state)) watch(place.tenant, made.run)
      advance(place.tenant, made.run)
      return { ...made, refusal: null }
    },
    async resume(only) {
      let count = 0
      const claimed: RunName[] = []
      for (const tenant of only === undefined ? await store.tenants() : [only.tenant])
        for (const runId of only === undefined ? await openRuns(store, tenant) : [only.runId]) {
          const place = { tenant, runId, actor: ACTOR }
          const take = async () => (isReplay((await loadRun(store, tenant, runId)).state) ? null : submit(place, { type: 'claim', owner }))
          // One that cannot be taken up keeps no other from it.
          const taken = await take().catch(error => {
            parts.failed(error as Error, { tenant, session: runId, actor: ACTOR })
            return null
          })
          if (taken === null) continue
          count += 1
          claimed.push({ tenant, runId })
        }
      if (only === undefined) {
        await detachEnded(parts, sessions)
        await sessions.resume()
      }
      for (const { tenant, runId } of claimed) {
        if (only !== undefined) await takeUpNodes(tenant, await loadRun(store, tenant, runId))
        // Loaded after its sessions: cancelling them may have ended the run.
        const run = await loadRun(store, tenant, runId)
        if (!isEnded(run.state)) watch(tenant, run)
        advance(tenant, run)
      }
      return count
    },
    async quiet(tenant, runId) {
      const key = keyOf(tenant, runId)
      for (;;) {
        const { state, seq } = await keptRun(store, tenant, runId)
        await Promise.allSettled([...(tasks.get(key) ?? [])])
        for (const { session } of Object.values(state.nodes)) await sessions.quiet(tenant, session)
        if (!tasks.has(key) && (await keptRun(store, tenant, runId)).seq === seq) return
      }
    },
    async close() {
      closed = true
      stopping.abort()
      deadlines.close()
      await sessions.close()
      await Promise.allSettled([...tasks.values()].flatMap(open => [...open]))
    },
  }
}

/** How many runs of each tenant are open here: claimed by this process, and not ended. */
function openCount() {
  const runs = new Map<string, Set<string>>()
  return {
    of: (tenant: string): number => runs.get(tenant)?.size ?? 0,
    note(tenant: string, runId: string, isOpen: boolean): void {
      const known = runs.get(tenant) ?? new Set()
      if (isOpen) runs.set(tenant, known.add(runId))
      else if (known.delete(runId) && known.size === 0) runs.delete(tenant)
    },
  }
}
