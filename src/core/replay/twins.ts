// What a run tells of its sessions is told there as well: which event that is, and what both say.
import type { RunEvent } from '../run/events.ts'
import type { SessionEvent } from '../session/events.ts'

export type RunTwin = Extract<
  RunEvent,
  {
    readonly type: 'step.started' | 'step.settled' | 'step.retried' | 'tool.judged' | 'tool.waiting' | 'tool.answered' | 'tool.settled'
  }
>

const TWINS: Readonly<Record<RunTwin['type'], readonly [type: SessionEvent['type'], ...fields: string[]]>> = {
  'step.started': ['step.started', 'step', 'request', 'requestHash', 'snapshot'],
  'step.settled': ['step.settled', 'step', 'reply', 'receipt', 'failure'],
  'step.retried': ['step.retried', 'step', 'attempt', 'code', 'detail'],
  'tool.judged': ['tool.judged', 'call', 'verdict'],
  'tool.waiting': ['approval.requested', 'call', 'tool', 'arguments', 'reason', 'approval', 'by', 'expiresAt'],
  'tool.answered': ['approval.resolved', 'call', 'approval', 'decision', 'note', 'arguments'],
  'tool.settled': ['tool.callSettled', 'call', 'result', 'status', 'code', 'detail'],
}

export const isTwin = (event: RunEvent): event is RunTwin => Object.hasOwn(TWINS, event.type)

export const twinType = ({ type }: RunTwin): SessionEvent['type'] => TWINS[type][0]

/** What both must say, of either of them. */
export function twinFields({ type }: RunTwin, event: RunEvent | SessionEvent): Readonly<Record<string, unknown>> {
  const [, ...fields] = TWINS[type]
  const said = event as unknown as Readonly<Record<string, unknown>>
  return Object.fromEntries(fields.map(field => [field, said[field] ?? null]))
}
