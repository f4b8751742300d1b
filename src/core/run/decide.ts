// What may happen to a run. The same state and command always give the same answer, and a refusal changes nothing.
import type { Mode } from '../compose/mode.ts'
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import { worded } from '../record/free-text.ts'
import type { Failure } from '../session/events.ts'
import type { StoredText } from '../session/history.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { DrainPolicy, ModeSubject, RunEvent, RunFailure } from './events.ts'
import { edgesThatHold, type Graph, graphOf, isHandled, nextIn, reachOf, timesFollowed, wayBack } from './graph.ts'
import { grownWorkflow, spawnedIn } from './grown.ts'
import { reduceRun } from './reduce.ts'
import { stallIn, tooMany, type VainCall } from './stall.ts'
import { isBusy, isEnded, nodeOf, type RunState } from './state.ts'

export type RunCommand =
  | { readonly type: 'claim'; readonly owner: string }
  | { readonly type: 'startNode'; readonly nodeId: string; readonly session: string; readonly handoffs: Digest | null }
  /** It could not even be started. */
  | ({ readonly type: 'failNode'; readonly nodeId: string } & Failure)
  /** Whether its next step may begin; if it turns in circles, or the budget is spent, that is what comes of it. */
  | { readonly type: 'checkStep'; readonly nodeId: string }
  | { readonly type: 'completeNode'; readonly nodeId: string; readonly output: Digest; readonly value: Json }
  | { readonly type: 'cancelNode'; readonly nodeId: string }
  | { readonly type: 'pause'; readonly drainPolicy?: DrainPolicy; readonly note?: string }
  | { readonly type: 'resume' }
  | { readonly type: 'cancel'; readonly reason: string | null }
  /** Something of it is spent for good. */
  | ({ readonly type: 'fail' } & Failure)
  | { readonly type: 'setMode'; readonly mode: Mode }
  | { readonly type: 'giveOverride'; readonly nodeId: string | null; readonly text: Digest | null }
  | { readonly type: 'askApproval'; readonly approval: string; readonly nodeId: string; readonly wants: ModeSubject }
  | { readonly type: 'resolveApproval'; readonly approval: string; readonly decision: 'approved' | 'denied'; readonly note: string | null }

export type RunRefusal =
  | 'run_missing'
  | 'run_exists'
  | 'run_ended'
  | 'run_paused'
  | 'run_not_paused'
  | 'run_cancelling'
  | 'node_missing'
  | 'node_not_ready'
  | 'node_not_running'
  | 'approval_missing'

export interface RunDraft {
  readonly state: RunState
  readonly events: readonly RunEvent[]
  readonly objects: readonly StoredText[]
}

export type RunRuling = RunDraft | { readonly code: RunRefusal; readonly message: string }

const refuse = (code: RunRefusal, message: string): RunRuling => ({ code, message })

export const draftRun = (state: RunState): RunDraft => ({ state, events: [], objects: [] })

export function emitRun({ state, events, objects }: RunDraft, ...added: readonly RunEvent[]): RunDraft {
  const said = added.map(worded)
  return { state: said.reduce(reduceRun, state), events: [...events, ...said], objects }
}

/** @param workflow the one that the run froze, with or without what was added to it since */
export function decideRun(draft: RunDraft, workflow: Workflow, command: RunCommand): RunRuling {
  const { state } = draft
  const graph = graphOf(grownWorkflow(workflow, state))
  if (state.runId === '') return refuse('run_missing', 'there is no such run')
  if (isEnded(state)) return refuse('run_ended', `run ${state.runId} is ${state.phase}`)
  if ('nodeId' in command && command.nodeId !== null && !graph.nodes.has(command.nodeId))
    return refuse('node_missing', `run ${state.runId} has no node ${command.nodeId}`)
  switch (command.type) {
    case 'claim':
      return emitRun(draft, { type: 'run.claimed', owner: command.owner, epoch: state.epoch + 1 })
    case 'startNode':
      return startNode(draft, graph, command)
    case 'checkStep':
      return checkStep(draft, command.nodeId)
    case 'completeNode': {
      const { nodeId, output, value } = command
      if (!isBusy(nodeOf(state, nodeId))) return notRunning(state, nodeId)
      const edges = edgesThatHold(graph, nodeId, { status: 'completed', output: value })
      return settle(emitRun(draft, { type: 'node.completed', nodeId, output, edges }), graph, nodeId)
    }
    case 'failNode': {
      const { nodeId, code, detail } = command
      if (!isBusy(nodeOf(state, nodeId))) return notRunning(state, nodeId)
      const edges = edgesThatHold(graph, nodeId, { status: 'failed', output: null })
      return settle(emitRun(draft, { type: 'node.failed', nodeId, code, detail, edges }), graph, nodeId)
    }
    case 'cancelNode':
      if (!isBusy(nodeOf(state, command.nodeId))) return notRunning(state, command.nodeId)
      return settle(emitRun(draft, { type: 'node.cancelled', nodeId: command.nodeId }), graph, command.nodeId)
    case 'pause':
      if (state.phase !== 'running')
        return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
      return emitRun(draft, {
        type: 'run.paused',
        reason: 'asked',
        nodeId: null,
        ...(command.drainPolicy === undefined ? {} : { drainPolicy: command.drainPolicy }),
        ...(command.note === undefined ? {} : { note: command.note }),
      })
    case 'resume':
      return state.phase === 'paused'
        ? emitRun(draft, { type: 'run.resumed' })
        : refuse('run_not_paused', `run ${state.runId} is ${state.phase}`)
    case 'cancel':
      return state.phase === 'cancelling'
        ? refuse('run_cancelling', `run ${state.runId} is being cancelled`)
        : end(draft, command.reason, null)
    case 'fail':
      if (state.phase === 'cancelling') return refuse('run_cancelling', `run ${state.runId} is being cancelled`)
      return end(draft, command.code, { code: command.code, detail: command.detail, failedNodeId: null })
    case 'setMode':
      return state.mode === command.mode ? draft : emitRun(draft, { type: 'run.modeChanged', mode: command.mode, approval: null })
    case 'giveOverride':
      return emitRun(draft, { type: 'override.given', nodeId: command.nodeId, text: command.text })
    case 'askApproval': {
      const { type: _, ...asked } = command
      return emitRun(draft, { type: 'approval.requested', ...asked })
    }
    case 'resolveApproval':
      return resolveApproval(draft, command)
  }
}

const notRunning = (state: RunState, nodeId: string): RunRuling =>
  refuse('node_not_running', `node ${nodeId} is ${nodeOf(state, nodeId).status}`)

/** A run that was just created: what needs no agent is passed over at once. */
export const beginRun = (draft: RunDraft, workflow: Workflow): RunDraft => goOn(draft, graphOf(workflow))

function startNode(draft: RunDraft, graph: Graph, { nodeId, session, handoffs }: Extract<RunCommand, { type: 'startNode' }>): RunRuling {
  const { state } = draft
  if (state.phase !== 'running')
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  if (!nextIn(graph, state).start.includes(nodeId)) return refuse('node_not_ready', `node ${nodeId} is not to be started`)
  const { visits, status } = nodeOf(state, nodeId)
  const isOnce = status !== 'idle' && !state.again.includes(nodeId)
  const again = visits === 0 || isOnce ? [] : [...reachOf(graph, nodeId)].filter(id => nodeOf(state, id).status !== 'idle')
  const { typeId } = graph.nodes.get(nodeId)!
  return emitRun(draft, { type: 'node.started', nodeId, typeId, visit: visits + 1, session, handoffs, again })
}

function checkStep(draft: RunDraft, nodeId: string): RunRuling {
  const { state } = draft
  const node = nodeOf(state, nodeId)
  if (state.phase !== 'running' && state.paused?.drains !== true)
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  const spent = spentBudget(state)
  if (spent !== null) return end(draft, spent.code, { ...spent, failedNodeId: nodeId })
  const { stallAfter, rulesVersion, budget } = state
  const steps = node.steps - (node.countedFrom ?? 0)
  const found = stallIn(node.turns, stallAfter, rulesVersion) ?? tooMany(node.turns, steps, budget.stepsPerNode)
  if (found === null) return draft
  const evidence = rulesVersion === undefined ? found : { ...found, calls: vainCalls(node.results) }
  return emitRun(draft, { type: 'run.stalled', nodeId, evidence }, { type: 'run.paused', reason: 'stalled', nodeId })
}

function vainCalls(results: readonly string[]): readonly VainCall[] {
  const calls = new Map<string, VainCall>()
  for (const result of results) {
    const [tool, , status] = JSON.parse(result) as [string, string, string]
    calls.set(JSON.stringify([tool, status]), { tool, status })
  }
  return [...calls.values()]
}

function spentBudget({ budget, steps, tokens }: RunState): Failure | null {
  if (budget.steps !== null && steps >= budget.steps)
    return { code: 'budget_exhausted', detail: `the run may take ${budget.steps} steps, and has taken ${steps}` }
  if (budget.tokens !== null && tokens >= budget.tokens)
    return { code: 'budget_exhausted', detail: `the run may use ${budget.tokens} tokens, and has used ${tokens}` }
  return null
}

/** Ends what is under way first. */
const end = (draft: RunDraft, reason: string | null, failure: RunFailure | null): RunDraft =>
  finishEnding(emitRun(draft, { type: 'run.cancelling', reason, failure }))

function finishEnding(draft: RunDraft): RunDraft {
  const { nodes, ending } = draft.state
  if (ending === null || Object.values(nodes).some(isBusy)) return draft
  const closed = closeApprovals(draft)
  if (ending.failure !== null) return emitRun(closed, { type: 'run.failed', ...ending.failure })
  return emitRun(closed, { type: 'run.cancelled', reason: ending.reason })
}

/** A node has ended: what follows from that for the others. */
function settle(draft: RunDraft, graph: Graph, nodeId: string): RunDraft {
  const { state } = draft
  if (state.phase === 'cancelling') return finishEnding(draft)
  const { status, edges } = nodeOf(state, nodeId)
  if (status === 'cancelled' || (status === 'failed' && !isHandled(graph, nodeId, edges) && !isToldToSpawner(state, nodeId))) {
    const failed = draft.events.findLast(event => event.type === 'node.failed')
    const { code, detail } = failed ?? { code: 'node_cancelled', detail: `node ${nodeId} was cancelled` }
    return end(draft, code, { code, detail, failedNodeId: nodeId })
  }
  const back = status === 'completed' ? wayBack(graph, state, nodeId, edges) : null
  if (back === null) return goOn(draft, graph)
  const time = timesFollowed(state, back.id) + 1
  return goOn(emitRun(draft, { type: 'edge.followed', edgeId: back.id, to: back.to, time }), graph)
}

/** Whoever spawned a node and waits for it goes on from how it failed; if it has yet to read what it was asked, it starts once more for that. */
const isToldToSpawner = (state: RunState, nodeId: string): boolean =>
  state.awaited.some(
    ({ to, nodeId: by, reply }) => to === nodeId && spawnedIn(state, nodeId)?.by === by && (reply === null || reply.kind === 'failed'),
  )

/** The note of a request for another mode that ends with its run: no person answered it. */
export const RUN_OVER = 'the run is over'

/** Nobody needs to be asked any more. */
const closeApprovals = (draft: RunDraft): RunDraft =>
  emitRun(
    draft,
    ...draft.state.approvals
      // Those of tools are kept, and closed, where the call is.
      .filter(({ wants }) => wants.kind === 'mode')
      .map(({ approval }) => ({ type: 'approval.resolved' as const, approval, decision: 'denied' as const, note: RUN_OVER })),
  )

/** Passes over what cannot start any more; a run with nothing left to do is complete. */
function goOn(draft: RunDraft, graph: Graph): RunDraft {
  const { start, skip } = nextIn(graph, draft.state)
  if (skip.length > 0) return goOn(emitRun(draft, ...skip.map(one => ({ type: 'node.skipped' as const, ...one }))), graph)
  if (start.length > 0 || Object.values(draft.state.nodes).some(isBusy)) return draft
  const outputs = outputsText(draft.state, graph)
  const done = emitRun(closeApprovals(draft), { type: 'run.completed', outputs: digestText(outputs) })
  return { ...done, objects: [...done.objects, { digest: digestText(outputs), text: outputs }] }
}

/** What the last nodes gave, by node. What spawned ones gave is for those who spawned them. */
function outputsText(state: RunState, { from }: Graph): string {
  const isLast = (id: string): boolean => !from.has(id) && spawnedIn(state, id) === null
  const last = Object.entries(state.nodes).filter(([id, { status, output }]) => isLast(id) && status === 'completed' && output !== null)
  return canonicalJson({ $node: 'outputs', nodes: Object.fromEntries(last.map(([id, { output }]) => [id, output])) } as unknown as Json)
}

function resolveApproval(draft: RunDraft, { type: _, ...resolved }: Extract<RunCommand, { type: 'resolveApproval' }>): RunRuling {
  const open = draft.state.approvals.find(({ approval }) => approval === resolved.approval)
  if (open === undefined || open.wants.kind !== 'mode') return refuse('approval_missing', `nobody waits for approval ${resolved.approval}`)
  const done = emitRun(draft, { type: 'approval.resolved', ...resolved })
  if (resolved.decision !== 'approved' || draft.state.mode === open.wants.mode) return done
  return emitRun(done, { type: 'run.modeChanged', mode: open.wants.mode, approval: resolved.approval })
}
