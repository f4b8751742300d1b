// Which sessions there are, and how each stands, in tables. The events say more.
import type { Projection, Source } from '../record/projection.ts'

/** One row a session: it belongs to the stream, so its key is always the same. */
const THE_ROW = { row: { always: 1 } } as const
const putting = (cells: Readonly<Record<string, Source>>) => [{ put: { ...THE_ROW, ...cells } }]
const phase = (name: string, open: 0 | 1) =>
  putting({ phase: { always: name }, open: { always: open }, run: 'payload.run', changedAt: 'at' })
const syncing = (on: 0 | 1) => putting({ syncing: { always: on }, changedAt: 'at' })

export const sessionRows: Projection = {
  table: 'sessions',
  under: 'session/',
  columns: {
    row: 'integer',
    session: 'text',
    home: 'text',
    createdAt: 'text',
    changedAt: 'text',
    /** Of its newest run. */
    phase: 'text',
    run: 'integer',
    /** 1 while a run is under way. */
    open: 'integer',
    syncing: 'integer',
    workspace: 'text',
    version: 'integer',
  },
  key: ['row'],
  indexes: [['session'], ['open'], ['syncing']],
  from: {
    'session.created': putting({
      session: 'payload.session',
      home: 'payload.home.session',
      createdAt: 'at',
      changedAt: 'at',
      phase: { always: 'idle' },
      open: { always: 0 },
      syncing: { always: 0 },
      workspace: 'payload.snapshot.workspace',
      version: 'payload.snapshot.version',
    }),
    'run.requested': phase('requested', 1),
    'run.refused': phase('refused', 0),
    'run.started': phase('running', 1),
    'run.waiting': phase('waiting', 1),
    'run.paused': phase('paused', 1),
    'run.resumed': phase('running', 1),
    'run.cancelling': phase('cancelling', 1),
    'run.completed': phase('completed', 0),
    'run.failed': phase('failed', 0),
    'run.cancelled': phase('cancelled', 0),
    'workspace.syncRequested': syncing(1),
    'workspace.syncUnchanged': syncing(0),
    'workspace.syncFailed': syncing(0),
    'workspace.snapshotReady': syncing(0),
    'workspace.applied': putting({ workspace: 'payload.snapshot.workspace', version: 'payload.snapshot.version', changedAt: 'at' }),
  },
}

/** Which nodes of runs a home session has not let go yet. */
export const attachmentRows: Projection = {
  table: 'attachments',
  under: 'session/',
  columns: { runId: 'text', nodeId: 'text' },
  key: ['runId', 'nodeId'],
  from: {
    'run.attached': [{ put: { runId: 'payload.runId', nodeId: 'payload.nodeId' } }],
    'run.detached': [{ drop: { runId: 'payload.runId', nodeId: 'payload.nodeId' } }],
  },
}

export const SESSION_PROJECTIONS: readonly Projection[] = [sessionRows, attachmentRows]
