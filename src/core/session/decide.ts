// Folder: The config of a session, its workspace adoption, its transcript and its current run. It does not know steps or calls.
// Decides which commands a session accepts and which events they cause. Deterministic: a refused command changes nothing.
import type { SessionCommand } from './commands.ts'
import { decideRun } from './decide-run.ts'
import { decideWorkspace } from './decide-workspace.ts'
import { type Decided, type Draft, draftOf, emit, type Refusal, type Ruling, refuse } from './draft.ts'
import type { LeftMessage, SessionEvent } from './events.ts'
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
    case 'leaveMessage':
      return leaveMessage(draft, command.message)
    case 'attachRun':
    case 'beginRun':
    case 'detachRun':
    case 'refuseRun':
    case 'reachStep':
    case 'appendMessages':
      return decideRun(draft, command)
    case 'requestSync':
    case 'settleSync':
    case 'requestApply':
      return decideWorkspace(draft, command)
  }
}

function create(draft: Draft, { session, agentId = null, config }: Extract<SessionCommand, { type: 'create' }>): Ruling {
  if (draft.state.session !== '') return refuse('session_exists', `session ${draft.state.session} exists already`)
  if (session === '') return refuse('name_invalid', 'a session needs a name')
  return emit(draft, { type: 'session.created', session, agentId, config })
}

function leaveMessage(draft: Draft, message: LeftMessage): Ruling {
  const { open } = draft.state
  if (open !== null) return refuse('run_already_active', `run ${open.runId} works in this session, and takes messages itself`)
  if (draft.state.left.some(({ id }) => id === message.id)) return refuse('command_duplicate', `message ${message.id} waits already`)
  return emit(draft, { type: 'message.left', message })
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
