// Folder: The graph around the turns: which node starts, what may happen to a run, growth of the graph, stalls, and the view of a recorded run. It performs nothing.
// Decides which commands a run accepts and which events they cause. Deterministic: a refused command changes nothing.
import type { Mode } from '../compose/mode.ts'
import { type Digest, digestText } from '../digest/digest.ts'
import { writeMessage } from '../messages/message.ts'
import type { Failure } from '../session/events.ts'
import type { JudgeCall, TurnCommand } from '../turn/commands.ts'
import { decideTurn } from '../turn/decide.ts'
import { draftTurn } from '../turn/draft.ts'
import type { ModeSubject } from '../turn/events.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { emitRun, type RunDraft, type RunRuling, refuse } from './draft.ts'
import type { DrainPolicy, RunEvent } from './events.ts'
import { type Graph, graphOf, nextIn, reachOf } from './graph/graph.ts'
import { grownWorkflow } from './graph/grown.ts'
import { hasMail } from './graph/handoffs.ts'
import { type Brought, end, failNode, follow } from './graph/walk.ts'
import { stallIn, tooMany, type VainCall } from './stall.ts'
import { isBusy, isEnded, nodeOf, type RunState } from './state.ts'

type NodeStarted = Extract<RunEvent, { readonly type: 'node.started' }>

/** The input of a node that starts; the rest follows from the graph. */
export type StartNode = { readonly type: 'startNode' } & Omit<NodeStarted, 'type' | 'typeId' | 'visit' | 'again'>

export type RunCommand =
  | { readonly type: 'claim'; readonly owner: string }
  | StartNode
  /** It could not even be started. */
  | ({ readonly type: 'failNode'; readonly nodeId: string } & Failure)
  /** Checks whether the next step may begin. A stalled node or a spent budget has its own events. */
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

/** @param workflow the frozen one of the run, with or without its growth */
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
      const { type: _, ...subject } = command
      return emitRun(draft, { type: 'approval.requested', ...subject })
    }
    case 'resolveMode':
      return resolveMode(draft, graph, command)
  }
}

const notRunning = (state: RunState, nodeId: string): RunRuling =>
  refuse('node_not_running', `node ${nodeId} is ${nodeOf(state, nodeId).status}`)

function startNode(draft: RunDraft, graph: Graph, { type: _, ...input }: StartNode): RunRuling {
  const { state } = draft
  const { nodeId } = input
  if (state.phase !== 'running')
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  if (!nextIn(graph, state).start.includes(nodeId)) return refuse('node_not_ready', `node ${nodeId} cannot start yet`)
  const { visits, status } = nodeOf(state, nodeId)
  const isOnce = status !== 'idle' && !state.again.includes(nodeId)
  const again = visits === 0 || isOnce ? [] : [...reachOf(graph, nodeId)].filter(id => nodeOf(state, id).status !== 'idle')
  const { typeId } = graph.nodes.get(nodeId)!
  return emitRun(draft, { type: 'node.started', typeId, visit: visits + 1, again, ...input })
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

/** The node that requested the mode gets the answer as a message, if it is still at work. */
function tellMode(
  draft: RunDraft,
  graph: Graph,
  nodeId: string,
  { approval, decision, note }: { readonly approval: string; readonly decision: string; readonly note: string | null },
): RunDraft {
  const { turn } = nodeOf(draft.state, nodeId)
  if (turn === null) return draft
  const answerText = `Your request for IMPLEMENTATION was ${decision}.${note === null ? '' : ` ${note}`}`
  const text = writeMessage({ role: 'user', content: [{ type: 'text', text: answerText }] })
  const message = { kind: turn.phase === 'waiting' ? 'follow-up' : 'steer', id: approval, message: digestText(text) } as const
  const ruling = goOnWithTurn(draft, graph, { type: 'turn', nodeId, command: { type: 'leaveMessage', message } })
  return 'events' in ruling ? { ...ruling, objects: [...ruling.objects, { digest: message.message, text }] } : draft
}

/** Decides whether the next step of a node may begin: not when the run is paused, its budget is spent, or the node repeats itself. */
function checkStep(draft: RunDraft, graph: Graph, nodeId: string): RunRuling {
  const { state } = draft
  const node = nodeOf(state, nodeId)
  if (state.phase !== 'running' && state.paused?.drains !== true)
    return refuse(state.phase === 'paused' ? 'run_paused' : 'run_cancelling', `run ${state.runId} is ${state.phase}`)
  const spent = spentBudget(state)
  if (spent !== null) return end(draft, graph, spent.code, { ...spent, failedNodeId: nodeId })
  const { stallAfter, rulesVersion, budget } = state
  const steps = node.steps - (node.countedFrom ?? 0)
  const stall = stallIn(node.rounds, stallAfter, rulesVersion) ?? tooMany(node.rounds, steps, budget.stepsPerNode)
  if (stall === null) return draft
  const evidence = rulesVersion === undefined ? stall : { ...stall, calls: vainCalls(node.results) }
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
