// The table of a tenant's sessions, one row each. The events have the details.
import type { Projection, Source } from '../record/projection.ts'

/** One row a session: it belongs to the stream, so its key is always the same. */
const THE_ROW = { row: { always: 1 } } as const
const putting = (cells: Readonly<Record<string, Source>>) => [{ put: { ...THE_ROW, ...cells, changedAt: 'at' } }]
const syncing = (on: 0 | 1) => putting({ syncing: { always: on } })

export const sessionRows: Projection = {
  table: 'sessions',
  under: 'session/',
  columns: {
    row: 'integer',
    session: 'text',
    createdAt: 'text',
    changedAt: 'text',
    /** Its newest run, by number and by id, and the node of that run. */
    run: 'integer',
    runId: 'text',
    nodeId: 'text',
    /** 1 while that run works here. */
    open: 'integer',
    syncing: 'integer',
    workspace: 'text',
    version: 'integer',
  },
  key: ['row'],
  indexes: [['session'], ['runId'], ['syncing']],
  from: {
    'session.created': putting({ session: 'payload.session', createdAt: 'at', open: { always: 0 }, syncing: { always: 0 } }),
    'run.attached': putting({ run: 'payload.run', runId: 'payload.runId', nodeId: 'payload.nodeId', open: { always: 1 } }),
    'run.detached': putting({ open: { always: 0 } }),
    'workspace.syncRequested': syncing(1),
    'workspace.syncUnchanged': syncing(0),
    'workspace.syncFailed': syncing(0),
    'workspace.snapshotReady': syncing(0),
    'workspace.applied': putting({ workspace: 'payload.snapshot.workspace', version: 'payload.snapshot.version' }),
  },
}

export const SESSION_PROJECTIONS: readonly Projection[] = [sessionRows]
