// Walks a replay fork to its end: the same decisions in the order of the source, with recorded outcomes in place of every model, tool and
// person. A node whose outcome is not on record fails.
import { nodeFor } from '../../core/fork/asked.ts'
import { objectDifference, type UnusableObject } from '../../core/fork/differences.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { isBusy, isEnded, type RunState } from '../../core/run/state.ts'
import { callInTurn } from '../../core/turn/state.ts'
import { Fault, type FaultCode } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { isMalformed } from '../reading/malformed.ts'
import type { ReplayedPrompt } from '../replay/decisions.ts'
import { type LoadedRun, loadRun } from '../runs/load.ts'
import { acts } from './acts.ts'
import { isOver, playerOf } from './player.ts'
import { readSource } from './source.ts'
import type { Stage } from './stage.ts'

export interface Played {
  readonly run: LoadedRun
  /** In the order of their discovery in this walk. */
  readonly divergences: readonly Divergence[]
  /** The last sequence of the record, and whether its run had ended there. */
  readonly last: number
  readonly over: boolean
}

export interface Playing {
  readonly store: Store
  readonly tenant: string
  readonly forkId: string
  /** Where its source is: the same store, or a run file. */
  readonly from?: Store
  readonly onPrompt?: (prompt: ReplayedPrompt) => void
  /** After an abort the next host continues the walk. */
  readonly signal?: AbortSignal
}

const ACTOR = 'onbook'
/** The most internal steps of a node between two events of its run. */
const MOST_SILENT = 16
/** Times to look at a fork in which nothing happens. */
const MOST_STILL = 4 * MOST_SILENT
const UNUSABLE: readonly FaultCode[] = ['object_missing', 'object_corrupt', 'object_malformed', 'replay_source_missing']

/** Continues from the current position of the fork. */
export async function playFork({ store, tenant, forkId, from = store, onPrompt = () => {}, signal }: Playing): Promise<Played> {
  const stateNow = async (): Promise<RunState> => (await loadRun(store, tenant, forkId)).state
  const { forkOf } = await stateNow()
  if (forkOf?.mode !== 'replay') throw new Fault('fork_refused', { runId: forkId, problem: 'it is not a replay' })
  const { runId } = forkOf
  const source = await readSource(from, tenant, { runId, forkId })
  const divergences: Divergence[] = [...source.broken]
  const open = async () => acts(await playerOf(store, tenant, source, { diverged: one => void divergences.push(one), onPrompt }))
  let doing = await open()

  const mustMove = moving()
  const named = new Set<string>()
  let silent = 0
  while (!isEnded(await stateNow()) && signal?.aborted !== true) {
    mustMove((await loadRun(store, tenant, forkId)).seq)
    const { player } = doing.stage
    const { kept, next } = player.run()
    const event = kept[next]
    if (event === undefined) break
    const writes = player.writes()
    // An event that no run of this program writes is skipped, like every event that cannot happen again.
    const lost = await doing.again(event).then(
      () => null,
      error => (isMalformed(error) ? null : unusable(error)),
    )
    if (lost !== null) {
      // The cause comes before everything that follows from the failure.
      if (lost.object !== null && !named.has(lost.object.digest)) await player.tell(objectDifference(event, lost.object))
      if (lost.object !== null) named.add(lost.object.digest)
      await failNode(doing.stage, nodeFor(event.event), missing(runId, lost.what))
    }
    silent = player.run().next === next ? silent + 1 : 0
    if (player.writes() > writes && silent <= MOST_SILENT) continue
    silent = 0
    // Another process may be walking it too: then it has come further than is known here.
    doing = await open()
    if (doing.stage.player.position() === player.position()) await doing.stage.player.skip()
  }
  const end = missing(runId, `anything after event ${source.run.at(-1)!.sequence}`)
  for (let state = await stateNow(); !isEnded(state) && signal?.aborted !== true; state = await stateNow()) {
    mustMove((await loadRun(store, tenant, forkId)).seq)
    await endUnrecorded(doing.stage, state, end)
    doing = await open()
  }
  const last = source.run.at(-1)!.sequence
  return { run: await loadRun(store, tenant, forkId), divergences, last, over: isOver(source) }
}

/** A walk that makes no progress ends as a defect instead of running forever. */
function moving(): (seq: number) => void {
  let [last, still] = [-1, 0]
  return seq => {
    still = seq === last ? still + 1 : 0
    last = seq
    if (still > MOST_STILL) throw new Error('a replay does not come further')
  }
}

/** Ends a fork that could not be walked to its end: it must not look as if a host still worked on it. */
export async function giveUpFork(store: Store, tenant: string, forkId: string, error: unknown): Promise<void> {
  const { code, message } = error instanceof Fault ? error : { code: 'internal_error', message: 'the replay failed unexpectedly' }
  let last = -1
  for (let run = await loadRun(store, tenant, forkId); !isEnded(run.state) && run.seq > last; run = await loadRun(store, tenant, forkId)) {
    last = run.seq
    const source = { names: { runId: run.state.forkOf!.runId, forkId }, broken: [], run: [] }
    const { stage } = acts(await playerOf(store, tenant, source, { diverged: () => {}, onPrompt: () => {} }))
    await endUnrecorded(stage, run.state, { code, message })
  }
}

const missing = (runId: string, what: string): Fault => new Fault('replay_source_missing', { runId, what })

interface Lost {
  readonly what: string
  readonly object: UnusableObject | null
}

function unusable(error: unknown): Lost {
  if (!(error instanceof Fault) || !UNUSABLE.includes(error.code)) throw error
  const { digest, what, found } = error.details as { readonly digest?: string; readonly what?: string; readonly found?: string }
  const object = digest === undefined ? null : { code: error.code, digest, found: found ?? null }
  return { what: what ?? `object ${digest}`, object }
}

type Why = Pick<Fault, 'message'> & { readonly code: string }

async function failNode(stage: Stage, nodeId: string | null, { code, message: detail }: Why): Promise<void> {
  if (nodeId !== null) await settleCalls(stage, nodeId)
  const refusal = nodeId === null || (await stage.send(nodeId, ACTOR, { type: 'fail', code, detail })).refusal
  if (refusal !== null) await stage.command(ACTOR, { type: 'fail', code, detail })
}

/** A call without a result would keep its run open. */
async function settleCalls(stage: Stage, nodeId: string): Promise<void> {
  for (;;) {
    const turn = await stage.turn(nodeId)
    const call = turn === null ? null : callInTurn(turn)
    if (call === null) return
    await stage.send(nodeId, ACTOR, { type: 'settleCall', call: call.id, outcome: { status: 'interrupted' }, result: null })
  }
}

/** The record is at its end, and the run is not. */
async function endUnrecorded(stage: Stage, { nodes, phase }: RunState, end: Why): Promise<void> {
  const nodeId = Object.entries(nodes).find(([, one]) => isBusy(one))?.[0] ?? null
  if (nodeId === null || phase !== 'cancelling') return failNode(stage, nodeId, end)
  const turn = await stage.turn(nodeId)
  const failure = { code: end.code, detail: end.message }
  if (turn?.step?.settled === false)
    await stage.send(nodeId, ACTOR, { type: 'settleStep', step: turn.step.step, read: null, receipt: null, failure, tokens: null })
  await settleCalls(stage, nodeId)
}
