// What may happen to a run. The same state and command always give the same answer, and a refusal changes nothing.
import { HOST_ACTOR } from '../access/keys.ts'
import type { Mode } from '../compose/mode.ts'
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import { writeMessage } from '../messages/message.ts'
import type { Failure } from '../session/events.ts'
import type { JudgeCall, TurnCommand } from '../turn/commands.ts'
import { cancelTurn, decideTurn } from '../turn/decide.ts'
import { draftTurn, type TurnDraft } from '../turn/draft.ts'
import type { ModeSubject } from '../turn/events.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { changeEvent, planningWarning, type ToldChange } from './changes.ts'
import { emitRun, type RunDraft, type RunRuling, refuse } from './draft.ts'
import type { DrainPolicy, RunEvent, RunFailure } from './events.ts'
import { edgesThatHold, type Graph, graphOf, isHandled, nextIn, reachOf, timesFollowed, wayBack } from './graph.ts'
import { grownWorkflow, spawnedIn } from './grown.ts'
import { hasMail } from './handoffs.ts'
import { stallIn, tooMany, type VainCall } from './stall.ts'
import { isBusy, isEnded, nodeOf, type RunState } from './state.ts'

type NodeStarted = Extract<RunEvent, { readonly type: 'node.started' }>

/** What a node starts with; the rest follows from the graph. */
export type StartNode = { readonly type: 'startNode' } & Omit<NodeStarted, 'type' | 'typeId' | 'visit' | 'again'>

export type RunCommand =
  | { readonly type: 'claim'; readonly owner: string }
  | StartNode
  /** It could not even be started. */
  | ({ readonly type: 'failNode'; readonly nodeId: string } & Failure)
  /** Whether its next step may begin; if it repeats itself, or the budget is spent, that is what comes of it. */
  | { readonly type: 'checkStep'; readonly nodeId: string }
  | ({ readonly type: 'turn'; readonly nodeId: string; readonly command: TurnCommand } & Brought)
  | { readonly type: 'pause'; readonly drainPolicy?: DrainPolicy; readonly note?: string }
  | { readonly type: 'resume' }
  | { readonly type: 'cancel'; readonly reason: string | null }
  /** Something of it is spent for good. */
  | ({ readonly type: 'fail' } & Failure)
  | { readonly type: 'setMode'; readonly mode: Mode }
  | { readonly type: 'giveOverride'; readonly nodeId: string | null; readonly text: Digest | null }
  | { readonly type: 'askApproval'; readonly approval: string; readonly nodeId: string; readonly wants: ModeSubject }
  | {
      readonly type: 'resolveMode'
      readonly approval: string
      readonly decision: 'approved' | 'denied'
      readonly by: string
      readonly note: string | null
    }

/** What comes with a command to a turn, for the graph around it. */
export interface Brought {
  /** A change of the repo, made before a step or a call was settled. */
  readonly changed?: ToldChange
  /** About the reply that a step was settled with. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  /** What the node gives, if its turn ends with this command. */
  readonly output?: { readonly digest: Digest; readonly value: Json }
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
      return checkStep(draft, graph, command.nodeId)
    case 'failNode': {
      const { nodeId, code, detail } = command
      return isBusy(nodeOf(state, nodeId)) ? failNode(draft, graph, nodeId, { code, detail }) : notRunning(state, nodeId)
    }
    case 'turn':
      return goOnWithTurn(draft, graph, command)
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
        : end(draft, graph, command.reason, null)
    case 'fail':
      if (state.phase === 'cancelling') return refuse('run_cancelling', `run ${state.runId} is being cancelled`)
      return end(draft, graph, command.code, { code: command.code, detail: command.detail, failedNodeId: null })
    case 'setMode':
      return state.mode === command.mode ? draft : emitRun(draft, { type: 'run.modeChanged', mode: command.mode, approval: null })
    case 'giveOverride':
      return emitRun(draft, { type: 'override.given', nodeId: command.nodeId, text: command.text })
    case 'askApproval': {
      const { type: _, ...asked } = command
      return emitRun(draft, { type: 'approval.requested', ...asked })
    }
    case 'resolveMode':
      return resolveMode(draft, graph, command)
  }
}

const NO_OUTPUT_TEXT = canonicalJson({ text: '', output: '' })
/** Of a turn that ends without a reply. */
const NO_OUTPUT = { digest: digestText(NO_OUTPUT_TEXT), value: '' } as const

const notRunning = (state: RunState, nodeId: string): RunRuling =>
  refuse('node_not_running', `node ${nodeId} is ${nodeOf(state, nodeId).status}`)

/** A run that was just created: what needs no agent is passed over at once. */
export const beginRun = (draft: RunDraft, workflow: Workflow): RunDraft => goOn(draft, graphOf(workflow))

function startNode(draft: RunDraft, graph: Graph, { type: _, ...given }: StartNode): RunRuling {
  const { state } = draft
  const { nodeId } = given
  if (state.phase !== 'running')
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  if (!nextIn(graph, state).start.includes(nodeId)) return refuse('node_not_ready', `node ${nodeId} is not to be started`)
  const { visits, status } = nodeOf(state, nodeId)
  const isOnce = status !== 'idle' && !state.again.includes(nodeId)
  const again = visits === 0 || isOnce ? [] : [...reachOf(graph, nodeId)].filter(id => nodeOf(state, id).status !== 'idle')
  const { typeId } = graph.nodes.get(nodeId)!
  return emitRun(draft, { type: 'node.started', typeId, visit: visits + 1, again, ...given })
}

function goOnWithTurn(draft: RunDraft, graph: Graph, { nodeId, command, ...brought }: Extract<RunCommand, { type: 'turn' }>): RunRuling {
  const { turn } = nodeOf(draft.state, nodeId)
  if (turn === null) return notRunning(draft.state, nodeId)
  const outdated = command.type === 'judgeCall' ? outdatedVerdict(draft.state, command) : null
  if (outdated !== null) return outdated
  const ruling = decideTurn(draftTurn(nodeId, turn), withMail(draft.state, nodeId, command))
  return 'events' in ruling ? follow(draft, graph, ruling, brought) : ruling
}

/** Handoffs that came during a step are read in the next one: the node does not end before that. */
const withMail = (state: RunState, nodeId: string, command: TurnCommand): TurnCommand =>
  command.type === 'settleStep' && hasMail(state, nodeId) ? { ...command, goesOn: true } : command

/** The run may have gone on while a call was judged. */
function outdatedVerdict({ runId, phase, mode }: RunState, { verdict, mode: judgedIn }: JudgeCall): RunRuling | null {
  if (verdict.decision !== 'allowed') return null
  if (phase === 'cancelling') return refuse('run_cancelling', `run ${runId} is being cancelled`)
  return judgedIn === null || judgedIn === mode ? null : refuse('run_mode_changed', `run ${runId} is in ${mode} by now`)
}

/** The events of a turn, and what follows from them for the graph. */
function follow(draft: RunDraft, graph: Graph, { nodeId, events, objects, end: ending }: TurnDraft, brought: Brought): RunDraft {
  const told = events.reduce((next, event) => besides(emitRun(next, event), event, nodeId, brought), draft)
  const kept = { ...told, objects: [...told.objects, ...objects] }
  switch (ending?.status) {
    case undefined:
      return kept
    case 'completed':
      return completeNode(kept, graph, nodeId, brought.output ?? null)
    case 'failed':
      return failNode(kept, graph, nodeId, ending)
    case 'cancelled':
      return settle(emitRun(kept, { type: 'node.cancelled', nodeId }), graph, nodeId)
  }
}

function besides(draft: RunDraft, event: RunEvent, nodeId: string, { changed, warnings = [] }: Brought): RunDraft {
  if (event.type !== 'step.settled' && event.type !== 'call.settled') return draft
  const call = event.type === 'call.settled' ? event.call : null
  const { steps } = nodeOf(draft.state, nodeId).turn!
  const isOf = changed !== undefined && changed.call === call
  const after = isOf ? emitRun(draft, changeEvent(nodeId, steps, changed), ...planningWarning(draft.state, nodeId, changed)) : draft
  if (event.type !== 'step.settled' || event.reply === null) return after
  const unfit = event.misfit?.onMisfit === 'warn' ? [{ code: 'reply_misfit', message: event.misfit.detail }] : []
  return emitRun(after, ...[...warnings, ...unfit].map(one => ({ type: 'log.appended', level: 'warn', ...one, nodeId }) as const))
}

function completeNode(draft: RunDraft, graph: Graph, nodeId: string, output: Brought['output'] | null): RunDraft {
  const { digest, value } = output ?? NO_OUTPUT
  const edges = edgesThatHold(graph, nodeId, { status: 'completed', output: value })
  return settle(emitRun(draft, { type: 'node.completed', nodeId, output: digest, edges }), graph, nodeId)
}

function failNode(draft: RunDraft, graph: Graph, nodeId: string, { code, detail }: Failure): RunDraft {
  const edges = edgesThatHold(graph, nodeId, { status: 'failed', output: null })
  return settle(emitRun(draft, { type: 'node.failed', nodeId, code, detail, edges }), graph, nodeId)
}

function checkStep(draft: RunDraft, graph: Graph, nodeId: string): RunRuling {
  const { state } = draft
  const node = nodeOf(state, nodeId)
  if (state.phase !== 'running' && state.paused?.drains !== true)
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  const spent = spentBudget(state)
  if (spent !== null) return end(draft, graph, spent.code, { ...spent, failedNodeId: nodeId })
  const { stallAfter, rulesVersion, budget } = state
  const steps = node.steps - (node.countedFrom ?? 0)
  const found = stallIn(node.rounds, stallAfter, rulesVersion) ?? tooMany(node.rounds, steps, budget.stepsPerNode)
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

/** Ends every turn first. */
function end(draft: RunDraft, graph: Graph, reason: string | null, failure: RunFailure | null): RunDraft {
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

/** A node has ended: what follows from that for the others. */
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

function resolveMode(
  draft: RunDraft,
  graph: Graph,
  { approval, decision, by, note }: Extract<RunCommand, { type: 'resolveMode' }>,
): RunRuling {
  const open = draft.state.approvals.find(one => one.approval === approval)
  if (open === undefined || open.wants.kind !== 'mode') return refuse('approval_missing', `nobody waits for approval ${approval}`)
  const { nodeId, wants } = open
  const answer = { approval, nodeId, decision, answeredBy: by, note, arguments: null } as const
  const answered = tellMode(emitRun(draft, { type: 'approval.resolved', ...answer }), graph, nodeId, answer)
  if (decision !== 'approved' || draft.state.mode === wants.mode) return answered
  return emitRun(answered, { type: 'run.modeChanged', mode: wants.mode, approval })
}

/** The node that asked for the mode gets the answer as a message, if it is still at work. */
function tellMode(
  draft: RunDraft,
  graph: Graph,
  nodeId: string,
  { approval, decision, note }: { readonly approval: string; readonly decision: string; readonly note: string | null },
): RunDraft {
  const { turn } = nodeOf(draft.state, nodeId)
  if (turn === null) return draft
  const said = `Your request for IMPLEMENTATION was ${decision}.${note === null ? '' : ` ${note}`}`
  const text = writeMessage({ role: 'user', content: [{ type: 'text', text: said }] })
  const message = { kind: turn.phase === 'waiting' ? 'follow-up' : 'steer', id: approval, message: digestText(text) } as const
  const ruling = goOnWithTurn(draft, graph, { type: 'turn', nodeId, command: { type: 'leaveMessage', message } })
  return 'events' in ruling ? { ...ruling, objects: [...ruling.objects, { digest: message.message, text }] } : draft
}
