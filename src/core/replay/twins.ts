// What a run tells of its sessions is told there as well: which event that is, and what both say. And what a session tells that follows from what it was.
import type { RunEvent } from '../run/events.ts'
import type { SessionEvent } from '../session/events.ts'
import { preludeOf } from '../session/prelude-ladder.ts'
import type { SessionState } from '../session/state.ts'

export type RunTwin = Extract<
  RunEvent,
  {
    readonly type: 'step.started' | 'step.settled' | 'step.retried' | 'tool.judged' | 'tool.waiting' | 'tool.answered' | 'tool.settled'
  }
>

const TWINS: Readonly<Record<RunTwin['type'], readonly [type: SessionEvent['type'], ...fields: string[]]>> = {
  'step.started': ['step.started', 'step', 'request', 'requestHash', 'snapshot'],
  'step.settled': ['step.settled', 'step', 'reply', 'receipt', 'failure', 'misfit'],
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

/** What an event of a session says, and what follows from the session as it was the moment before. Null where nothing does. */
export function sessionFields({ run, workspace }: SessionState, event: SessionEvent): readonly [told: object, before: object] | null {
  if (run === null) return null
  switch (event.type) {
    case 'run.started': {
      const snapshot = run.snapshot ?? workspace.active
      return [
        { source: event.source, snapshot: event.snapshot },
        { source: preludeOf(run.config, snapshot).source, snapshot },
      ]
    }
    case 'prelude.traced': {
      const { source, trace } = preludeOf(run.config, run.snapshot)
      return [
        { source: event.source, trace: event.trace },
        { source, trace },
      ]
    }
    case 'step.started':
      return [{ source: event.source }, { source: preludeOf(run.config, run.snapshot).source }]
    // What a batch came to is what its calls came to.
    case 'tool.batchSettled': {
      const results = run.batch?.calls.flatMap(({ result }) => (result === null ? [] : [result])) ?? []
      return [{ results: event.results }, { results }]
    }
    default:
      return null
  }
}
