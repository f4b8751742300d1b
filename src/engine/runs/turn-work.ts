// Performs the next effect of each turn, one at a time per turn, and records the result.
import { decideRun } from '../../core/run/decide.ts'
import { draftRun, type RunRuling } from '../../core/run/draft.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import { effectKey, planTurn, type TurnEffect } from '../../core/turn/plan.ts'
import { callInTurn, leftOf, type Turn } from '../../core/turn/state.ts'
import { offeredTools } from '../tools/bound.ts'
import { callModel } from '../turns/call-model.ts'
import { callTool, settleCall } from '../turns/call-tool.ts'
import { brokenOff } from '../turns/done.ts'
import type { Performing, Sent, TurnParts, TurnPlace } from '../turns/performing.ts'
import { STOPPING } from '../turns/performing.ts'
import { type NodeDesk, startStep, storedCatalog } from '../turns/start-step.ts'
import { retry } from '../work/retry.ts'
import { isStoreTrouble } from '../work/store-trouble.ts'
import { callGraphTool, type GraphDesk } from './graph/change-graph.ts'
import { keptRun, type LoadedRun } from './load.ts'
import { failureOf } from './ownership/background.ts'
import { isLost } from './ownership/lost.ts'
import type { WriteOwned } from './ownership/owned-runs.ts'
import { worldOf } from './start/world.ts'
import { type RunChange, unchanged } from './write-run.ts'

export interface TurnWork {
  /** Begins the turn's next effect unless it is already in progress here; ends effects that the turn no longer needs. */
  go(tenant: string, run: LoadedRun, nodeId: string): void
  /** For a turn at this visit. */
  performing(place: TurnPlace, visit: number, signal: AbortSignal): Performing
  /** When nothing of the run is under way here. */
  quiet(tenant: string, runId: string): Promise<void>
  close(): Promise<void>
}

export interface TurnDesk extends Pick<NodeDesk, 'resumes' | 'calls'> {
  readonly parts: TurnParts
  readonly write: WriteOwned
  readonly graph: GraphDesk
  /** The work of the run goes on later, when the disk lets it. */
  readonly later: (tenant: string, runId: string) => void
}

interface Task {
  readonly runId: string
  readonly calls: AbortController
  readonly isModel: boolean
  /** It was called for again while it was under way: it may have come to nothing the first time. */
  isAsked: boolean
  done: Promise<void>
}

const ACTOR = 'onbook'

export function turnWork({ parts, write, graph, later, resumes, calls }: TurnDesk): TurnWork {
  const { store } = parts
  const tasks = new Map<string, Task>()
  const stopping = new AbortController()

  function go(tenant: string, run: LoadedRun, nodeId: string): void {
    if (stopping.signal.aborted) return
    const { state } = run
    const { turn, visits } = nodeOf(state, nodeId)
    if (turn === null) return
    breakOff(tenant, state.runId, nodeId, turn)
    const effect = planTurn(turn)
    if (effect === null || isHeld(state, nodeId, effect)) return
    const key = JSON.stringify([tenant, state.runId, nodeId, visits, effectKey(effect)])
    const known = tasks.get(key)
    if (known !== undefined) {
      known.isAsked = true
      return
    }
    const task: Task = {
      runId: state.runId,
      calls: new AbortController(),
      isModel: effect.type === 'model.call',
      isAsked: false,
      done: Promise.resolve(),
    }
    tasks.set(key, task)
    const place = { tenant, runId: state.runId, nodeId, actor: ACTOR }
    task.done = perform(performing(place, visits, task.calls.signal), effect).then(async isOurs => {
      tasks.delete(key)
      if (task.isAsked && isOurs) go(tenant, await keptRun(store, tenant, state.runId), nodeId)
    })
  }

  /** Only a model is interrupted: tools are let finish. A run that is cancelled ends both. */
  function breakOff(tenant: string, runId: string, nodeId: string, turn: Turn): void {
    const isInterrupted = leftOf(turn, 'interrupt').length > 0 && turn.step?.settled === false
    const reason = turn.phase === 'cancelling' ? 'the run was cancelled' : isInterrupted ? 'it was interrupted' : null
    if (reason === null) return
    for (const [key, { calls, isModel }] of tasks)
      if (key.startsWith(JSON.stringify([tenant, runId, nodeId]).slice(0, -1)) && (isModel || turn.phase === 'cancelling'))
        calls.abort(new Error(reason))
  }

  const performing = (place: TurnPlace, visit: number, signal: AbortSignal): Performing => {
    const { tenant, runId, nodeId } = place
    const isMeant = (state: RunState): boolean => nodeOf(state, nodeId).visits === visit
    return {
      parts,
      place,
      signal,
      async now() {
        const run = await keptRun(store, tenant, runId)
        const node = nodeOf(run.state, nodeId)
        if (node.turn === null || !isMeant(run.state)) return null
        return { run, state: run.state, frozen: await worldOf(store, tenant, run.state), node, turn: node.turn }
      },
      async send(commands, { objects = [], ...brought } = {}) {
        const written = await write(place, async (run, { workflow }): Promise<RunChange<Sent>> => {
          if (!isMeant(run.state)) return unchanged(run, OVER)
          const ruling = [commands]
            .flat()
            .reduce<RunRuling>(
              (draft, command) => ('events' in draft ? decideRun(draft, workflow, { type: 'turn', nodeId, command, ...brought }) : draft),
              draftRun(run.state),
            )
          return 'events' in ruling ? { draft: ruling, objects, answer: SENT } : unchanged(run, { refusal: ruling })
        })
        return written?.answer ?? OVER
      },
    }
  }

  /** Whether this process still owns the run. A lost run is not read again: its cached state is old. */
  async function perform(work: Performing, effect: TurnEffect): Promise<boolean> {
    try {
      await effected(work, effect)
      return true
    } catch (error) {
      if (isLost(error as Error, work.place.runId)) return false
      await giveUp(error as Error, work, effect)
      return true
    }
  }

  function effected(work: Performing, effect: TurnEffect): Promise<void> {
    if (effect.type === 'step.prepare') return prepareStep(work, effect.step)
    if (effect.type === 'model.call') return callModel(work, effect)
    const { id, name } = effect.call
    return isGraphTool(name) ? callGraphTool(graph, work, id) : callTool(work, id)
  }

  async function prepareStep({ place }: Performing, step: number): Promise<void> {
    const { tenant, nodeId } = place
    const offered = await offeredTools(parts, tenant)
    const hostCatalog = offered === null ? null : storedCatalog(offered)
    await write(place, async (run, frozen, load) => {
      const turn = nodeOf(run.state, nodeId).turn
      if (turn === null || turn.steps + 1 !== step || planTurn(turn)?.type !== 'step.prepare') return null
      const desk: NodeDesk = { store, tenant, nodeId, run, frozen, load, hostCatalog, resumes, calls }
      return { ...(await startStep(desk, draftRun(run.state), step)), answer: null }
    })
  }

  /** A defect in this code: the run must not wait forever for work that has no worker. */
  async function giveUp(error: Error, work: Performing, effect: TurnEffect): Promise<void> {
    const { place, signal } = work
    const { tenant, runId } = place
    if (signal.reason === STOPPING) return
    parts.failed(error, place)
    if (isStoreTrouble(error)) return later(tenant, runId)
    const { code, detail } = failureOf(error)
    const give = async (): Promise<void> => {
      const call = effect.type === 'tool.call' ? callInTurn((await work.now())?.turn ?? { calls: [] }) : null
      // A call without a result would keep everything after it waiting; with one, the model goes on.
      if (call !== null) return settleCall(work, call, brokenOff(code, detail))
      await work.send({ type: 'fail', code, detail })
    }
    const failed = (again: Error): void => {
      if (!isLost(again, runId)) parts.failed(again, place)
    }
    await retry(parts, give, failed, stopping.signal)
  }

  return {
    go,
    performing,
    async quiet(tenant, runId) {
      const prefix = JSON.stringify([tenant, runId]).slice(0, -1)
      for (;;) {
        const open = [...tasks].filter(([key]) => key.startsWith(prefix)).map(([, { done }]) => done)
        if (open.length === 0) return
        await Promise.allSettled(open)
      }
    },
    async close() {
      stopping.abort()
      for (const { calls } of tasks.values()) calls.abort(STOPPING)
      await Promise.allSettled([...tasks.values()].map(({ done }) => done))
    },
  }
}

const SENT: Sent = { refusal: null }
const OVER: Sent = { refusal: { code: 'node_not_running', message: 'the node has moved on' } }

/** A call that stays open until another node replies has no work to do. */
const isHeld = ({ awaited }: RunState, nodeId: string, effect: TurnEffect): boolean =>
  effect.type === 'tool.call' && awaited.some(one => one.nodeId === nodeId && one.call === effect.call.id)
