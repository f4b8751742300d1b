// Decides whether the next step of a node may begin: not when the run is paused, its budget is spent, or the node repeats itself.
import type { Failure } from '../session/events.ts'
import { emitRun, type RunDraft, type RunRuling, refuse } from './draft.ts'
import type { Graph } from './graph/graph.ts'
import { end } from './graph/walk.ts'
import { stallIn, tooMany, type VainCall } from './stall.ts'
import { nodeOf, type RunState } from './state.ts'

export function checkStep(draft: RunDraft, graph: Graph, nodeId: string): RunRuling {
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
