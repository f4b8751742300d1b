// The only writer of a session's state. Total: an event it does not know, or that does not fit, leaves the state as it is.
import type { SessionEvent, WorkspaceEvent } from './events.ts'
import { appendMessage } from './history.ts'
import { reduceRun } from './reduce-run.ts'
import { emptySession, type SessionState, type WorkspaceState } from './state.ts'

export const foldSession = (events: Iterable<SessionEvent>, from: SessionState = emptySession): SessionState => {
  let state = from
  for (const event of events) state = reduce(state, event)
  return state
}

export function reduce(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session.created': {
      const { session, agentId, home, config, snapshot } = event
      return { ...emptySession, session, agentId, home, config, workspace: { ...emptySession.workspace, active: snapshot } }
    }
    case 'session.configured':
      return { ...state, config: event.config }

    case 'message.appended':
      return { ...reduceRun(state, event), history: appendMessage(state.history, event.message) }

    case 'command.received': {
      const { command } = event
      if (command.kind === 'interrupt') return { ...state, interrupts: [...state.interrupts, { id: command.id, message: command.message }] }
      if (command.kind === 'steer') return { ...state, steers: [...state.steers, { id: command.id, message: command.message }] }
      if (command.kind === 'follow-up') return { ...state, followUps: [...state.followUps, { id: command.id, message: command.message }] }
      return state
    }
    case 'command.applied':
      return {
        ...state,
        interrupts: without(state.interrupts, event.id),
        steers: without(state.steers, event.id),
        followUps: without(state.followUps, event.id),
      }

    case 'run.attached': {
      const { runId, nodeId, session } = event
      return { ...state, attached: [...state.attached, { runId, nodeId, session }] }
    }
    case 'workspace.offered': {
      const { snapshot, selection, sessions } = event
      return { ...state, offered: { snapshot, selection, sessions } }
    }
    case 'run.detached':
      return { ...state, attached: state.attached.filter(({ runId, nodeId }) => runId !== event.runId || nodeId !== event.nodeId) }

    case 'workspace.syncRequested':
      return { ...reduceWorkspaceOf(state, event), syncs: event.sync }
    case 'workspace.applied': {
      const { workspace, prelude, catalog } = event.selection
      const next = { ...reduceWorkspaceOf(state, event), config: { ...state.config, workspace, prelude, catalog } }
      // A run that named its own keeps it; any other goes on with what took over at its step.
      if (event.at !== 'step' || state.run === null || state.run.selection !== null) return next
      return { ...next, run: { ...state.run, snapshot: event.snapshot } }
    }
    case 'workspace.syncUnchanged':
    case 'workspace.syncFailed':
    case 'workspace.snapshotReady':
    case 'workspace.approved':
    case 'workspace.deferred':
    case 'workspace.superseded':
      return reduceWorkspaceOf(state, event)

    default:
      return reduceRun(state, event)
  }
}

const without = <T extends { readonly id: string }>(queue: readonly T[], id: string): readonly T[] => {
  const at = queue.findIndex(one => one.id === id)
  return at < 0 ? queue : queue.toSpliced(at, 1)
}

const reduceWorkspaceOf = (state: SessionState, event: WorkspaceEvent): SessionState => ({
  ...state,
  workspace: reduceWorkspace(state.workspace, event),
})

/** The only writer of `active`. */
function reduceWorkspace(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  switch (event.type) {
    case 'workspace.syncRequested':
      return { ...state, syncing: { sync: event.sync, selection: event.selection } }
    case 'workspace.syncUnchanged':
    case 'workspace.syncFailed':
      return { ...state, syncing: null }
    case 'workspace.snapshotReady':
      return {
        ...state,
        syncing: null,
        pending: { snapshot: event.snapshot, selection: event.selection, ...(event.packs === undefined ? {} : { packs: event.packs }) },
      }
    case 'workspace.approved':
    case 'workspace.deferred': {
      const { snapshot, selection, at, firstRun } = event
      return { ...state, pending: null, approved: { snapshot, selection, at, firstRun } }
    }
    case 'workspace.superseded':
      return { ...state, approved: null }
    case 'workspace.applied':
      return event.at === 'now' ? { ...state, active: event.snapshot, pending: null } : { ...state, active: event.snapshot, approved: null }
    default:
      return state
  }
}
