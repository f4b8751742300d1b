// Decides about runs in a session: which one works in it, and what it leaves behind.
import { dueAtRun, dueAtStep } from './apply.ts'
import type { RunCommand } from './commands.ts'
import { type Draft, emit, type Ruling, refuse } from './draft.ts'
import { closedPieces } from './history.ts'

type Of<T extends RunCommand['type']> = Extract<RunCommand, { readonly type: T }>

export function decideRun(draft: Draft, command: RunCommand): Ruling {
  const { state } = draft
  switch (command.type) {
    case 'attachRun':
      return attachRun(draft, command)
    case 'detachRun': {
      const { runId, nodeId, left } = command
      const { open } = state
      if (open?.runId !== runId || open.nodeId !== nodeId)
        return refuse('run_not_attached', `node ${nodeId} of run ${runId} does not work here`)
      return emit(draft, { type: 'run.detached', ...open }, ...left.map(message => ({ type: 'message.left' as const, message })))
    }
    case 'beginRun':
      return emit(draft, ...dueAtRun(state, state.runs + 1))
    case 'refuseRun': {
      const { stage, code, detail } = command
      return emit(draft, { type: 'run.refused', run: state.runs + 1, stage, code, detail })
    }
    case 'reachStep':
      return command.isOwn ? emit(draft, ...dueAtStep(state)) : draft
    case 'appendMessages': {
      const { messages } = command
      const next = emit(draft, ...messages.map(message => ({ type: 'message.appended' as const, message })))
      return { ...next, objects: [...next.objects, ...closedPieces(state.history, messages)] }
    }
  }
}

/** A snapshot that was approved for the next run is applied now: this is it. */
function attachRun(draft: Draft, { runId, nodeId }: Of<'attachRun'>): Ruling {
  const { open, runs, left } = draft.state
  if (open !== null) return refuse('run_already_active', `run ${open.runId} works in this session; end it first`)
  const run = runs + 1
  const begun = emit(draft, ...dueAtRun(draft.state, run), { type: 'run.attached', run, runId, nodeId })
  return left.length === 0 ? begun : emit(begun, { type: 'messages.handedOver', ids: left.map(({ id }) => id) })
}
