// Tables of the sources that sessions and runs take text from, and of the objects that a key uploaded. They decide what a limited key sees.
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'

type Origin = 'workspace' | 'session' | 'run'
const from = (kind: Origin, place: string) => ({ if: place, put: { of: 'stream', kind: { always: kind }, name: place } })

/**
 * Where the text of a session or run may come from: workspaces that it ever named or took a snapshot of, the sessions that its nodes work in
 * or take their config from, the runs that worked in the session. `of` is the stream itself.
 */
export const originRows: Projection = {
  table: 'origins',
  columns: { of: 'text', kind: 'text', name: 'text' },
  key: ['of', 'kind', 'name'],
  indexes: [['of']],
  from: {
    'session.created': [from('workspace', 'payload.config.workspace.name')],
    'session.configured': [from('workspace', 'payload.config.workspace.name')],
    'run.attached': [from('run', 'payload.runId')],
    'workspace.syncRequested': [from('workspace', 'payload.selection.workspace.name')],
    'workspace.snapshotReady': [from('workspace', 'payload.snapshot.workspace')],
    'workspace.applied': [from('workspace', 'payload.snapshot.workspace')],
    'run.created': [
      from('session', 'payload.direct.session'),
      from('workspace', 'payload.direct.config.workspace.name'),
      from('workspace', 'payload.direct.snapshot.workspace'),
    ],
    'node.started': [
      from('session', 'payload.session'),
      from('session', 'payload.home'),
      from('workspace', 'payload.config.workspace.name'),
      from('workspace', 'payload.snapshot.workspace'),
    ],
    'step.started': [from('workspace', 'payload.snapshot.workspace')],
  },
}

export const uploadStream = (keyId: string): string => `uploads/${keyId}`

/** `objectHash`: the record does not hold on to the object because of this event. */
export const uploadedDraft = (digest: string, actor: string): EventDraft => ({
  type: 'object.uploaded',
  actor,
  payload: { objectHash: digest },
})

export const uploadRows: Projection = {
  table: 'uploads',
  under: 'uploads/',
  columns: { of: 'text', digest: 'text' },
  key: ['of', 'digest'],
  indexes: [['of', 'digest']],
  from: { 'object.uploaded': [{ put: { of: 'stream', digest: 'payload.objectHash' } }] },
}

export const MEMBERSHIP_PROJECTIONS: readonly Projection[] = [originRows, uploadRows]
