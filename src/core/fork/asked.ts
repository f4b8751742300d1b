// Derives the command behind a recorded event, for a replay. Depends only on the event and the one after it.

import type { ToldChange } from '../run/changes.ts'
import type { RunCommand } from '../run/decide.ts'
import type { RunEvent } from '../run/events.ts'
import type { JudgeCall } from '../turn/commands.ts'
import type { CallStatus } from '../turn/events.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

/** The node that the event advances; null for a command to the run. */
export function nodeFor(event: RunEvent): string | null {
  if (event.type === 'run.cancelling') return event.failure?.failedNodeId ?? null
  if (event.type === 'run.paused' || event.type === 'override.given') return null
  if (event.type === 'approval.requested' && event.wants.kind === 'mode') return null
  return 'nodeId' in event ? event.nodeId : null
}

/** The command of a person or of the host; null for an event that follows from another. */
export function commandOf(event: RunEvent): RunCommand | null {
  switch (event.type) {
    case 'run.paused':
      return event.reason === 'asked'
        ? {
            type: 'pause',
            ...(event.drainPolicy === undefined ? {} : { drainPolicy: event.drainPolicy }),
            ...(event.note === undefined ? {} : { note: event.note }),
          }
        : null
    case 'run.resumed':
      return { type: 'resume' }
    case 'run.modeChanged':
      return event.approval === null ? { type: 'setMode', mode: event.mode } : null
    case 'override.given':
      return { type: 'giveOverride', nodeId: event.nodeId, text: event.text }
    case 'approval.requested': {
      const { approval, nodeId, wants } = event
      return wants.kind === 'mode' ? { type: 'askApproval', approval, nodeId, wants } : null
    }
    case 'run.cancelling': {
      const { failure, reason } = event
      if (failure === null) return { type: 'cancel', reason }
      return failure.failedNodeId === null ? { type: 'fail', code: failure.code, detail: failure.detail } : null
    }
    default:
      return null
  }
}

export function outcomeOf(event: Of<'call.settled'>): CallStatus {
  return event.status === 'failed' ? { status: 'failed', code: event.code, detail: event.detail } : { status: event.status }
}

/** The terms of the approval of a call that was just judged; null when none was requested. */
export function termsOf(judged: Of<'call.judged'>, next: RunEvent | undefined): JudgeCall['asks'] | null {
  if (next?.type !== 'approval.requested' || next.nodeId !== judged.nodeId) return null
  const { approval, wants } = next
  if (wants.kind !== 'tool' || wants.call !== judged.call) return null
  const { by, expiresAt, reason } = wants
  return { approval, by, expiresAt, reason }
}

/** A change of the repo is recorded right after the step or call that made it is settled; null without a change. */
export function changeAfter(settled: Of<'step.settled'> | Of<'call.settled'>, next: RunEvent | undefined): ToldChange | null {
  if (next === undefined || !('nodeId' in next) || next.nodeId !== settled.nodeId) return null
  const worker = settled.type === 'step.settled' ? ({ by: 'model', call: null } as const) : ({ by: 'tool', call: settled.call } as const)
  if (next.type === 'log.appended' && next.code === 'changes_unknown') return { ...worker, unknown: next.message }
  if (next.type !== 'files.changed') return null
  const { type: _, nodeId: __, step: ___, by, call, ...change } = next
  return { by, call, change }
}

/** Handoffs, and answers about the mode, reach a node with the event of the run that brings them. */
export const comesWithTheRun = (commandId: string): boolean => /^approval_|\/handoff-\d+$/.test(commandId)
