// What may happen to a session. The same state and command always give the same answer, and a refusal changes nothing.
import type { SessionCommand } from './commands.ts'
import { decideHostSide } from './decide-host-side.ts'
import { decideRun } from './decide-run.ts'
import { decideStep } from './decide-step.ts'
import { decideWorkspace } from './decide-workspace.ts'
import { type Decided, type Draft, draftOf, emit, type Refusal, type Ruling, refuse } from './draft.ts'
import type { SessionEvent } from './events.ts'
import type { SessionState } from './state.ts'

export function decide(state: SessionState, command: SessionCommand): Decided {
  const ruling = rule(state, command)
  return 'events' in ruling ? { ok: true, events: ruling.events, objects: ruling.objects } : refusal(state, command, ruling)
}

function rule(state: SessionState, command: SessionCommand): Ruling {
  const draft = draftOf(state)
  if (command.type === 'create') return create(draft, command)
  if (state.session === '') return refuse('session_missing', 'there is no such session; create it first')
  switch (command.type) {
    case 'configure':
      return emit(draft, { type: 'session.configured', config: command.config })
    case 'requestRun':
    case 'settleRunSync':
    case 'startRun':
    case 'awaitInput':
    case 'provideInput':
    case 'completeRun':
    case 'failRun':
      return decideRun(draft, command)
    case 'startStep':
    case 'settleStep':
    case 'retryStep':
    case 'startBatch':
    case 'judgeCall':
    case 'settleCall':
    case 'answerApproval':
      return decideStep(draft, command)
    case 'receive':
    case 'issueLease':
    case 'renewLease':
    case 'checkLease':
      return decideHostSide(draft, command)
    case 'requestSync':
    case 'settleSync':
    case 'requestApply':
    case 'offerSnapshot':
    case 'attachRun':
    case 'detachRun':
      return decideWorkspace(draft, command)
  }
}

function create(
  draft: Draft,
  { session, agentId = null, config, home = null, snapshot = null }: Extract<SessionCommand, { type: 'create' }>,
): Ruling {
  if (draft.state.session !== '') return refuse('session_exists', `session ${draft.state.session} exists already`)
  if (session === '') return refuse('name_invalid', 'a session needs a name')
  return emit(draft, { type: 'session.created', session, agentId, home, config, snapshot })
}

function refusal({ session }: SessionState, command: SessionCommand, { code, message }: Pick<Refusal, 'code' | 'message'>): Refusal {
  return { ok: false, code, message, events: session === '' ? [] : refusedEvents(command, code, message) }
}

function refusedEvents(command: SessionCommand, code: string, message: string): readonly SessionEvent[] {
  if (command.type !== 'requestApply') return [{ type: 'session.refused', command: command.type, code, message }]
  const { when = 'next_run' } = command
  return [
    { type: 'workspace.applyRequested', when },
    { type: 'workspace.refused', when, code, message },
  ]
}
