// What happens in a node's session, told in its run: the run follows from it, in the same commit.
import type { Digest, Json } from '../digest/digest.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionState } from '../session/state.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { changeEvent, planningWarning, type ToldChange } from './changes.ts'
import { decideRun, emitRun, type RunDraft, type RunRuling } from './decide.ts'
import { isEnded, nodeOf } from './state.ts'

/** What the events do not say. */
export interface Told {
  /** Of a reply that a step was settled with. */
  readonly replyHash?: Digest | null
  readonly tokens?: number | null
  /** Of the result of a call that was settled. */
  readonly resultHash?: Digest
  readonly conversation?: string
  /** What is odd about a reply that is gone on from. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  /** What became of the repo before a step, or a call, was settled. */
  readonly changed?: ToldChange
  /** Of a node that has done its work. */
  readonly output?: { readonly digest: Digest; readonly value: Json }
}

/** @param session with the events in it, and what it was before, for what they ended */
export function followSession(
  draft: RunDraft,
  workflow: Workflow,
  nodeId: string,
  events: readonly SessionEvent[],
  session: { readonly before: SessionState; readonly after: SessionState },
  told: Told,
): RunDraft {
  let next = draft
  for (const event of events) if (!isEnded(next.state)) next = follow(next, workflow, nodeId, event, session, told)
  return next
}

function follow(
  draft: RunDraft,
  workflow: Workflow,
  nodeId: string,
  event: SessionEvent,
  { before, after }: { readonly before: SessionState; readonly after: SessionState },
  { replyHash = null, tokens = null, resultHash, conversation, warnings = [], changed, output }: Told,
): RunDraft {
  const callOf = (id: string) => [after, before].flatMap(({ run }) => run?.batch?.calls ?? []).find(call => call.id === id)
  const withChange = (settled: RunDraft, step: number, call: string | null): RunDraft =>
    changed === undefined || changed.call !== call
      ? settled
      : emitRun(settled, changeEvent(nodeId, step, changed), ...planningWarning(draft.state, nodeId, changed))
  switch (event.type) {
    case 'step.settled': {
      const { step, reply, receipt, failure, misfit } = event
      const kept = { ...(misfit === undefined ? {} : { misfit }), ...(conversation === undefined ? {} : { conversation }) }
      const settled = withChange(
        emitRun(draft, { type: 'step.settled', nodeId, step, reply, receipt, failure, replyHash, tokens, ...kept }),
        step,
        null,
      )
      if (reply === null) return settled
      const unfit = misfit?.onMisfit === 'warn' ? [{ code: 'reply_misfit', message: misfit.detail }] : []
      return emitRun(settled, ...[...warnings, ...unfit].map(one => ({ type: 'log.appended', level: 'warn', ...one, nodeId }) as const))
    }
    case 'step.retried': {
      const { step, attempt, code, detail } = event
      return emitRun(draft, { type: 'step.retried', nodeId, step, attempt, code, detail })
    }
    case 'tool.judged':
      return emitRun(draft, {
        type: 'tool.judged',
        nodeId,
        call: event.call,
        tool: callOf(event.call)?.name ?? '?',
        verdict: event.verdict,
      })
    case 'approval.requested': {
      const { run: _run, batch: _batch, ...asked } = event
      return emitRun(draft, { ...asked, type: 'tool.waiting', nodeId })
    }
    case 'approval.resolved': {
      const { run: _run, batch: _batch, ...answer } = event
      return emitRun(draft, { ...answer, type: 'tool.answered', nodeId })
    }
    case 'tool.callSettled': {
      const { type: _type, run: _run, batch: _batch, call, result, ...status } = event
      const known = callOf(call)
      if (known === undefined) return draft
      // What it was made with: a person may have changed what was asked for.
      const given = known.approval?.arguments ?? known.arguments
      const compared = resultHash === undefined || draft.state.rulesVersion === undefined ? {} : { resultHash }
      const settled = { type: 'tool.settled', nodeId, call, tool: known.name, arguments: given, result, ...compared, ...status } as const
      return withChange(emitRun(draft, settled), before.run?.step?.step ?? 0, call)
    }
    case 'run.waiting':
      return emitRun(draft, { type: 'node.waiting', nodeId })
    case 'run.resumed':
      return nodeOf(draft.state, nodeId).status === 'waiting' ? emitRun(draft, { type: 'node.resumed', nodeId }) : draft
    case 'run.completed':
      if (output === undefined) return draft
      return ruled(draft, decideRun(draft, workflow, { type: 'completeNode', nodeId, output: output.digest, value: output.value }))
    case 'run.failed':
    case 'run.refused':
      return ruled(draft, decideRun(draft, workflow, { type: 'failNode', nodeId, code: event.code, detail: event.detail }))
    case 'run.cancelled':
      return ruled(draft, decideRun(draft, workflow, { type: 'cancelNode', nodeId }))
    default:
      return draft
  }
}

const ruled = (draft: RunDraft, ruling: RunRuling): RunDraft => ('events' in ruling ? ruling : draft)
