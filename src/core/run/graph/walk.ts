// Advances the graph after a turn: nodes end, others start or are skipped, and the run ends when nothing is left.
import { HOST_ACTOR } from '../../access/keys.ts'
import { canonicalJson, type Digest, digestText, type Json } from '../../digest/digest.ts'
import type { Failure } from '../../session/events.ts'
import { cancelTurn } from '../../turn/decide.ts'
import { draftTurn, type TurnDraft } from '../../turn/draft.ts'
import type { Workflow } from '../../workflow/workflow.ts'
import { changeEvent, planningWarning, type ToldChange } from '../changes.ts'
import { emitRun, type RunDraft } from '../draft.ts'
import type { RunEvent, RunFailure } from '../events.ts'
import { isBusy, isEnded, nodeOf, type RunState } from '../state.ts'
import { edgesThatHold, type Graph, graphOf, isHandled, nextIn, timesFollowed, wayBack } from './graph.ts'
import { spawnedIn } from './grown.ts'

/** Data that comes with a command to a turn, for the graph around it. */
export interface Brought {
  /** A change of the repo, made before a step or a call was settled. */
  readonly changed?: ToldChange
  /** About the reply that a step was settled with. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  /** The output of the node, if its turn ends with this command. */
  readonly output?: { readonly digest: Digest; readonly value: Json }
}

const NO_OUTPUT_TEXT = canonicalJson({ text: '', output: '' })
/** The output of a turn that ends without a reply. */
const NO_OUTPUT = { digest: digestText(NO_OUTPUT_TEXT), value: '' } as const

/** Begins a run that was just created: nodes that need no agent are skipped at once. */
export const beginRun = (draft: RunDraft, workflow: Workflow): RunDraft => goOn(draft, graphOf(workflow))

/** Applies the events of a turn, and their consequences for the graph. */
export function follow(draft: RunDraft, graph: Graph, { nodeId, events, objects, end: ending }: TurnDraft, brought: Brought): RunDraft {
  const emitted = events.reduce((next, event) => besides(emitRun(next, event), event, nodeId, brought), draft)
  const stored = { ...emitted, objects: [...emitted.objects, ...objects] }
  switch (ending?.status) {
    case undefined:
      return stored
    case 'completed':
      return completeNode(stored, graph, nodeId, brought.output ?? null)
    case 'failed':
      return failNode(stored, graph, nodeId, ending)
    case 'cancelled':
      return settle(emitRun(stored, { type: 'node.cancelled', nodeId }), graph, nodeId)
  }
}

function besides(draft: RunDraft, event: RunEvent, nodeId: string, { changed, warnings = [] }: Brought): RunDraft {
  if (event.type !== 'step.settled' && event.type !== 'call.settled') return draft
  const call = event.type === 'call.settled' ? event.call : null
  const { steps } = nodeOf(draft.state, nodeId).turn!
  const isOf = changed !== undefined && changed.call === call
  const after = isOf ? emitRun(draft, changeEvent(nodeId, steps, changed), ...planningWarning(draft.state, nodeId, changed)) : draft
  if (event.type !== 'step.settled' || event.reply === null) return after
  const misfits = event.misfit?.onMisfit === 'warn' ? [{ code: 'reply_misfit', message: event.misfit.detail }] : []
  return emitRun(after, ...[...warnings, ...misfits].map(one => ({ type: 'log.appended', level: 'warn', ...one, nodeId }) as const))
}

function completeNode(draft: RunDraft, graph: Graph, nodeId: string, output: Brought['output'] | null): RunDraft {
  const { digest, value } = output ?? NO_OUTPUT
  const edges = edgesThatHold(graph, nodeId, { status: 'completed', output: value })
  return settle(emitRun(draft, { type: 'node.completed', nodeId, output: digest, edges }), graph, nodeId)
}

export function failNode(draft: RunDraft, graph: Graph, nodeId: string, { code, detail }: Failure): RunDraft {
  const edges = edgesThatHold(graph, nodeId, { status: 'failed', output: null })
  return settle(emitRun(draft, { type: 'node.failed', nodeId, code, detail, edges }), graph, nodeId)
}

/** Ends every turn first. */
export function end(draft: RunDraft, graph: Graph, reason: string | null, failure: RunFailure | null): RunDraft {
  const cancelling = emitRun(draft, { type: 'run.cancelling', reason, failure })
  const cancelled = Object.entries(cancelling.state.nodes).reduce(
    (next, [nodeId, { turn }]) => (turn === null ? next : follow(next, graph, cancelTurn(draftTurn(nodeId, turn)), {})),
    cancelling,
  )
  return finishEnding(cancelled)
}

function finishEnding(draft: RunDraft): RunDraft {
  const { nodes, ending } = draft.state
  if (ending === null || isEnded(draft.state) || Object.values(nodes).some(isBusy)) return draft
  const closed = closeApprovals(draft)
  if (ending.failure !== null) return emitRun(closed, { type: 'run.failed', ...ending.failure })
  return emitRun(closed, { type: 'run.cancelled', reason: ending.reason })
}

/** Applies the consequences of a node's end for the other nodes. */
function settle(draft: RunDraft, graph: Graph, nodeId: string): RunDraft {
  const { state } = draft
  if (state.phase === 'cancelling') return finishEnding(draft)
  const { status, edges } = nodeOf(state, nodeId)
  if (status === 'cancelled' || (status === 'failed' && !isHandled(graph, nodeId, edges) && !isToldToSpawner(state, nodeId))) {
    const failed = draft.events.findLast(event => event.type === 'node.failed')
    const { code, detail } = failed ?? { code: 'node_cancelled', detail: `node ${nodeId} was cancelled` }
    return end(draft, graph, code, { code, detail, failedNodeId: nodeId })
  }
  const back = status === 'completed' ? wayBack(graph, state, nodeId, edges) : null
  if (back === null) return goOn(draft, graph)
  const time = timesFollowed(state, back.id) + 1
  return goOn(emitRun(draft, { type: 'edge.followed', edgeId: back.id, to: back.to, time }), graph)
}

/**
 * A spawning node that waits for the failed node continues with its failure. If it has yet to read the request, the failed
 * node starts once more.
 */
const isToldToSpawner = (state: RunState, nodeId: string): boolean =>
  state.awaited.some(
    ({ to, nodeId: by, reply }) => to === nodeId && spawnedIn(state, nodeId)?.by === by && (reply === null || reply.kind === 'failed'),
  )

/** The note of a request for another mode that ends with its run: no person answered it. */
export const RUN_OVER = 'the run is over'

/** Closes open approvals of a run that has ended. */
const closeApprovals = (draft: RunDraft): RunDraft =>
  emitRun(
    draft,
    ...draft.state.approvals
      // A turn closes those of its calls.
      .filter(({ wants }) => wants.kind === 'mode')
      .map(({ approval, nodeId }) => ({
        type: 'approval.resolved' as const,
        approval,
        nodeId,
        decision: 'denied' as const,
        answeredBy: HOST_ACTOR,
        note: RUN_OVER,
        arguments: null,
      })),
  )

/** Skips nodes that cannot start any more; a run with nothing left to do is complete. */
function goOn(draft: RunDraft, graph: Graph): RunDraft {
  const { start, skip } = nextIn(graph, draft.state)
  if (skip.length > 0) return goOn(emitRun(draft, ...skip.map(one => ({ type: 'node.skipped' as const, ...one }))), graph)
  if (start.length > 0 || Object.values(draft.state.nodes).some(isBusy)) return draft
  const outputs = outputsText(draft.state, graph)
  const done = emitRun(closeApprovals(draft), { type: 'run.completed', outputs: digestText(outputs) })
  return { ...done, objects: [...done.objects, { digest: digestText(outputs), text: outputs }] }
}

/** The outputs of the last nodes, by node. The output of a spawned node belongs to the node that spawned it. */
function outputsText(state: RunState, { from }: Graph): string {
  const isLast = (id: string): boolean => !from.has(id) && spawnedIn(state, id) === null
  const last = Object.entries(state.nodes).filter(([id, { status, output }]) => isLast(id) && status === 'completed' && output !== null)
  return canonicalJson({ $node: 'outputs', nodes: Object.fromEntries(last.map(([id, { output }]) => [id, output])) } as unknown as Json)
}
