// Folds events into the state of a session. The only writer of that state. Total: an unknown or unfitting event leaves the
// state unchanged.
import type { SessionEvent, WorkspaceEvent } from './events.ts'
import { appendMessage } from './history.ts'
import { emptySession, type SessionState, type WorkspaceState } from './state.ts'

export const foldSession = (events: Iterable<SessionEvent>, from: SessionState = emptySession): SessionState => {
  let state = from
  for (const event of events) state = reduce(state, event)
  return state
}

export function reduce(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session.created': {
      const { session, agentId, config } = event
      return { ...emptySession, session, agentId, config }
    }
    case 'session.configured':
      return { ...state, config: event.config }
    case 'message.appended':
      return { ...state, history: appendMessage(state.history, event.message) }
    case 'message.left':
      return { ...state, left: [...state.left, event.message] }
    case 'messages.handedOver':
      return { ...state, left: state.left.filter(({ id }) => !event.ids.includes(id)) }
    case 'run.attached': {
      const { runId, nodeId, run } = event
      return { ...state, open: { runId, nodeId, run }, runs: run, refused: null }
    }
    case 'run.detached':
      return detached(state)
    case 'run.refused': {
      const { run, stage, code, detail } = event
      return { ...state, runs: run, refused: { run, stage, code, detail } }
    }
    case 'workspace.syncRequested':
      return { ...state, workspace: reduceWorkspace(state.workspace, event), syncs: event.sync }
    case 'workspace.applied': {
      const { workspace, prelude, catalog } = event.selection
      return { ...state, workspace: reduceWorkspace(state.workspace, event), config: { ...state.config, workspace, prelude, catalog } }
    }
    case 'workspace.syncUnchanged':
    case 'workspace.syncFailed':
    case 'workspace.snapshotReady':
    case 'workspace.approved':
    case 'workspace.deferred':
    case 'workspace.superseded':
      return { ...state, workspace: reduceWorkspace(state.workspace, event) }
    default:
      return state
  }
}

/** A snapshot that waited for a step of the run waits for the next run. */
function detached(state: SessionState): SessionState {
  const { approved } = state.workspace
  const workspace = approved === null ? state.workspace : { ...state.workspace, approved: { ...approved, at: 'run' as const } }
  return { ...state, open: null, workspace }
}

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
    case 'workspace.applied': {
      const applies = state.applies + 1
      const reaching = event.reaches === true ? { snapshot: event.snapshot, apply: applies } : state.reaching
      const waited = event.at === 'now' ? { pending: null } : { approved: null }
      return { ...state, active: event.snapshot, ...waited, applies, reaching }
    }
    default:
      return state
  }
}
